"""Writing the rollups of an hour into the tables of the hour and of its day: a day is always the sum of its hours."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from pyroaring import BitMap

from citepress_telemetry.contract.words import TrafficClass
from citepress_telemetry.model import FamilySums, Hour, Pair, PathSums, ReadKey
from citepress_telemetry.sql.packing import packed_counters, packed_counts, unpack_counters, unpacked_counts
from citepress_telemetry.sql.rollup_tables import DAY_TABLES, HOUR_TABLES, PAIR_DAY, READ_HOUR, READ_TOTAL, PeriodTables
from citepress_telemetry.sql.upsert import upsert, upsert_selected
from citepress_telemetry.sums.pairs import merge_pairs
from citepress_telemetry.sums.windows import add_family, add_hour, add_paths, day_of

Row = tuple[Any, ...]
CLASS_NUMBERS = TrafficClass.numbers()
SUMS = ("n", "ok", "bytes", "sessions", "cut", "robots_only", "bursts", "depth_sum", "depth_max")


def write_hours(connection: sa.Connection, hours: Mapping[int, Hour], *, fresh: frozenset[int]) -> None:
    """Add rollups to hours and their days; hours that are ``fresh`` hold nothing yet.

    A day takes all of its hours at once.
    """
    days: dict[int, Hour] = {}
    for hour, rollups in hours.items():
        if len(hours) == 1:
            days[day_of(hour)] = rollups
        else:
            add_hour(days.setdefault(day_of(hour), Hour()), rollups)
    _write_sums(connection, HOUR_TABLES, hours, fresh)
    _write_sums(connection, DAY_TABLES, days, frozenset())
    _write_reads(connection, hours, days, fresh=fresh)


def _write_sums(
    connection: sa.Connection, tables: PeriodTables, rollups: Mapping[int, Hour], fresh: frozenset[int]
) -> None:
    """Add rollups, by hour or by day, to their tables; readership is written apart."""
    # Sorted by key: the order in which the tables store their rows.
    ordered = sorted(rollups.items())
    traffic, families, paths = list[Row](), list[Row](), list[Row]()
    probes, referrals, gateway = list[Row](), list[Row](), list[Row]()
    for key, sums in ordered:
        traffic += _traffic(key, sums)
        families += _families(connection, tables.family, key, sums.families, fresh=key in fresh)
        paths += _paths(connection, tables.path, key, sums.paths, fresh=key in fresh)
        probes += [(key, category, n) for category, n in sorted(sums.probes.items())]
        referrals += [(key, operator, n) for operator, n in sorted(sums.referrals.items())]
        gateway += [(key, *names, n) for names, n in sorted(sums.gateway.items())]
    for table, rows in zip(tables, (traffic, families, paths, probes, referrals, gateway), strict=True):
        upsert(connection, table, rows)


def write_pairs(connection: sa.Connection, day: int, pairs: Iterable[Pair]) -> None:
    """Add pairs to those of a day; the bounds hold for the sums."""
    query = sa.select(*list(PAIR_DAY.c)[1:]).where(PAIR_DAY.c.d == day)
    existing = [Pair(*row) for row in connection.execute(query)]
    upsert(connection, PAIR_DAY, [(day, *pair) for pair in sorted(merge_pairs(existing, pairs))])


def family_sums(row: Any) -> FamilySums:  # noqa: ANN401  (a row of either family table)
    """A family's counts from its row."""
    _, _, *counts, counters, materials = row
    sums = FamilySums(**dict(zip(SUMS, counts, strict=True)), materials=BitMap.deserialize(materials))
    unpack_counters(counters, sums)
    return sums


def _traffic(key: int, rows: Hour) -> list[tuple[Any, ...]]:
    return sorted(
        (key, CLASS_NUMBERS[k.cls], *k[1:], traffic.n, traffic.ok, traffic.n304, traffic.bytes)
        for k, traffic in rows.traffic.items()
    )


def _families(
    connection: sa.Connection, table: sa.Table, key: int, families: Mapping[int, FamilySums], *, fresh: bool
) -> Iterator[tuple[Any, ...]]:
    existing = {} if fresh or not families else _rows_by_family(connection, table, key)
    for family, sums in sorted(families.items()):
        if family in existing:
            total = family_sums(existing[family])
            add_family(total, sums)
        else:
            total = sums
        yield (
            key,
            family,
            *(getattr(total, name) for name in SUMS),
            packed_counters(total),
            total.materials.serialize(),
        )


def _rows_by_family(connection: sa.Connection, table: sa.Table, key: int) -> dict[int, sa.Row[Any]]:
    return {row.family: row for row in connection.execute(table.select().where(table.c[0] == key))}


def _paths(
    connection: sa.Connection, table: sa.Table, key: int, paths: Mapping[int, PathSums], *, fresh: bool
) -> Iterator[tuple[Any, ...]]:
    existing = {} if fresh or not paths else _rows_by_family(connection, table, key)
    for family, sums in sorted(paths.items()):
        total = sums
        if row := existing.get(family):
            total = PathSums(unpacked_counts(row.steps), unpacked_counts(row.edges))
            add_paths(total, sums)
        yield (key, family, packed_counts(total.steps), packed_counts(total.edges))


def _write_reads(
    connection: sa.Connection, hours: Mapping[int, Hour], days: Mapping[int, Hour], *, fresh: frozenset[int]
) -> None:
    for hour, rows in sorted(hours.items()):
        upsert(
            connection,
            READ_HOUR,
            [(hour, *key, rows.reads[key].n, rows.reads[key].n304) for key in sorted(rows.reads, key=_place)],
        )
    single, *others = hours
    if not others and single in fresh:  # the database adds them faster itself
        columns = [column for column in READ_HOUR.c if column.name != "h"]
        of_hour = sa.select(*columns, READ_HOUR.c.h.label("first_h"), READ_HOUR.c.h.label("last_h")).where(
            READ_HOUR.c.h == single
        )
        upsert_selected(connection, READ_TOTAL, of_hour)
        return
    for rows in days.values():
        read_rows = [(*key, rows.reads[key]) for key in sorted(rows.reads, key=_place)]
        upsert(
            connection,
            READ_TOTAL,
            [
                (*key, reads.n, reads.n304, *((reads.first, reads.last) if others else (single, single)))
                for *key, reads in read_rows
            ],
        )


def _place(key: ReadKey) -> int:
    """The primary key as one number, which sorts faster than a tuple."""
    return key[0] << 40 | key[1] << 16 | key[2] << 8 | key[3]
