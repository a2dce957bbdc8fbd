"""Whatever is asked for, a verdict and a bundle take a bounded number of reads of the index."""

import pytest

from citepress.search.index import SPARE, UNKNOWN_WORDS, SearchIndex
from citepress_payments.products.bundle.bundle import KNOWN, MAX_BUNDLE_CANDIDATES, bundle
from citepress_payments.products.coverage.verdict import FACETS, coverage
from support.counted_searches import QUESTIONS, SEARCHES, counted_calls, crowded_index
from support.search import AS_OF


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    return crowded_index(tmp_path_factory.mktemp("index"))


@pytest.mark.parametrize("text", QUESTIONS.values(), ids=QUESTIONS)
def test_a_verdict_reads_ten_records_for_each_part(
    index: SearchIndex, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with counted_calls(monkeypatch) as calls:
        coverage(index, text, AS_OF)

    assert calls["stored"] <= 10 * (1 + FACETS)
    assert calls["words"] <= UNKNOWN_WORDS
    assert sum(calls[name] for name in SEARCHES) <= 2 * SPARE


@pytest.mark.parametrize("text", QUESTIONS.values(), ids=QUESTIONS)
def test_a_bundle_reads_its_candidates_and_what_is_known(
    index: SearchIndex, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    excluded = [f"posts/other-{number}" for number in range(40)]
    with counted_calls(monkeypatch) as calls:
        bundle(index, text, AS_OF, 20, [*excluded, *(f"posts/unknown-{number}" for number in range(500))])

    assert calls["stored"] <= MAX_BUNDLE_CANDIDATES + 10 + 2 * KNOWN
    assert sum(calls[name] for name in SEARCHES) <= 2 * SPARE
