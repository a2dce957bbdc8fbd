"""Near-duplicate detection: records with mostly the same terms are grouped when the index is built.

Two records are joined when the sets of their terms have a Jaccard index of at least 0.6. Candidates share some of their
rarest terms; each term keeps only the most recent records, so the time is bounded however similar the
records are.
"""

import heapq
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, Generic, TypeVar

Member = TypeVar("Member", int, str)

SIMILAR = 0.6
RAREST = 12
"""Number of rarest terms by which similar records are looked up."""
SHARED = 2
"""Number of these terms that a candidate shares."""
MAX_CLUSTER_CANDIDATES = 5
"""Candidates that are compared with a record."""
MAX_TERM_RECORDS = 50
"""Number of recent records kept for each term."""
MIN_COMPARED_TERMS = 8
"""Records with fewer terms are never near-duplicates; they are too short for a reliable comparison."""


class _Numbers(dict[str, int]):
    """A number for each term."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


class DuplicateFinder:
    """Takes the terms of records one after the other, and then groups the records."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._records: list[array[int]] = []

    def add(self, terms: Collection[str]) -> None:
        """Take the distinct terms of the next record."""
        self._records.append(array("I", list(map(self._numbers.__getitem__, terms))))

    def leaders(self, order: Sequence[int]) -> list[int]:
        """For each record, in this order of them, the place of the first of its group in it.

        A record without near-duplicates has its own place.
        """
        groups = Groups(range(len(order)))
        for left, right in self._pairs([self._records[place] for place in order]):
            groups.join(left, right)
        return [groups.leader(place) for place in range(len(order))]

    def _ranks(self) -> tuple[Sequence[int], Sequence[int]]:
        """The rank of each term among those that several records contain, from 1, the rarest first; 0 for the others.

        The second ranks are those of the rarer terms alone: most records have enough of these, and sort fewer.
        """
        counts = Counter(chain.from_iterable(self._records))
        shared = sorted((counts[number], term) for term, number in self._numbers.items() if counts[number] > 1)
        ranks, rarer = [0] * len(self._numbers), [0] * len(self._numbers)
        left = 2 * RAREST * len(self._records)
        for rank, (count, term) in enumerate(shared, 1):
            number = self._numbers[term]
            ranks[number] = rank
            if left > 0:
                rarer[number] = rank
                left -= count
        return ranks, rarer

    def _pairs(self, records: Sequence["array[int]"]) -> Iterator[tuple[int, int]]:
        """Pairs of similar records, each once."""
        ranks, rarer = self._ranks()
        having: dict[int, array[int]] = defaultdict(partial(array, "I"))
        for place, terms in enumerate(records):
            # Of few terms most are shared by chance.
            if len(terms) < MIN_COMPARED_TERMS:
                continue
            keys = sorted(filter(None, map(rarer.__getitem__, terms)))[:RAREST]
            if len(keys) < RAREST:
                keys = sorted(filter(None, map(ranks.__getitem__, terms)))[:RAREST]
            met = array("I")
            for key in keys:
                places = having[key]
                met += places[-MAX_TERM_RECORDS:]
                places.append(place)
            least, most = SIMILAR * len(terms), len(terms) / SIMILAR
            near = [
                (count, other)
                for other, count in Counter(met).items()
                if count >= SHARED and least <= len(records[other]) <= most
            ]
            if near:
                own = frozenset(terms)
                for _, other in heapq.nlargest(MAX_CLUSTER_CANDIDATES, near):
                    if jaccard(own, records[other]) >= SIMILAR:
                        yield other, place


class Groups(Generic[Member]):
    """Members that are joined to groups; the least member of a group leads it."""

    def __init__(self, members: Iterable[Member] = ()) -> None:
        self._leaders: dict[Member, Member] = {member: member for member in members}

    def join(self, left: Member, right: Member) -> None:
        """Put two members, and all that are joined to them, into one group."""
        first, second = sorted((self.leader(left), self.leader(right)))
        self._leaders[second] = first

    def leader(self, member: Member) -> Member:
        """The leader of the group of a member."""
        leaders = self._leaders
        leaders.setdefault(member, member)
        while leaders[member] != member:
            leaders[member] = leaders[leaders[member]]
            member = leaders[member]
        return member

    def members(self) -> list[list[Member]]:
        """The members of each group."""
        groups: dict[Member, list[Member]] = {}
        for member in list(self._leaders):
            groups.setdefault(self.leader(member), []).append(member)
        return list(groups.values())


def jaccard(left: frozenset[Any], right: Collection[Any]) -> float:
    """The share of the terms of both records that they have in common; ``right`` has no repeats."""
    both = len(left.intersection(right))
    return both / (len(left) + len(right) - both)
