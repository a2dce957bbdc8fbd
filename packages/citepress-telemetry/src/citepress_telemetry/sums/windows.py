"""Sums of hours: which days and hours make up a window, and how rollups are added."""

from collections.abc import Iterable, Mapping
from operator import add
from typing import NamedTuple, TypeVar

from pyroaring import BitMap

from citepress_telemetry.model import FamilySums, Hour, PathSums, Reads, Traffic

HOURS = 24
Key = TypeVar("Key")


class Spans(NamedTuple):
    """A window as whole days, and hours at both ends; days and hours since 1970."""

    days: range
    hours: tuple[range, ...]


def spans(first: int, end: int) -> Spans:
    """The hours in ``[first, end)`` as whole days and the hours left at both ends."""
    begin, stop = -(-first // HOURS), end // HOURS
    if begin >= stop:
        return Spans(range(0), (range(first, max(first, end)),))
    return Spans(range(begin, stop), (range(first, begin * HOURS), range(stop * HOURS, end)))


def day_of(hour: int) -> int:
    """The UTC day of an hour."""
    return hour // HOURS


def add_hour(into: Hour, more: Hour) -> None:
    """Add the rollups of another hour."""
    for key, traffic in more.traffic.items():
        add_traffic(into.traffic.setdefault(key, Traffic()), traffic)
    for family, sums in more.families.items():
        add_family(into.families.setdefault(family, FamilySums()), sums)
    for family, paths in more.paths.items():
        add_paths(into.paths.setdefault(family, PathSums()), paths)
    for read, reads in more.reads.items():
        into.reads[read] = joined_reads(into.reads.get(read), reads)
    add_counts(into.probes, more.probes)
    add_counts(into.referrals, more.referrals)
    add_counts(into.gateway, more.gateway)
    add_counts(into.counts, more.counts)


def add_counts(into: dict[Key, int], more: Mapping[Key, int]) -> None:
    """Add counters by their keys."""
    if not into:
        into.update(more)
        return
    count_of = into.get
    for key, n in more.items():
        into[key] = count_of(key, 0) + n


def add_traffic(into: Traffic, more: Traffic) -> None:
    """Add counts of requests."""
    into.n += more.n
    into.ok += more.ok
    into.n304 += more.n304
    into.bytes += more.bytes


def joined_reads(reads: Reads | None, other: Reads) -> Reads:
    """The sum of two counts of the same key."""
    if reads is None:
        return Reads(other.n, other.n304, other.first, other.last)
    return Reads(reads.n + other.n, reads.n304 + other.n304, min(reads.first, other.first), max(reads.last, other.last))


def add_family(into: FamilySums, more: FamilySums) -> None:
    """Add the counts of a family; written out, because a window adds some thousands of them."""
    into.n += more.n
    into.ok += more.ok
    into.bytes += more.bytes
    into.sessions += more.sessions
    into.cut += more.cut
    into.robots_only += more.robots_only
    into.bursts += more.bursts
    into.adrift += more.adrift
    into.depth_sum += more.depth_sum
    for mine, theirs in (
        (into.status, more.status),
        (into.verify, more.verify),
        (into.rep, more.rep),
        (into.depth_hist, more.depth_hist),
    ):
        mine[:] = map(add, mine, theirs)
    into.depth_max = max(into.depth_max, more.depth_max)
    into.materials |= more.materials


def add_paths(into: PathSums, more: PathSums) -> None:
    """Add steps and edges."""
    add_counts(into.steps, more.steps)
    add_counts(into.edges, more.edges)


def unite_sets(parts: Iterable[BitMap]) -> BitMap:
    """The union of several sets at once, which is much faster than one after the other."""
    return BitMap.union(BitMap(), *parts)
