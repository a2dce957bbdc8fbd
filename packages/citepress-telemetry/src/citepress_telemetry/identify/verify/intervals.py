"""Overlapping address ranges cut into disjoint intervals, each with the lists that cover it."""

import socket
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network

NO_INTERVALS: frozenset[str] = frozenset()
_MAPPED = b"\0" * 10 + b"\xff\xff"


@dataclass(frozen=True, slots=True)
class Cut:
    """Intervals of one address family: each ends where the next one starts."""

    starts: tuple[int, ...] = ()
    lists: tuple[frozenset[str], ...] = ()

    def at(self, number: int) -> frozenset[str]:
        """The lists that cover an address."""
        place = bisect_right(self.starts, number)
        return self.lists[place - 1] if place else NO_INTERVALS


@dataclass(frozen=True, slots=True)
class Intervals:
    """Both address families."""

    v4: Cut = Cut()
    v6: Cut = Cut()

    def lists(self, address: str) -> frozenset[str]:
        """The lists that cover an address; none if it is not an address. Never raises."""
        try:
            if ":" not in address:
                return self.v4.at(int.from_bytes(socket.inet_pton(socket.AF_INET, address)))
            packed = socket.inet_pton(socket.AF_INET6, address)
        except (OSError, ValueError, UnicodeError):
            return NO_INTERVALS
        return (
            self.v4.at(int.from_bytes(packed[12:]))
            if packed.startswith(_MAPPED)
            else self.v6.at(int.from_bytes(packed))
        )


def cut(ranges: Iterable[tuple[str, IPv4Network | IPv6Network]]) -> Intervals:
    """Cut ranges, each with its list's key."""
    four: list[tuple[int, int, str]] = []
    six: list[tuple[int, int, str]] = []
    for key, network in ranges:
        first = int(network.network_address)
        (four if network.version == 4 else six).append((first, first + network.num_addresses, key))  # noqa: PLR2004  (IPv4)
    return Intervals(_swept(four), _swept(six))


def _swept(ranges: list[tuple[int, int, str]]) -> Cut:
    """Sweep over the edges, with the lists open at each."""
    edges: dict[int, list[tuple[str, int]]] = {}
    for start, end, key in ranges:
        edges.setdefault(start, []).append((key, 1))
        edges.setdefault(end, []).append((key, -1))
    open_lists: Counter[str] = Counter()
    starts: list[int] = []
    lists: list[frozenset[str]] = []
    shared: dict[frozenset[str], frozenset[str]] = {}
    for at in sorted(edges):
        for key, step in edges[at]:
            open_lists[key] += step
        now = frozenset(key for key, depth in open_lists.items() if depth > 0)
        if not lists or lists[-1] != now:
            starts.append(at)
            lists.append(shared.setdefault(now, now))
    return Cut(tuple(starts), tuple(lists))
