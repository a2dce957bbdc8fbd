"""Near-duplicates: records whose terms are mostly the same, found once when the index is built.

Two records are joined when the sets of their terms have a Jaccard index of at least 0.6. Candidates share some of their
rarest terms; each term remembers only the records that had it last, so the time is bounded however alike the records are.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence

SIMILAR = 0.6
RAREST = 25
"""Terms by which the likes of a record are looked for."""
CANDIDATES = 5
"""Likes of a record that are compared with it."""
REMEMBERED = 50
"""Records that a term remembers."""
SHORT = 16
"""Records with fewer terms are never near-duplicates: they say too little to tell."""


def rarest(terms: frozenset[str], frequencies: Mapping[str, int], count: int = RAREST) -> list[str]:
    """The terms of a record that fewest others have, but at least one other has."""
    shared = sorted([(frequency, term) for term in terms if (frequency := frequencies[term]) > 1])
    return [term for _, term in shared[:count]]


def frequencies_of(records: Sequence[frozenset[str]]) -> Counter[str]:
    """In how many records each term stands."""
    found: Counter[str] = Counter()
    for terms in records:
        found.update(terms)
    return found


def clusters(records: Sequence[frozenset[str]], telling: Sequence[Sequence[str]]) -> list[int]:
    """For each record the place of the first record of its group; its own place when it stands alone.

    ``records`` are the terms of each record, ``telling`` the rarest of them (``rarest``).
    """
    leader = list(range(len(records)))
    for one, other in _pairs(records, telling):
        first, second = sorted((_root(leader, one), _root(leader, other)))
        leader[second] = first
    return [_root(leader, place) for place in range(len(records))]


def _pairs(records: Sequence[frozenset[str]], telling: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """Pairs of records that are alike, each once."""
    having: dict[str, deque[int]] = defaultdict(lambda: deque(maxlen=REMEMBERED))
    for place, terms in enumerate(records):
        if len(terms) < SHORT:
            continue
        shared = Counter(other for term in telling[place] for other in having[term])
        for other, _ in sorted(shared.items(), key=lambda found: (-found[1], -found[0]))[:CANDIDATES]:
            if _jaccard(terms, records[other]) >= SIMILAR:
                yield other, place
        for term in telling[place]:
            having[term].append(place)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one & other)
    return both / (len(one) + len(other) - both)


def _root(leader: list[int], place: int) -> int:
    while leader[place] != place:
        leader[place] = leader[leader[place]]
        place = leader[place]
    return place
