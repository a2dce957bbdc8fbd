"""Words and meaning in one order: a weighted mean of the score by words and of the cosine, brought to one scale."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from citepress.search import ranking
from citepress.search.engine import Engine, IndexRow, Match, all_of, preferring
from citepress.search.meaning import AskedMeaning
from citepress.search.models import Mode

CANDIDATES = 100
"""Best matches by words, and as many by meaning, that are ranked together."""
FILTERED = 1_000
"""Nearest records that are looked through where a filter is set."""
SHARE: Mapping[Mode, float] = {"encoder": 0.4, "table": 0.3}
"""Weight of the cosine (fitted on six public collections)."""
LEAST = 0.3
"""Cosine from which a record that has none of the words is a match."""
RESPELT, ALMOST = 5, 0.85
"""Letters of an unknown word that may be misspelt, and its similarity to a known one from which it is read as that."""
DIGITS = 6


def fused(
    engine: Engine,
    match: Match,
    conditions: Sequence[Match],
    rows: Sequence[IndexRow],
    asked: AskedMeaning,
    share: float,
) -> tuple[list[IndexRow], list[IndexRow]]:
    """The matches that words alone do not find, and all matches, by words (``rows``) and by meaning, in one order.

    Matches by words beyond the first hundred follow in their own order, so every page is cut from one list.
    """
    near = asked.nearest(FILTERED if conditions else CANDIDATES)
    close = _close(engine, match, conditions, near.keys)
    by_key = dict(zip(near.keys, near.cosines, strict=True))
    cosines = {row.place: by_key[key] for row, key in _keyed(engine, close)}
    close = sorted(close, key=lambda row: (-cosines[row.place], row.place))[:CANDIDATES]
    close = [row for row in close if row.score > 0 or cosines[row.place] >= LEAST]
    head = {row.place: row for row in (*close, *rows[:CANDIDATES])}
    others = _keyed(engine, [row for row in rows[:CANDIDATES] if row.place not in cosines])
    for (row, _), cosine in zip(others, asked.cosines([key for _, key in others]), strict=True):
        cosines[row.place] = near.middle if cosine is None else cosine
    top = max((cosines[place] for place in head), default=1.0)
    best = max((row.score for row in head.values() if row.score < ranking.TITLED), default=0.0) or 1.0

    def order(row: IndexRow) -> float:
        # Who types a name or every word of a title wants that record, whatever else is alike.
        if row.score >= ranking.TITLED:
            return row.score
        alike = (cosines[row.place] - near.middle) / ((top - near.middle) or 1.0)
        return round((1 - share) * row.score / best + share * alike, DIGITS)

    ranked = [(row, order(row)) for row in head.values()]
    ordered = engine.in_order(IndexRow(value, row.address, value) for row, value in ranked)
    rest = (row for row in rows[CANDIDATES:] if row.place not in head)
    return [row for row in close if not row.score], [*ordered, *rest]


def respelt(text: str, near: Mapping[str, Sequence[str]]) -> str:
    """A question with its unknown words as the archive spells them, where that is almost the same.

    ``near`` are the known words most like each, best first.
    """
    for word, similar in near.items():
        if len(word) >= RESPELT and SequenceMatcher(None, word, similar[0]).ratio() >= ALMOST:
            text = re.sub(re.escape(word), similar[0], text, flags=re.IGNORECASE)
    return text


def _close(engine: Engine, match: Match, conditions: Sequence[Match], keys: Sequence[int]) -> list[IndexRow]:
    """The records with these keys that meet the conditions, with their scores by words; 0 where no word matches."""
    if not keys:
        return []
    match = preferring(all_of([engine.with_keys(keys), *conditions]), [match])
    return engine.search(match, len(keys))[1]


def _keyed(engine: Engine, rows: Sequence[IndexRow]) -> list[tuple[IndexRow, int]]:
    """The rows with the keys of their vectors."""
    return list(zip(rows, engine.keys([row.address for row in rows]), strict=True))
