"""Words and meaning in one order: a weighted mean of the score by words and of the cosine, brought to one scale."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice

from citepress.search import ranking, spelling
from citepress.search.engine import Engine, IndexRow
from citepress.search.matches import Match, all_of, preferring
from citepress.search.meaning import AskedMeaning

MAX_FUSED_CANDIDATES = 100
"""Best matches by words, and as many by meaning, that are ranked together."""
FILTERED = 1_000
"""Nearest records that are looked through where a filter is set."""
MIN_COSINE = 0.3
"""Cosine from which a record that has none of the words is a match."""
FUSED_DECIMALS = 6


def fuse(
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
    near = asked.nearest(FILTERED if conditions else MAX_FUSED_CANDIDATES)
    cosines = dict(zip(near.keys, near.cosines, strict=True))
    by_words = dict(zip(engine.keys([row.address for row in rows]), rows, strict=True))
    matches = by_words | _by_keys(engine, match, conditions, [key for key in near.keys if key not in by_words])
    close = [key for key in near.keys if key in matches][:MAX_FUSED_CANDIDATES]
    close = [key for key in close if matches[key].score > 0 or cosines[key] >= MIN_COSINE]
    head = dict.fromkeys((*close, *islice(by_words, MAX_FUSED_CANDIDATES)))
    others = [key for key in head if key not in cosines]
    for key, cosine in zip(others, asked.cosines(others), strict=True):
        cosines[key] = near.middle if cosine is None else cosine
    top = max((cosines[key] for key in head), default=1.0)
    best = max((score for key in head if (score := matches[key].score) < ranking.TITLED), default=0.0) or 1.0
    by_score, by_cosine = (1 - share) / best, share / ((top - near.middle) or 1.0)

    def order(key: int) -> float:
        # Who types a name or every word of a title wants that record, whatever else is alike.
        if (score := matches[key].score) >= ranking.TITLED:
            return score
        return round(by_score * score + by_cosine * (cosines[key] - near.middle), FUSED_DECIMALS)

    ranked = [(matches[key].address, order(key)) for key in head]
    ordered = engine.in_order(IndexRow(value, address, value) for address, value in ranked)
    rest = (row for key, row in islice(by_words.items(), MAX_FUSED_CANDIDATES, None) if key not in head)
    return [matches[key] for key in close if not matches[key].score], [*ordered, *rest]


def respelt(text: str, near: Mapping[str, Sequence[str]]) -> str:
    """A question with its unknown words as the archive spells them, where that is almost the same.

    ``near`` are the known words most like each, best first.
    """
    for word, similar in near.items():
        if spelling.is_alike(word, similar[0], spelling.ALMOST):
            text = re.sub(re.escape(word), similar[0], text, flags=re.IGNORECASE)
    return text


def _by_keys(engine: Engine, match: Match, conditions: Sequence[Match], keys: Sequence[int]) -> dict[int, IndexRow]:
    """The records with these keys that meet the conditions, with their scores by words; 0 where no word matches."""
    if not keys:
        return {}
    rows = engine.search(preferring(all_of([engine.with_keys(keys), *conditions]), [match]), len(keys))[1]
    return dict(zip(engine.keys([row.address for row in rows]), rows, strict=True))
