"""The engine: preferences that are looked up by themselves give the order of a query that tries them on every match."""

from pathlib import Path

import pytest

from citepress.search import ranking
from citepress.search.matches import preferring
from support.search import indexed, note


@pytest.mark.parametrize("limit", [1, 3, 7, 40])
def test_preferred_records_are_in_order_also_where_many_score_alike(tmp_path: Path, limit: int) -> None:
    texts = ("Boats carry agent memory.", "Memory of an agent is carried.", "An agent memory fails again.", "Agents.")
    index = indexed(tmp_path, *(note(f"n{n}", texts[n % 4], title=f"Entry {n % 5}") for n in range(60)))
    weighted = index.weigh("agent memory")
    match, pairs = ranking.text_match(index.engine, weighted), ranking.pair_matches(index.engine, weighted)
    assert pairs

    expected = index.engine.search(preferring(match, pairs), limit)
    rows = index.engine.search_preferring(match, pairs, limit)
    assert (rows[0], [row.place for row in rows[1]]) == (expected[0], [row.place for row in expected[1]])
