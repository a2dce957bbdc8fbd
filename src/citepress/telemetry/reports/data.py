"""What reports are made from: sums read once from the rollups, and what the caller knows of the archive."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from citepress.contract.reports.head import Classifier, VerificationBasis
from citepress.contract.reports.traffic import POINTS, HistoryAnnotation
from citepress.telemetry.ports import CRASHED, FIRST, Closed, Day, Dimensions, FamilyRow, Hour, MaterialRow, Pair, ReadKey, Reads, Rollups

HOUR, DAY_HOURS = 3600, 24
WINDOWS: Mapping[str, tuple[str, int]] = {"24h": ("PT24H", 24), "7d": ("P7D", 7 * 24), "30d": ("P30D", 30 * 24)}
"""Duration (ISO 8601) and hours of each window by its name on the wire."""
FULL_HOUR = 3540
"""Seconds of an hour that have to be observed before it counts as whole."""
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
    """What reports say that no count tells."""

    base_url: str
    """Public address without a slash at its end."""
    title: str
    generated_at: datetime
    catalogue: Sequence[ListedPage]
    """Every page that the edition has now."""
    classifier: Classifier
    min_count: int = 5
    user_action_min: int = 3
    retention_hours: int = 72
    keeps_unlisted: bool = False
    """Whether product names of automation that no list names are kept."""
    basis: Mapping[str, Sequence[VerificationBasis]] = field(default_factory=dict)
    """What checks of identity stand on, by family."""
    annotations: Sequence[HistoryAnnotation] = ()
    """What the publisher says of steps in the history."""


@dataclass(frozen=True, slots=True)
class DateSpan:
    """What was observed of the hours in ``[first, end)``."""

    first: int
    end: int
    observed_seconds: int
    imported_hours: int
    complete: bool
    """Whether every hour was observed and nothing was dropped."""
    seen: bool
    """Whether anything of it was observed; without that, nothing can be told of it."""
    live_hours: int
    """Hours that the service observed itself."""
    begun: int
    """The first of these hours that was closed; ``end`` where none was."""
    counts: Mapping[str, int]
    """dropped, late, self, assets, unresolved and ``rows``, added."""


@dataclass(frozen=True, slots=True)
class ReportData:
    """The sums of one moment."""

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
    """(day, requests by family) of the last thirty days, the open one last; ``None`` where the day was not observed."""
    asking: Mapping[str, Sequence[FamilyRow]] = field(default_factory=dict)
    """By ``24h`` and ``observed``: families that fetched any page for a person; what is held back of a page may be theirs."""

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
        """The moment of the first thing observed, to ten seconds."""
        return moment(self.begun) + timedelta(seconds=self.closed[0].counts.get(FIRST, 0))

    def watched(self) -> frozenset[int]:
        """The hours that were observed; imported logs leave gaps between them."""
        return frozenset(one.hour for one in self.closed if watched(one))

    @property
    def ids(self) -> Mapping[str, int]:
        """Ids of pages by canonical path."""
        return {row.canonical_path: row.id for row in self.materials.values()}

    def span(self, first: int, end: int) -> DateSpan:
        """What was observed of these hours."""
        known = self.closed[bisect_left(self.closed, first, key=_hour) : bisect_left(self.closed, end, key=_hour)]
        counts: dict[str, int] = {"rows": sum(one.rows for one in known)}
        for one in known:
            for name, number in one.counts.items():
                if "/" not in name:
                    counts[name] = counts.get(name, 0) + number
        whole = len(known) == end - first and all(one.observed_seconds >= FULL_HOUR for one in known)
        return DateSpan(
            first, end, sum(one.observed_seconds for one in known), sum(one.imported for one in known),
            whole and not counts.get("dropped") and not counts.get(CRASHED), any(map(watched, known)), sum(watched(one) and not one.imported for one in known),
            known[0].hour if known else end, counts,
        )  # fmt: skip

    def window(self, name: str) -> DateSpan:
        """What was observed of a window."""
        return self.span(self.as_of - WINDOWS[name][1], self.as_of)


def read_report_data(rollups: Rollups, dimensions: Dimensions) -> ReportData | None:
    """Everything that reports are made from; ``None`` before the first closed hour. Raises ``StoreUnavailable``."""
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
        pairs={name: rollups.pairs(-(-(end - hours) // DAY_HOURS), end // DAY_HOURS) for name, (_, hours) in WINDOWS.items()},
        days=rollups.days(POINTS),
        months=rollups.months(),
        daily=_daily(rollups, closed, end),
    )


def _daily(rollups: Rollups, closed: Sequence[Closed], end: int) -> Sequence[tuple[int, Mapping[int, int] | None]]:
    observed = {one.hour // DAY_HOURS for one in closed if watched(one)}
    today = (end - 1) // DAY_HOURS
    days = range(today - SPARK_DAYS + 1, today + 1)
    counts = rollups.daily(days.start, days.stop)
    return [(day, counts.get(day, {}) if day in observed else None) for day in days]


def watched(one: Closed) -> bool:
    """Whether anything was observed in a closed hour."""
    return bool(one.observed_seconds or one.rows or one.imported)


def moment(hour: int) -> datetime:
    """The first moment of an hour."""
    return datetime.fromtimestamp(hour * HOUR, UTC)


def _hour(one: Closed) -> int:
    return one.hour
