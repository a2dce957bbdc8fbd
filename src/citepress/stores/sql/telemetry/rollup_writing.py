"""Writing the rollups of an hour: into the tables of the hour and of its day, so that a day is the sum of its hours at any time."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from pyroaring import BitMap

from citepress.stores.sql.telemetry.packing import packed_counters, packed_counts, unpack_counters, unpacked_counts
from citepress.stores.sql.telemetry.rollup_tables import (
    FAMILY_DAY,
    FAMILY_HOUR,
    GATEWAY_DAY,
    GATEWAY_HOUR,
    PAIR_DAY,
    PATH_DAY,
    PATH_HOUR,
    PROBE_DAY,
    PROBE_HOUR,
    READ_HOUR,
    READ_TOTAL,
    REFERRAL_DAY,
    REFERRAL_HOUR,
    TRAFFIC_DAY,
    TRAFFIC_HOUR,
)
from citepress.stores.sql.telemetry.upsert import upsert, upsert_selected
from citepress.telemetry.ports import CLASSES, FamilySums, Hour, Pair, PathSums, ReadKey
from citepress.telemetry.rollup.pairs import merged
from citepress.telemetry.rollup.windows import add_family, add_hour, add_paths, day_of

SUMS = ("n", "ok", "bytes", "sessions", "cut", "robots_only", "bursts", "depth_sum", "depth_max")


def write_hours(connection: sa.Connection, hours: Mapping[int, Hour], *, fresh: frozenset[int]) -> None:
    """Add rollups to hours and their days; hours that are ``fresh`` hold nothing yet. A day takes all of its hours at once."""
    days: dict[int, Hour] = {}
    for hour, rows in hours.items():
        if len(hours) == 1:
            days[day_of(hour)] = rows
        else:
            add_hour(days.setdefault(day_of(hour), Hour()), rows)
    for found, tables in ((hours, _HOURS), (days, _DAYS)):
        traffic, family, path, probe, referral, gateway = tables
        known = fresh if tables is _HOURS else frozenset[int]()
        upsert(connection, traffic, [row for key, rows in sorted(found.items()) for row in _traffic(key, rows)])
        upsert(
            connection,
            family,
            [row for key, rows in sorted(found.items()) for row in _families(connection, family, key, rows.families, fresh=key in known)],
        )
        upsert(
            connection,
            path,
            [row for key, rows in sorted(found.items()) for row in _paths(connection, path, key, rows.paths, fresh=key in known)],
        )
        upsert(
            connection, probe, [(key, category, n) for key, rows in sorted(found.items()) for category, n in sorted(rows.probes.items())]
        )
        upsert(
            connection,
            referral,
            [(key, operator, n) for key, rows in sorted(found.items()) for operator, n in sorted(rows.referrals.items())],
        )
        upsert(connection, gateway, [(key, *names, n) for key, rows in sorted(found.items()) for names, n in sorted(rows.gateway.items())])
    _write_reads(connection, hours, days, fresh=fresh)


def write_pairs(connection: sa.Connection, day: int, pairs: Iterable[Pair]) -> None:
    """Add pairs to those of a day, with bounds that hold for the sums."""
    known = sa.select(*list(PAIR_DAY.c)[1:]).where(PAIR_DAY.c.d == day)
    stand = [Pair(*row) for row in connection.execute(known)]
    upsert(connection, PAIR_DAY, [(day, *pair) for pair in sorted(merged(stand, pairs))])


def family_sums(row: Any) -> FamilySums:  # noqa: ANN401  (a row of either family table)
    """A family's counts from its row."""
    _, _, n, ok, size, sessions, cut, robots_only, bursts, depth_sum, depth_max, counters, materials = row
    sums = FamilySums(
        n=n, ok=ok, bytes=size, sessions=sessions, cut=cut, robots_only=robots_only, bursts=bursts, depth_sum=depth_sum, depth_max=depth_max,
        materials=BitMap.deserialize(materials),
    )  # fmt: skip
    unpack_counters(counters, sums)
    return sums


def _traffic(key: int, rows: Hour) -> list[tuple[Any, ...]]:
    places = {name: place for place, name in enumerate(CLASSES)}
    return sorted((key, places[k.cls], *k[1:], traffic.n, traffic.ok, traffic.n304, traffic.bytes) for k, traffic in rows.traffic.items())


def _families(
    connection: sa.Connection, table: sa.Table, key: int, families: Mapping[int, FamilySums], *, fresh: bool
) -> Iterator[tuple[Any, ...]]:
    stand = {} if fresh or not families else {row.family: row for row in connection.execute(table.select().where(table.c[0] == key))}
    for family, sums in sorted(families.items()):
        if family in stand:
            total = family_sums(stand[family])
            add_family(total, sums)
        else:
            total = sums
        yield (key, family, *(getattr(total, name) for name in SUMS), packed_counters(total), total.materials.serialize())


def _paths(
    connection: sa.Connection, table: sa.Table, key: int, paths: Mapping[int, PathSums], *, fresh: bool
) -> Iterator[tuple[Any, ...]]:
    stand = {} if fresh or not paths else {row.family: row for row in connection.execute(table.select().where(table.c[0] == key))}
    for family, sums in sorted(paths.items()):
        total = sums
        if row := stand.get(family):
            total = PathSums(unpacked_counts(row.steps), unpacked_counts(row.edges))
            add_paths(total, sums)
        yield (key, family, packed_counts(total.steps), packed_counts(total.edges))


def _write_reads(connection: sa.Connection, hours: Mapping[int, Hour], days: Mapping[int, Hour], *, fresh: frozenset[int]) -> None:
    for hour, rows in sorted(hours.items()):
        upsert(connection, READ_HOUR, [(hour, *key, rows.reads[key].n, rows.reads[key].n304) for key in sorted(rows.reads, key=_place)])
    (single, *others) = hours
    if not others and single in fresh:  # the database adds them faster by itself
        columns = [column for column in READ_HOUR.c if column.name != "h"]
        of_hour = sa.select(*columns, READ_HOUR.c.h.label("first_h"), READ_HOUR.c.h.label("last_h")).where(READ_HOUR.c.h == single)
        upsert_selected(connection, READ_TOTAL, of_hour)
        return
    for rows in days.values():
        found = [(*key, rows.reads[key]) for key in sorted(rows.reads, key=_place)]
        upsert(
            connection,
            READ_TOTAL,
            [(*key, one.n, one.n304, *((one.first, one.last) if others else (single, single))) for *key, one in found],
        )


def _place(key: ReadKey) -> int:
    """The order of the primary key as one number, which sorts faster than tuples."""
    return key[0] << 40 | key[1] << 16 | key[2] << 8 | key[3]


_HOURS = (TRAFFIC_HOUR, FAMILY_HOUR, PATH_HOUR, PROBE_HOUR, REFERRAL_HOUR, GATEWAY_HOUR)
_DAYS = (TRAFFIC_DAY, FAMILY_DAY, PATH_DAY, PROBE_DAY, REFERRAL_DAY, GATEWAY_DAY)
