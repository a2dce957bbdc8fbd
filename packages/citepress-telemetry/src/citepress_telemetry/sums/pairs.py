"""Pairs of materials read one after the other: a bounded number of counters for each family and day (Misra-Gries).

Counts are never too high. What was subtracted to make room bounds what a counter may have missed.
"""

from collections.abc import Iterable, Mapping, Sequence

from citepress_telemetry.model import Pair

SLOTS = 2048
"""Counters of a family."""
BEST = 50
"""Pairs kept for a family and day."""
MIN_PAIR_COUNT = 5
"""Pairs below this count are not kept."""


class PairCounter:
    """The pairs of one family and day."""

    __slots__ = ("counters", "slots", "subtracted")

    def __init__(
        self, counters: Mapping[tuple[int, int], int] | None = None, subtracted: int = 0, slots: int = SLOTS
    ) -> None:
        """Start empty, or from saved ``counters`` and ``subtracted``."""
        self.counters = dict(counters or {})
        self.subtracted = subtracted
        self.slots = slots

    def add(self, first: int, second: int) -> None:
        """Count a pair."""
        counters, key = self.counters, (first, second)
        if key in counters:
            counters[key] += 1
            return
        if len(counters) >= self.slots:
            self._make_room()
        self.counters[key] = 1

    def best(self, family: int) -> Sequence[Pair]:
        """The most frequent pairs, and a row for the rest; empty if nothing was counted."""
        ranked = sorted(self.counters.items(), key=lambda item: (-item[1], item[0]))
        best = [item for item in ranked[:BEST] if item[1] >= MIN_PAIR_COUNT]
        missed = self.subtracted + max((n for _, n in ranked[len(best) : len(best) + 1]), default=0)
        rest = [Pair(family, 0, 0, 0, missed)] if missed else []
        return [*(Pair(family, first, second, n, self.subtracted) for (first, second), n in best), *rest]

    def _make_room(self) -> None:
        """Subtract the median from all counters, which removes at least half of them."""
        median = sorted(self.counters.values())[len(self.counters) // 2]
        self.counters = {key: n - median for key, n in self.counters.items() if n > median}
        self.subtracted += median


def merge_pairs(*lists: Iterable[Pair]) -> list[Pair]:
    """The sums of several lists.

    A pair that is missing from a list may have been missed there as often as the list's rest says; the bounds add that.
    """
    sums: dict[tuple[int, int, int], tuple[int, int]] = {}
    missed: dict[int, int] = {}
    """The rests of all lists by family."""
    for pairs in map(list, lists):
        rests = {pair.family: pair.undercount for pair in pairs if pair.rest}
        for pair in pairs:
            if not pair.rest:
                n, less = sums.get(pair[:3], (0, 0))
                sums[pair[:3]] = (n + pair.n, less + pair.undercount - rests.get(pair.family, 0))
        for family, rest in rests.items():
            missed[family] = missed.get(family, 0) + rest
    summed = [Pair(*key, n, less + missed.get(key[0], 0)) for key, (n, less) in sums.items()]
    summed.sort(key=lambda pair: (pair.family, -pair.n, pair.first, pair.second))
    return [*summed, *(Pair(family, 0, 0, 0, n) for family, n in sorted(missed.items()) if n)]
