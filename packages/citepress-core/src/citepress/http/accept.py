"""The Accept field (RFC 9110 section 12.5.1): which of the available representations the client prefers."""

import re
from functools import lru_cache
from typing import NamedTuple

MAX_ACCEPT_BYTES = 4096
"""Bytes of the field that are considered."""
READ_BYTES = MAX_ACCEPT_BYTES + 1
"""Bytes that callers pass on. One byte over the limit is enough to detect a field that is too long."""
MAX_ACCEPT_RANGES = 64
"""Ranges of the field that are considered."""
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|$)')
"""A quoted string, or what begins one and never ends: matching it is linear in the field's length."""
RANGE = re.compile(r"\s*([!#$%&'*+.^_`|~\w-]+)/([!#$%&'*+.^_`|~\w-]+)\s*((?:;.*)?)", re.ASCII | re.DOTALL)
WEIGHT = re.compile(r";\s*q\s*=\s*([^;]*)", re.IGNORECASE)
NUMBER = re.compile(r"(?:0(?:\.[0-9]*)?|1(?:\.0*)?|\.[0-9]+)\s*", re.ASCII)
EXACT, SUBTYPES, ANYTHING = 0, 1, 2
NEVER = (0.0, 0, 0)


class MediaRange(NamedTuple):
    """One media range of the field: its weight and its position in the client's list."""

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
    text = field[:MAX_ACCEPT_BYTES].decode("latin-1")
    if len(field) > MAX_ACCEPT_BYTES:
        text = text.rpartition(",")[0]
    if '"' in text:
        text = QUOTED.sub('""', text)
    ranges: dict[str, MediaRange] = {}
    parts = [part for part in text.split(",") if part.strip()]
    broken = len(field) > MAX_ACCEPT_BYTES or len(parts) > MAX_ACCEPT_RANGES
    for place, part in enumerate(parts[:MAX_ACCEPT_RANGES]):
        match = RANGE.fullmatch(part)
        weight = WEIGHT.search(match[3]) if match else None
        if match is None or (match[1] == "*" and match[2] != "*") or (weight and not NUMBER.fullmatch(weight[1])):
            broken = True
            continue
        ranges.setdefault(f"{match[1]}/{match[2]}".lower(), MediaRange(float(weight[1]) if weight else 1.0, place))
    return AcceptHeader(ranges, broken)


@lru_cache(maxsize=1024)
def best_match(field: bytes, offers: tuple[tuple[str, ...], ...]) -> int:
    """The place of the offer that the client likes best; -1 when it wants none of them.

    An offer is the media types it fits, the one that is sent first. The higher ``q`` wins, then the type that is named
    over one that only a wildcard covers, then the one listed first by the client, then the one offered first.
    A field that is empty, or that cannot be read in full and excludes everything, is as good as none.
    """
    accepted = read(field)
    if not accepted.ranges:
        return 0
    best, best_rank = -1, NEVER
    for place, types in enumerate(offers):
        rank = _rank(accepted.ranges, types)
        if rank > best_rank:
            best, best_rank = place, rank
    return 0 if best < 0 and accepted.broken else best


def _rank(ranges: dict[str, MediaRange], types: tuple[str, ...]) -> tuple[float, int, int]:
    """How well an offer is liked: weight, closeness of the range that covers it, place in the client's list."""
    sent, *synonyms = types
    exact = ranges.get(sent)
    if exact is None:
        others = [ranges[name] for name in synonyms if name in ranges]
        exact = max(others, key=lambda media_range: media_range.weight, default=None)
    if exact is not None:
        # A range that is named decides even where a wildcard has more weight (RFC 9110, section 12.5.1).
        return (exact.weight, -EXACT, -exact.place) if exact.weight else NEVER
    for closeness, name in ((SUBTYPES, sent.partition("/")[0] + "/*"), (ANYTHING, "*/*")):
        wildcard = ranges.get(name)
        if wildcard is not None:
            return (wildcard.weight, -closeness, -wildcard.place) if wildcard.weight else NEVER
    return NEVER
