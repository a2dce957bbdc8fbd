"""How often terms occur in an index and what they weigh, remembered: a search asks several times for each word.

The engine counts records that were replaced until their segment is written anew, so what it weighs is corrected.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MAX_REMEMBERED_TERMS = 10_000
"""Terms that are remembered."""


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What the engine's statistics count besides the records of the index."""

    documents: int = 0
    """Documents that were replaced or that only fill up."""
    frequencies: Mapping[str, int] | None = None
    """Number of these documents that contain each term."""


class TermStatistics(NamedTuple):
    """A term in the records of an index."""

    frequency: int
    """Records that hold it."""
    weight: float
    """Its inverse document frequency."""
    counted_weight: float
    """The same as the engine counts it, with the leftovers."""
    correction: float
    """The factor from the latter to the former."""


class Frequencies(dict[str, TermStatistics]):
    """The statistics of terms."""

    def __init__(self, size: int, leftovers: Leftovers, count: Callable[[str], int]) -> None:
        """``size`` is the number of records; ``count`` gives the documents that the engine counts with a term."""
        super().__init__()
        self._size, self._counted, self._count = size, size + leftovers.documents, count
        self._replaced = leftovers.frequencies or {}

    def __missing__(self, stem: str) -> TermStatistics:
        if len(self) >= MAX_REMEMBERED_TERMS:
            self.clear()
        counted = int(self._count(stem))
        frequency = counted - self._replaced.get(stem, 0)
        weight, counted_weight = idf(self._size, frequency), idf(self._counted, counted)
        statistics = self[stem] = TermStatistics(frequency, weight, counted_weight, _ratio(weight, counted_weight))
        return statistics

    def correction(self, stems: Sequence[str]) -> float:
        """The factor from the engine's weight of these terms to their weight among the records of the index."""
        terms = [self[stem] for stem in stems]
        return _ratio(sum([term.weight for term in terms]), sum([term.counted_weight for term in terms]))


def _ratio(weight: float, counted_weight: float) -> float:
    return weight / counted_weight if counted_weight else 1.0


def idf(size: int, frequency: int) -> float:
    """BM25's inverse document frequency, as the engine computes it."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
