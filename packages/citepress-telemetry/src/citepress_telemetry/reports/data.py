"""The input of reports: sums read once from the rollups, and what the caller knows of the archive."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from citepress.base.timestamps import HOUR_S
from citepress_telemetry.contract.head import Classifier, VerificationBasis
from citepress_telemetry.contract.traffic import POINTS, HistoryAnnotation
from citepress_telemetry.model import CRASHED, FIRST, Closed, Day, Hour, Pair, ReadKey, Reads
from citepress_telemetry.ports import FamilyRow, MaterialRow
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups

DAY_HOURS = 24
PERSONAL = "user_action"
"""Each fetch of this purpose is one person's question."""
WINDOWS: Mapping[str, tuple[str, int]] = {"24h": ("PT24H", 24), "7d": ("P7D", 7 * 24), "30d": ("P30D", 30 * 24)}
"""Duration (ISO 8601) and hours of each window by its published name."""
FULL_HOUR = 3540
"""Observed seconds from which an hour counts as complete."""
SPARK_DAYS = 30


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page of the edition, as its readership report names it."""

    canonical_path: str
    canonical_url: str
    kind: str
    published_at: datetime | None
    representations: Mapping[str, str | None]
    """Addresses by ``html``, ``markdown``, ``json``."""


@dataclass(frozen=True, slots=True)
class ReportContext:
    """What reports contain besides counts."""

    base_url: str
    """Public address without a slash at its end."""
    title: str
    generated_at: datetime
    catalogue: Sequence[ListedPage]
    """Every page of the present edition."""
    classifier: Classifier
    min_count: int = 5
    user_action_min: int = 3
    retention_hours: int = 72
    keeps_unlisted: bool = False
    """Whether product names of unlisted automation are kept."""
    basis: Mapping[str, Sequence[VerificationBasis]] = field(default_factory=dict)
    """The sources of identity checks, by family."""
    example: bool = False
    """Whether all figures come from an example log."""
    annotations: Sequence[HistoryAnnotation] = ()
    """The publisher's annotations of the history."""


@dataclass(frozen=True, slots=True)
class DateSpan:
    """How far the hours in ``[first, end)`` were observed."""

    first: int
    end: int
    observed_seconds: int
    imported_hours: int
    complete: bool
    """Whether every hour was observed and nothing was dropped."""
    observed: bool
    """Whether anything of it was observed; otherwise all of its counts are unknown."""
    live_hours: int
    """Hours that the service observed itself."""
    begun: int
    """The first of these hours that was closed; ``end`` if none was."""
    counts: Mapping[str, int]
    """dropped, late, self, assets, unresolved and ``rows``, added."""


@dataclass(frozen=True, slots=True)
class ReportData:
    """The sums that all reports of one moment are built from."""

    closed: Sequence[Closed]
    """Every closed hour, in order; at least one."""
    families: Mapping[int, FamilyRow]
    routes: Mapping[int, str]
    operators: Mapping[int, str]
    materials: Mapping[int, MaterialRow]
    windows: Mapping[str, Hour]
    """Sums by the names of ``WINDOWS``."""
    before: Hour
    """The 24 hours before the last 24."""
    reads: Mapping[ReadKey, Reads]
    """Readership of the last 24 hours."""
    totals: Mapping[ReadKey, Reads]
    pairs: Mapping[str, Sequence[Pair]]
    """Pairs of the whole days inside each window."""
    days: Sequence[Day]
    months: Sequence[tuple[str, Day]]
    daily: Sequence[tuple[int, Mapping[int, int] | None]] = ()
    """(day, requests by family) of the last thirty days, the open one last; ``None`` for an unobserved day."""
    opening: Hour = field(default_factory=Hour)
    """The hours of the window of thirty days before its first midnight; empty where it begins at one."""
    asking: Mapping[str, Sequence[FamilyRow]] = field(default_factory=dict)
    """By ``24h`` and ``observed``: families that fetched any page for a person, whose counts may be held back."""

    personal: Mapping[int, int] = field(default_factory=dict)
    """Requests for a person by day, without those that are held back."""

    def personal_in(self, first_day: int, end_day: int) -> int:
        """Requests for a person in the days ``[first_day, end_day)``, without those that are held back."""
        return sum(n for day, n in self.personal.items() if first_day <= day < end_day)

    def window_days(self) -> Sequence[Day]:
        """The observed UTC days of the window of thirty days, oldest first; of the first and last only its hours."""
        first = self.as_of - WINDOWS["30d"][1]
        midnight = next_midnight(first)
        days = [day for day in self.days if day.day * DAY_HOURS >= midnight]
        span = self.span(first, midnight)
        if not span.observed:
            return days
        cursors = [cursor for cursor in self.closed if first <= cursor.hour < midnight and watched(cursor)]
        versions = tuple(dict.fromkeys(cursor.classifier for cursor in cursors))
        number, imported = first // DAY_HOURS, bool(span.imported_hours)
        return [Day(number, span.observed_seconds, False, imported, versions, self.opening.traffic), *days]

    def window_daily(self) -> Sequence[tuple[int, Mapping[int, int] | None]]:
        """Requests by family on the days of ``window_days``; ``None`` for an unobserved day."""
        first = self.as_of - WINDOWS["30d"][1]
        if first == next_midnight(first):
            return self.daily
        observed = self.span(first, next_midnight(first)).observed
        counts = {family: sums.n for family, sums in self.opening.families.items()}
        return [(first // DAY_HOURS, counts if observed else None), *self.daily]

    @property
    def as_of(self) -> int:
        """The hour after the last closed one."""
        return self.closed[-1].hour + 1

    @property
    def begun(self) -> int:
        """The first hour observed."""
        return self.closed[0].hour

    @property
    def observed_from(self) -> datetime:
        """When observation began, to ten seconds."""
        return moment(self.begun) + timedelta(seconds=self.closed[0].counts.get(FIRST, 0))

    def watched(self) -> frozenset[int]:
        """The observed hours; imported logs leave gaps between them."""
        return frozenset(cursor.hour for cursor in self.closed if watched(cursor))

    @property
    def ids(self) -> Mapping[str, int]:
        """Ids of pages by canonical path."""
        return {row.canonical_path: row.id for row in self.materials.values()}

    def span(self, first: int, end: int) -> DateSpan:
        """How far these hours were observed."""
        cursors = self.closed[bisect_left(self.closed, first, key=_hour) : bisect_left(self.closed, end, key=_hour)]
        counts: dict[str, int] = {"rows": sum(cursor.rows for cursor in cursors)}
        for cursor in cursors:
            for name, number in cursor.counts.items():
                if "/" not in name:
                    counts[name] = counts.get(name, 0) + number
        whole = len(cursors) == end - first and all(cursor.observed_seconds >= FULL_HOUR for cursor in cursors)
        return DateSpan(
            first,
            end,
            sum(cursor.observed_seconds for cursor in cursors),
            sum(cursor.imported for cursor in cursors),
            whole and not counts.get("dropped") and not counts.get(CRASHED),
            any(map(watched, cursors)),
            sum(watched(cursor) and not cursor.imported for cursor in cursors),
            cursors[0].hour if cursors else end,
            counts,
        )

    def window(self, name: str) -> DateSpan:
        """How far a window was observed."""
        return self.span(self.as_of - WINDOWS[name][1], self.as_of)


def read_report_data(rollups: SqlRollups, dimensions: SqlDimensions) -> ReportData | None:
    """Read the input of reports; ``None`` before the first closed hour. Raises ``StoreUnavailable``."""
    first, last = rollups.first_closed(), rollups.last_closed()
    if first is None or last is None:
        return None
    end = last.hour + 1
    closed = rollups.closed(first.hour, end)
    return ReportData(
        closed=closed,
        families=dimensions.families(),
        routes=dimensions.routes(),
        operators=dimensions.operators(),
        materials=dimensions.all_materials(),
        windows={name: rollups.window(end - hours, end) for name, (_, hours) in WINDOWS.items()},
        before=rollups.window(end - 2 * DAY_HOURS, end - DAY_HOURS),
        reads=rollups.reads(end - DAY_HOURS, end),
        totals=rollups.read_totals(),
        pairs={
            name: rollups.pairs(-(-(end - hours) // DAY_HOURS), end // DAY_HOURS)
            for name, (_, hours) in WINDOWS.items()
        },
        days=rollups.days(POINTS),
        months=rollups.months(),
        daily=_daily(rollups, closed, end),
        opening=rollups.window(start := end - WINDOWS["30d"][1], next_midnight(start)),
    )


def _daily(rollups: SqlRollups, closed: Sequence[Closed], end: int) -> Sequence[tuple[int, Mapping[int, int] | None]]:
    observed = {cursor.hour // DAY_HOURS for cursor in closed if watched(cursor)}
    today = (end - 1) // DAY_HOURS
    days = range(today - SPARK_DAYS + 1, today + 1)
    counts = rollups.daily(days.start, days.stop)
    return [(day, counts.get(day, {}) if day in observed else None) for day in days]


def next_midnight(hour: int) -> int:
    """The first hour from this one on that begins a UTC day."""
    return -(-hour // DAY_HOURS) * DAY_HOURS


def watched(cursor: Closed) -> bool:
    """Whether anything was observed in a closed hour."""
    return bool(cursor.observed_seconds or cursor.rows or cursor.imported)


def moment(hour: int) -> datetime:
    """The first moment of an hour."""
    return datetime.fromtimestamp(hour * HOUR_S, UTC)


def _hour(cursor: Closed) -> int:
    return cursor.hour
