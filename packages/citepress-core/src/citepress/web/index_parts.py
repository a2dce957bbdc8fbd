"""What is known of the other parts of a long index under conditions: their matches, and where the next ones are."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

from citepress.contract.kind import Kind
from citepress.edition.edition import Edition
from citepress.edition.pages.collection_models import INDEX_ITEMS
from citepress.edition.pages.index_counts import matching_parts

_NUMBER = re.compile(r"/index/([0-9]+)\.json$")


@dataclass(frozen=True, slots=True)
class IndexParts:
    """The parts that may hold matches."""

    here: int
    """The part that is asked for."""
    candidates: tuple[int, ...]
    total: int | None
    """Matches in all parts; ``None`` where that is unknown: for several conditions each part would have to be read."""

    def relations(self) -> Iterator[tuple[str, int]]:
        """Link relations (RFC 8288) to parts that may hold matches, and to the first one."""
        yield "first", 1
        if before := [part for part in self.candidates if part < self.here]:
            yield "prev", before[-1]
        if self.next:
            yield "next", self.next
        yield "last", max((self.here, *self.candidates))

    @property
    def next(self) -> int:
        """The next part that may hold matches; 0 where there is none."""
        return next((part for part in self.candidates if part > self.here), 0)


def part_number(path: str) -> int:
    """The number of the part of an index at a path."""
    number = _NUMBER.search(path)
    return int(number[1]) if number else 1


def index_parts(
    edition: Edition, kind: Kind, path: str, records: int, conditions: Mapping[str, str], matches: int
) -> IndexParts:
    """What is known of the parts of an index of so many ``records``; the part at a path has so many ``matches``."""
    here, count = part_number(path), max(1, -(-records // INDEX_ITEMS))
    if count == 1:
        return IndexParts(1, (), matches)
    counted = matching_parts(edition.body, kind, conditions)
    candidates = reduce(set.intersection, (set(parts) for _, parts in counted), set(range(1, count + 1)))
    total = None
    if not conditions:
        total = records
    elif candidates <= {here}:
        total = matches
    elif len(conditions) == len(counted) == 1 and counted[0][0] != "since":
        total = sum(counted[0][1].values())
    return IndexParts(here, tuple(sorted(candidates)), total)
