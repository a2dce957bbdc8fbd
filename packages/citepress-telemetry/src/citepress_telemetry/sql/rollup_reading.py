"""Reading rollups: the sums of windows, and the days and months of the history."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from pyroaring import BitMap

from citepress.base import fast_json
from citepress_telemetry.model import (
    CRASHED,
    NUMBERED_CLASSES,
    Closed,
    Day,
    FamilySums,
    Hour,
    PathSums,
    Traffic,
    TrafficKey,
)
from citepress_telemetry.sql.packing import unpacked_counts
from citepress_telemetry.sql.rollup_tables import DAY_TABLES, HOUR_CLOSED, HOUR_TABLES
from citepress_telemetry.sql.rollup_writing import family_sums
from citepress_telemetry.sums.windows import (
    HOURS,
    Spans,
    add_counts,
    add_family,
    add_paths,
    add_traffic,
    spans,
    unite_sets,
)

OBSERVED = 3540
"""Observed seconds from which an hour counts as complete."""
GATEWAY = "gateway/"
"""Prefix of the gateway's counters."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_window(connection: sa.Connection, first: int, end: int) -> Hour:
    """The sums of the hours in ``[first, end)``, without readership."""
    sums, parts = Hour(), spans(first, end)
    for key, traffic in _traffic(connection, parts):
        add_traffic(sums.traffic.setdefault(key, Traffic()), traffic)
    sums.families = _families(connection, parts)
    for row in _rows(connection, parts, "path"):
        add_paths(
            sums.paths.setdefault(row.family, PathSums()),
            PathSums(unpacked_counts(row.steps), unpacked_counts(row.edges)),
        )
    for row in _rows(connection, parts, "probe"):
        add_counts(sums.probes, {row.category: row.n})
    for row in _rows(connection, parts, "referral"):
        add_counts(sums.referrals, {row.operator: row.n})
    for row in _rows(connection, parts, "gateway"):
        add_counts(sums.gateway, {(row.area, row.name, row.outcome): row.n})
    for closed in read_closed(connection, first, end):
        add_counts(sums.counts, {name: n for name, n in closed.counts.items() if not name.startswith(GATEWAY)})
    return sums


def read_closed(connection: sa.Connection, first: int, end: int) -> list[Closed]:
    """Cursor rows of the hours in ``[first, end)``, in order."""
    query = HOUR_CLOSED.select().where(HOUR_CLOSED.c.h >= first, HOUR_CLOSED.c.h < end).order_by(HOUR_CLOSED.c.h)
    return [closed_of(row) for row in connection.execute(query)]


def closed_of(row: Any) -> Closed:  # noqa: ANN401  (a row of the cursor's table)
    """A cursor row."""
    return Closed(
        row.h, row.rows, row.last_row, row.observed_seconds, row.imported, row.classifier, fast_json.loads(row.counts)
    )


def read_days(connection: sa.Connection, count: int) -> list[Day]:
    """The newest ``count`` days that were observed, oldest first."""
    day = _day_number()
    observed = sa.or_(HOUR_CLOSED.c.observed_seconds > 0, HOUR_CLOSED.c.imported, HOUR_CLOSED.c.rows > 0)
    newest = sa.select(day).where(observed).group_by(day).order_by(day.desc()).limit(count)
    days = sorted(connection.scalars(newest))
    if not days:
        return []
    within = range(days[0], days[-1] + 1)
    hours, traffic = (
        read_closed(connection, within.start * HOURS, within.stop * HOURS),
        _traffic_by_day(connection, within),
    )
    by_day = {day: list(cursors) for day, cursors in groupby(hours, lambda cursor: cursor.hour // HOURS)}
    return [_day(number, range(number, number + 1), by_day[number], traffic.get(number, {})) for number in days]


def read_daily(connection: sa.Connection, first: int, end: int) -> dict[int, dict[int, int]]:
    """Requests by family of each day in ``[first, end)`` that has any."""
    requests: dict[int, dict[int, int]] = {}
    columns = (DAY_TABLES.family.c.d, DAY_TABLES.family.c.family, DAY_TABLES.family.c.n)
    for day, family, n in connection.execute(sa.select(*columns).where(_within(DAY_TABLES.family, range(first, end)))):
        requests.setdefault(day, {})[family] = n
    return requests


def read_months(connection: sa.Connection) -> list[tuple[str, Day]]:
    """Whole months, from the first hour that was closed to the last month that is over."""
    first, last = connection.execute(sa.select(sa.func.min(HOUR_CLOSED.c.h), sa.func.max(HOUR_CLOSED.c.h))).one()
    months: list[tuple[str, Day]] = []
    if first is None:
        return months
    begin = _moment(first // HOURS).replace(day=1)
    while (after := (begin + timedelta(days=32)).replace(day=1)) <= _moment((last + 1) // HOURS):
        days = range(_number(begin), _number(after))
        hours, traffic = (
            read_closed(connection, days.start * HOURS, days.stop * HOURS),
            dict(_traffic(connection, Spans(days, ()))),
        )
        day = _day(days.start, days, hours, traffic)
        if day.traffic or day.observed_seconds:
            months.append((begin.strftime("%Y-%m"), day))
        begin = after
    return months


def _day(number: int, days: range, hours: Sequence[Closed], traffic: Mapping[TrafficKey, Traffic]) -> Day:
    whole = len(hours) == len(days) * HOURS and all(_whole(hour) for hour in hours)
    classifiers = tuple(dict.fromkeys(hour.classifier for hour in hours if hour.rows or hour.observed_seconds))
    return Day(
        number,
        sum(hour.observed_seconds for hour in hours),
        whole,
        any(hour.imported for hour in hours),
        classifiers,
        traffic,
    )


def _whole(hour: Closed) -> bool:
    return hour.observed_seconds >= OBSERVED and not hour.counts.get("dropped") and not hour.counts.get(CRASHED)


def _traffic(connection: sa.Connection, parts: Spans) -> Iterable[tuple[TrafficKey, Traffic]]:
    for table, keys in _pieces(parts, "traffic"):
        names = [column for column in table.c if column.primary_key][1:]
        sums = [sa.cast(sa.func.sum(table.c[name]), sa.BigInteger) for name in ("n", "ok", "n304", "bytes")]
        for cls, purpose, rep, status, verify, *counts in connection.execute(
            sa.select(*names, *sums).where(_within(table, keys)).group_by(*names)
        ):
            yield TrafficKey(NUMBERED_CLASSES[cls], purpose, rep, status, verify), Traffic(*counts)


def _traffic_by_day(connection: sa.Connection, days: range) -> dict[int, dict[TrafficKey, Traffic]]:
    by_day: dict[int, dict[TrafficKey, Traffic]] = {}
    for day, cls, purpose, rep, status, verify, *counts in connection.execute(
        DAY_TABLES.traffic.select().where(_within(DAY_TABLES.traffic, days))
    ):
        by_day.setdefault(day, {})[TrafficKey(NUMBERED_CLASSES[cls], purpose, rep, status, verify)] = Traffic(*counts)
    return by_day


def _families(connection: sa.Connection, parts: Spans) -> dict[int, FamilySums]:
    families: dict[int, FamilySums] = {}
    sets: dict[int, list[BitMap]] = {}
    for row in _rows(connection, parts, "family"):
        sums = family_sums(row)
        sets.setdefault(row.family, []).append(sums.materials)
        sums.materials = BitMap()
        if row.family in families:
            add_family(families[row.family], sums)
        else:
            families[row.family] = sums
    for family, each in sets.items():
        families[family].materials = unite_sets(each)
    return families


def _rows(connection: sa.Connection, parts: Spans, kind: str) -> Iterable[Any]:
    for table, keys in _pieces(parts, kind):
        yield from connection.execute(table.select().where(_within(table, keys)))


def _pieces(parts: Spans, kind: str) -> Sequence[tuple[sa.Table, range]]:
    days, hours = getattr(DAY_TABLES, kind), getattr(HOUR_TABLES, kind)
    return [(table, keys) for table, keys in ((days, parts.days), *((hours, span) for span in parts.hours)) if keys]


def _within(table: sa.Table, keys: range) -> sa.ColumnElement[bool]:
    time = table.c[0]
    return sa.and_(time >= keys.start, time < keys.stop)


def _day_number() -> sa.ColumnElement[int]:
    return (HOUR_CLOSED.c.h // HOURS).label("day")


def _moment(day: int) -> datetime:
    return EPOCH + timedelta(days=day)


def _number(moment: datetime) -> int:
    return (moment - EPOCH).days
