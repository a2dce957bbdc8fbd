"""The Accept field (RFC 9110 section 12.5.1): which of the forms on offer a client likes best."""

import re
from functools import lru_cache
from typing import NamedTuple

FIELD_BYTES = 4096
"""Bytes of the field that are considered."""
READ_BYTES = FIELD_BYTES + 1
"""Bytes of it that callers pass on, so that no long field is remembered: enough to see that it is too long."""
MOST_RANGES = 64
"""Ranges of the field that are considered."""
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|$)')
"""A quoted string, or what begins one and never ends: matching it is linear in the field's length."""
RANGE = re.compile(r"\s*([!#$%&'*+.^_`|~\w-]+)/([!#$%&'*+.^_`|~\w-]+)\s*((?:;.*)?)", re.ASCII | re.DOTALL)
WEIGHT = re.compile(r";\s*q\s*=\s*([^;]*)", re.IGNORECASE)
NUMBER = re.compile(r"(?:0(?:\.[0-9]*)?|1(?:\.0*)?|\.[0-9]+)\s*", re.ASCII)
EXACT, SUBTYPES, ANYTHING = 0, 1, 2
NEVER = (0.0, 0, 0)


class MediaRange(NamedTuple):
    """What a client says of one range: how much it likes it, and where in its list."""

    weight: float
    place: int


class AcceptHeader(NamedTuple):
    """An Accept field, read."""

    ranges: dict[str, MediaRange]
    broken: bool
    """Whether a part of it could not be read, or lies beyond what is considered."""


@lru_cache(maxsize=256)
def read(field: bytes) -> AcceptHeader:
    """The ranges of a field; parameters other than ``q`` are passed over. What cannot be read is left out."""
    text = field[:FIELD_BYTES].decode("latin-1")
    if len(field) > FIELD_BYTES:
        text = text.rpartition(",")[0]
    if '"' in text:
        text = QUOTED.sub('""', text)
    ranges: dict[str, MediaRange] = {}
    parts = [part for part in text.split(",") if part.strip()]
    broken = len(field) > FIELD_BYTES or len(parts) > MOST_RANGES
    for place, part in enumerate(parts[:MOST_RANGES]):
        found = RANGE.fullmatch(part)
        weight = WEIGHT.search(found[3]) if found else None
        if found is None or (found[1] == "*" and found[2] != "*") or (weight and not NUMBER.fullmatch(weight[1])):
            broken = True
            continue
        ranges.setdefault(f"{found[1]}/{found[2]}".lower(), MediaRange(float(weight[1]) if weight else 1.0, place))
    return AcceptHeader(ranges, broken)


@lru_cache(maxsize=1024)
def best_match(field: bytes, offers: tuple[tuple[str, ...], ...]) -> int:
    """The place of the offer that the client likes best; -1 when it wants none of them.

    An offer is the media types it fits, the one that is sent first. The higher ``q`` wins, then the type that is named
    over one that only a wildcard covers, then the one listed first by the client, then the one offered first.
    A field that is empty, or that cannot be read in full and excludes everything, is as good as none.
    """
    wishes = read(field)
    if not wishes.ranges:
        return 0
    best, best_rank = -1, NEVER
    for place, types in enumerate(offers):
        rank = _rank(wishes.ranges, types)
        if rank > best_rank:
            best, best_rank = place, rank
    return 0 if best < 0 and wishes.broken else best


def _rank(ranges: dict[str, MediaRange], types: tuple[str, ...]) -> tuple[float, int, int]:
    """How well an offer is liked: weight, closeness of the range that covers it, place in the client's list."""
    sent = types[0]
    if (wish := ranges.get(sent)) is None:
        for synonym in types[1:]:
            if (other := ranges.get(synonym)) is not None and (wish is None or other.weight > wish.weight):
                wish = other
    if wish is not None:
        return (wish.weight, -EXACT, -wish.place) if wish.weight else NEVER
    for closeness, name in ((SUBTYPES, sent.partition("/")[0] + "/*"), (ANYTHING, "*/*")):
        if (wish := ranges.get(name)) is not None:
            return (wish.weight, -closeness, -wish.place) if wish.weight else NEVER
    return NEVER
