"""Closing an hour: from its rows and the state open at its start to its rollups and the state open at its end.

Pure: the same rows in the same order give the same rollups, so an hour whose writing failed is simply closed again.
Memory stays flat: rows are streamed; only distinct (family, material), networks with an open session, and pair
counters are held.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyroaring import BitMap

from citepress_telemetry.contract.words import READERS, TrafficClass
from citepress_telemetry.identify.user_agents.classes import classify
from citepress_telemetry.identify.user_agents.probes import CATEGORIES
from citepress_telemetry.identify.user_agents.scanning import BURST, CONTRADICTED
from citepress_telemetry.model import (
    STATUS_CLASSES,
    CarryOver,
    FamilySums,
    Hour,
    Pair,
    ReadKey,
    Reads,
    Traffic,
    TrafficKey,
)
from citepress_telemetry.ports import GET, FamilyRow, SpoolRow
from citepress_telemetry.rollup.intervals import Interval
from citepress_telemetry.rollup.sessions import Walk, handed_on, resume_sessions
from citepress_telemetry.sums.windows import HOURS, add_counts, add_traffic

HOUR_MS: Final = 3_600_000
SLOT_MS: Final = BURST.slot_ms
FIRST_STATUS, AFTER_STATUS, OTHER_STATUS = 200, 600, STATUS_CLASSES.index("other")
OK, NOT_MODIFIED = 200, 304
UNKNOWN = "unknown"
"""Purpose of requests whose declared identity is contradicted."""


@dataclass(frozen=True, slots=True)
class ClosingContext:
    """The names behind the ids of rows."""

    families: Mapping[int, FamilyRow]
    robots: int
    """Route of robots.txt; 0: none was ever requested."""
    unknown_family: FamilyRow
    """Used for a family whose name was lost while the spool was not."""
    probes: Sequence[str] = CATEGORIES
    """Probe categories in the order of their places."""


@dataclass(frozen=True, slots=True)
class ClosedHour:
    """The result of closing an hour."""

    rows: Hour
    after: CarryOver
    count: int
    """Rows read."""
    last_row: int
    """Highest id among them."""
    pairs: Sequence[Pair] = ()
    """Of the whole day, when the hour ended it."""


class _Cell:
    """Requests that are counted alike: they differ only in network, route and material."""

    __slots__ = ("adrift", "bytes", "cls", "counted", "family", "intervals", "materials", "n", "walk")

    def __init__(self, family: FamilyRow, cls: TrafficClass, walk: Walk | None, *, read: bool) -> None:
        """``read``: whether materials are counted."""
        self.n = self.bytes = self.adrift = 0
        self.family = family
        self.cls = cls
        self.walk = walk
        self.counted = read
        self.materials: dict[int, int] = {}
        self.intervals: dict[tuple[int, int, int, int], Interval] | None = None
        """Of browser-like page views: the requests of each network for each path, by net, route, material and miss."""
        if cls == TrafficClass.HUMAN_PAGE_VIEW:
            self.intervals = {}


_Key = tuple[int, int, int, int, int, int, bool, bool]
"""Family, verification, representation, status, flags, probe, no route, burst."""


@dataclass(slots=True)
class _Tally:
    """The requests of one hour as they are counted."""

    context: ClosingContext
    bursts: frozenset[tuple[int, int]]
    walks: dict[int, Walk] | None
    """``None``: sessions are not followed."""
    cells: dict[_Key, _Cell] = field(default_factory=dict)
    count: int = 0
    last: int = 0

    def run(self, rows: Iterable[SpoolRow]) -> None:
        """Count rows."""
        # The one loop over every event: locals and inlined conditions keep it fast.
        cells, bursts, count, last = self.cells, self.bursts, self.count, self.last
        for id_, ts, net, family, verify, route, material, rep, status, size, flags, probe, miss, source in rows:
            count += 1
            if id_ > last:  # noqa: PLR1730  (``max`` takes three times as long)
                last = id_
            burst = not route and net is not None and (net, ts // SLOT_MS) in bursts
            key = (family, verify, rep, status, flags, probe, not route, burst)
            cell = cells.get(key)
            if cell is None:
                cell = cells[key] = self._cell(key)
            cell.n += 1
            cell.bytes += size
            if material and cell.counted:
                cell.materials[material] = cell.materials.get(material, 0) + 1
            if (intervals := cell.intervals) is not None:
                path = (net or 0, route, material, miss)
                interval = intervals.get(path)
                if interval is None:
                    interval = intervals[path] = Interval()
                interval.add(ts, size, source)
            if (walk := cell.walk) is not None:
                if net is None:
                    cell.adrift += 1
                else:
                    walk.step(ts, net, route, material, miss, read=cell.counted)
        self.count, self.last = count, last

    def _cell(self, key: _Key) -> _Cell:
        family, verify, rep, status, flags, probe, unmatched, burst = key
        row = self.context.families.get(family, self.context.unknown_family)
        cls = classify(row, verify, 0 if unmatched else 1, rep, status, flags, probe, burst)
        walk = None
        if self.walks is not None and row.named and verify != CONTRADICTED:
            walk = self.walks.get(row.id)
            if walk is None:
                walk = self.walks[row.id] = Walk(self.context.robots)
        read = bool(flags & GET) and status in (OK, NOT_MODIFIED) and verify != CONTRADICTED
        # Whoever attacks a page has not read it, though it was answered.
        read = read and cls != TrafficClass.SCANNER_NOISE
        return _Cell(row, cls, walk, read=read)


def close_hour(
    hour: int,
    rows: Iterable[SpoolRow],
    bursts: frozenset[tuple[int, int]],
    context: ClosingContext,
    before: CarryOver,
    *,
    ends: bool = False,
) -> ClosedHour:
    """Close an hour from its rows by time and id, its bursts as (net, slot), and the state carried over to it.

    ``ends``: no hour follows (the end of an import), so open sessions are counted here, as at the end of a day.
    """
    walks = resume_sessions(before, context.robots)
    tally = _Tally(context, bursts, walks)
    tally.run(rows)
    last = ends or hour % HOURS == HOURS - 1
    for walk in walks.values():
        walk.sweep((hour + 1) * HOUR_MS, all_=last)
    sums = _rollups(hour, tally)
    for family, walk in walks.items():
        _walked(sums, family, walk)
    if not last:
        return ClosedHour(sums, handed_on(walks.items()), tally.count, tally.last)
    pairs = [pair for family in sorted(walks) for pair in walks[family].pairs.best(family)]
    return ClosedHour(sums, CarryOver(), tally.count, tally.last, pairs)


def late_rows(
    hour: int, rows: Iterable[SpoolRow], bursts: frozenset[tuple[int, int]], context: ClosingContext
) -> ClosedHour:
    """Rows that arrived after their hour was closed: counts, materials and readership, but no sessions or steps."""
    tally = _Tally(context, bursts, None)
    tally.run(rows)
    return ClosedHour(_rollups(hour, tally), CarryOver(), tally.count, tally.last)


def class_finder(
    rows: Iterable[SpoolRow], bursts: frozenset[tuple[int, int]], context: ClosingContext
) -> Callable[[SpoolRow], TrafficClass]:
    """What finds the class in which a row is counted among these rows of its hour."""
    tally = _Tally(context, bursts, None)
    tally.run(rows)

    def find(row: SpoolRow) -> TrafficClass:
        burst = not row.route and row.net is not None and (row.net, row.ts // SLOT_MS) in bursts
        cell = tally.cells[row.family, row.verify, row.rep, row.status, row.flags, row.probe, not row.route, burst]
        net, intervals = row.net or 0, cell.intervals or {}
        interval = intervals.get((net, row.route, row.material, row.miss))
        return TrafficClass.MACHINE_ROUTE if interval and _is_timer(net, interval) else cell.cls

    return find


def _walked(hour: Hour, family: int, walk: Walk) -> None:
    """Add what a walk counted in the hour, if anything."""
    if walk.paths.steps or walk.paths.edges:
        hour.paths[family] = walk.paths
    if walk.sums.sessions or walk.sums.bursts:
        into, sums = hour.families.setdefault(family, FamilySums()), walk.sums
        for name in ("sessions", "cut", "robots_only", "bursts", "depth_sum", "depth_max", "depth_hist"):
            setattr(into, name, getattr(sums, name))


def _rollups(hour: int, tally: _Tally) -> Hour:
    """The rollups of an hour from its cells, without sessions."""
    rollups = Hour()
    for (_, verify, rep, status, _, probe, _, _), cell in tally.cells.items():
        family, impostor = cell.family.id, verify == CONTRADICTED
        purpose = UNKNOWN if impostor else cell.family.purpose
        place = status // 100 - 2 if FIRST_STATUS <= status < AFTER_STATUS else OTHER_STATUS
        ok = cell.n if place == 0 or status == NOT_MODIFIED else 0
        n304 = cell.n if status == NOT_MODIFIED else 0
        traffic = Traffic(cell.n, ok, n304, cell.bytes)
        if cell.intervals:
            automated = _split_views(rollups, cell, traffic)
            _add(rollups, TrafficKey(TrafficClass.MACHINE_ROUTE, purpose, rep, place, verify), automated)
        _add(rollups, TrafficKey(cell.cls, purpose, rep, place, verify), traffic)
        sums = rollups.families.setdefault(family, FamilySums())
        if impostor:
            sums.verify[verify] += cell.n
        else:
            _family(sums, (place, verify, rep), cell, ok)
        if cell.cls in READERS:
            _reads(rollups, hour, (family, rep, verify), cell, bool(n304))
        if probe and cell.cls == TrafficClass.SCANNER_NOISE:
            add_counts(rollups.probes, {tally.context.probes[probe - 1]: cell.n})
    return rollups


def _split_views(hour: Hour, cell: _Cell, traffic: Traffic) -> Traffic:
    """Take what a timer asked for out of browser-like page views, and count who sent readers to the rest."""
    automated = Traffic()
    for (net, *_), interval in (cell.intervals or {}).items():
        if _is_timer(net, interval):
            automated.n += interval.n
            automated.bytes += interval.bytes
        else:
            add_counts(hour.referrals, interval.sources)
    automated.ok = automated.n if traffic.ok else 0
    automated.n304 = automated.n if traffic.n304 else 0
    for name in ("n", "ok", "n304", "bytes"):
        setattr(traffic, name, getattr(traffic, name) - getattr(automated, name))
    return automated


def _is_timer(net: int, interval: Interval) -> bool:
    """Whether a timer asks; requests without a network may be anybody's."""
    return bool(net) and interval.is_fixed()


def _add(hour: Hour, key: TrafficKey, traffic: Traffic) -> None:
    """Add counts to a row of the traffic table."""
    if traffic.n:
        add_traffic(hour.traffic.setdefault(key, Traffic()), traffic)


def _family(sums: FamilySums, places: tuple[int, int, int], cell: _Cell, ok: int) -> None:
    sums.n += cell.n
    sums.ok += ok
    sums.bytes += cell.bytes
    sums.adrift += cell.adrift
    for counters, place in zip((sums.status, sums.verify, sums.rep), places, strict=True):
        counters[place] += cell.n
    sums.materials |= BitMap(cell.materials)


def _reads(sums: Hour, hour: int, who: tuple[int, int, int], cell: _Cell, unchanged: bool) -> None:
    for material, n in cell.materials.items():
        key = ReadKey(material, *who)
        reads = sums.reads.get(key)
        if reads is None:
            reads = sums.reads[key] = Reads(first=hour, last=hour)
        reads.n += n
        reads.n304 += n if unchanged else 0
