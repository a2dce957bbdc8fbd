"""The rollups of telemetry in a database: closed hours, one transaction each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
import sqlalchemy as sa

from citepress.stores.sql.database import Database
from citepress_telemetry.model import FIRST, CarryOver, Closed, Day, Hour, Imported, Pair, ReadKey, Reads
from citepress_telemetry.sql.open_state import read_open, write_open
from citepress_telemetry.sql.rollup_reading import (
    GATEWAY,
    closed_of,
    read_closed,
    read_daily,
    read_days,
    read_months,
    read_window,
)
from citepress_telemetry.sql.rollup_tables import (
    DAY_TABLES,
    HOUR_CLOSED,
    HOUR_TABLES,
    IMPORT_CURSOR,
    PAIR_DAY,
    READ_HOUR,
    READ_TOTAL,
)
from citepress_telemetry.sql.rollup_writing import write_hours, write_pairs
from citepress_telemetry.sql.upsert import upsert
from citepress_telemetry.sums.pairs import merge_pairs
from citepress_telemetry.sums.windows import HOURS, add_counts, day_of

KEEP_HOURS, KEEP_READS, KEEP_DAYS = 31 * HOURS, 48, 400
"""Retention: hours, hours of readership, days."""
ROLLUPS_LOCK = b"telemetry rollups"
"""Writers of rollups take turns: an import and the aggregator add to the same days."""
HOUR_TIMEOUT_S = 60.0
"""Seconds that a statement may take: an hour of millions of events is written in one transaction."""
NAME_LENGTH = 100
"""Characters of a gateway name; names come from closed lists."""


class SqlRollups:
    """Counts of closed hours in a migrated database.

    One transaction an hour, so that a crash neither loses nor repeats counts.
    """

    def __init__(self, database: Database) -> None:
        """``database`` has the tables of the rollup history."""
        self._database = database

    def last_closed(self, *, live: bool = False) -> Closed | None:
        """The newest closed hour; with ``live`` the newest that was not imported."""
        return self._closed(HOUR_CLOSED.c.h.desc(), *([sa.not_(HOUR_CLOSED.c.imported)] if live else []))

    def first_closed(self) -> Closed | None:
        """The oldest closed hour."""
        return self._closed(HOUR_CLOSED.c.h)

    def closed(self, first: int, end: int) -> Sequence[Closed]:
        """Cursor rows of the hours in ``[first, end)``, in order."""
        with self._database.reading() as connection:
            return read_closed(connection, first, end)

    def open_state(self) -> CarryOver:
        """What the newest closed hour carried over."""
        with self._database.reading() as connection:
            return read_open(connection)

    def close(self, cursor: Closed, rows: Hour, after: CarryOver, pairs: Sequence[Pair] = ()) -> bool:
        """Write an hour, its open state and its cursor in one transaction, and with ``pairs`` those of its day.

        Returns False and writes nothing if the hour was closed already. Counters are the cursor's, or else those of
        ``rows``. Raises ``StoreUnavailable``.
        """
        counted = replace(cursor, counts=cursor.counts or rows.counts)
        with self._database.writing(HOUR_TIMEOUT_S) as connection:
            self._database.lock(connection, ROLLUPS_LOCK)
            if _stored(connection, cursor.hour) is not None:
                return False
            connection.execute(HOUR_CLOSED.insert().values(_cursor_row(counted)))
            write_hours(connection, {cursor.hour: _with_gateway(rows, counted.counts)}, fresh=frozenset({cursor.hour}))
            write_open(connection, after)
            if pairs:
                write_pairs(connection, day_of(cursor.hour), pairs)
        return True

    def close_imported(
        self,
        cursor: Closed,
        rows: Hour,
        files: Sequence[Imported],
        pairs: Sequence[Pair] = (),
        late: Sequence[tuple[Closed, Hour]] = (),
    ) -> bool:
        """Write or add to an imported hour, and the position reached in its files, in one transaction.

        Rows are added to an hour that was imported before; an hour that was closed live without being observed becomes
        an imported one. Returns False and writes nothing if the hour was observed live. ``pairs`` (of a whole day) may
        come with any hour of the day. ``late`` are lines of other hours that arrived after their hour was written;
        those of hours observed live are skipped.
        """
        return not self.close_imports([(cursor, rows, pairs)], files, late)

    def close_imports(
        self,
        hours: Sequence[tuple[Closed, Hour, Sequence[Pair]]],
        files: Sequence[Imported],
        late: Sequence[tuple[Closed, Hour]] = (),
    ) -> frozenset[int]:
        """Write or add to several imported hours in one transaction; see ``close_imported``.

        Returns the hours that were observed live. If there are any, nothing is written.
        """
        with self._database.writing(HOUR_TIMEOUT_S) as connection:
            self._database.lock(connection, ROLLUPS_LOCK)
            numbers = {cursor.hour for cursor, _, _ in hours}
            closed = {
                stored.hour: stored
                for stored in read_closed(connection, min(numbers), max(numbers) + 1)
                if stored.hour in numbers
            }
            # An import must not add to an hour that was observed live, or requests would count twice.
            refused = frozenset(hour for hour, stored in closed.items() if _live(stored))
            if refused:
                return refused
            _take_imported(connection, [(cursor, rows) for cursor, rows, _ in hours], closed)
            for other, more in late:
                stored = _stored(connection, other.hour)
                if stored is None or not _live(stored):
                    _take_imported(connection, [(other, more)], {other.hour: stored} if stored else {})
            for cursor, _, pairs in hours:
                if pairs:
                    write_pairs(connection, day_of(cursor.hour), pairs)
            upsert(connection, IMPORT_CURSOR, [_import_row(file) for file in files])
        return frozenset()

    def imported(self, head: bytes) -> Imported | None:
        """The position reached in the file with this head."""
        with self._database.reading() as connection:
            row = connection.execute(IMPORT_CURSOR.select().where(IMPORT_CURSOR.c.head == head)).first()
        return None if row is None else Imported(*row)

    def imports(self) -> Sequence[Imported]:
        """The positions reached in all files."""
        with self._database.reading() as connection:
            return [Imported(*row) for row in connection.execute(IMPORT_CURSOR.select().order_by(IMPORT_CURSOR.c.head))]

    def add(self, hour: int, rows: Hour, last_row: int, *, after: int, observed_seconds: int = 0) -> bool:
        """Add late rows to a closed hour (counts, bitmaps, readership).

        ``after`` is the row after which they were read: returns False and writes nothing if that is no longer the
        hour's last row. ``observed_seconds`` replaces a smaller value. Raises ``LookupError`` for an hour that is not
        closed.
        """
        with self._database.writing(HOUR_TIMEOUT_S) as connection:
            self._database.lock(connection, ROLLUPS_LOCK)
            closed = _stored(connection, hour)
            if closed is None:
                raise LookupError(f"hour {hour} is not closed")
            if closed.last_row != after:
                return False
            count = sum(traffic.n for traffic in rows.traffic.values())
            more = _added(closed, count, rows.counts, max(closed.observed_seconds, observed_seconds))
            _update_cursor(connection, replace(more, last_row=last_row))
            write_hours(connection, {hour: _with_gateway(rows, rows.counts)}, fresh=frozenset())
        return True

    def window(self, first: int, end: int) -> Hour:
        """The sums of the hours in ``[first, end)``, without reads; whole days come from the day tables."""
        with self._database.reading() as connection:
            return read_window(connection, first, end)

    def reads(self, first: int, end: int) -> Mapping[ReadKey, Reads]:
        """Readership of at most 48 hours back."""
        keys = [READ_HOUR.c[name] for name in ReadKey._fields]
        sums = [sa.cast(sa.func.sum(READ_HOUR.c[name]), sa.BigInteger) for name in ("n", "n304")]
        ends = [sa.func.min(READ_HOUR.c.h), sa.func.max(READ_HOUR.c.h)]
        query = sa.select(*keys, *sums, *ends).where(READ_HOUR.c.h >= first, READ_HOUR.c.h < end).group_by(*keys)
        return self._reads(query)

    def read_totals(self) -> Mapping[ReadKey, Reads]:
        """Readership since the beginning, the open day included."""
        return self._reads(READ_TOTAL.select())

    def pairs(self, first_day: int, end_day: int) -> Sequence[Pair]:
        """Pairs of whole days, summed by family and materials, without the rows of the rest."""
        query = PAIR_DAY.select().where(PAIR_DAY.c.d >= first_day, PAIR_DAY.c.d < end_day)
        days: dict[int, list[Pair]] = {}
        with self._database.reading() as connection:
            for day, *pair in connection.execute(query):
                days.setdefault(day, []).append(Pair(*pair))
        return [pair for pair in merge_pairs(*days.values()) if not pair.rest]

    def days(self, count: int) -> Sequence[Day]:
        """The newest ``count`` days that were observed, oldest first, the open day last."""
        with self._database.reading() as connection:
            return read_days(connection, count)

    def daily(self, first_day: int, end_day: int) -> Mapping[int, Mapping[int, int]]:
        """Requests by family of each day in ``[first_day, end_day)`` that has any, the open day included."""
        with self._database.reading() as connection:
            return read_daily(connection, first_day, end_day)

    def months(self) -> Sequence[tuple[str, Day]]:
        """Whole months since the beginning (``2026-11``), oldest first."""
        with self._database.reading() as connection:
            return read_months(connection)

    def forget(self, hour: int) -> None:
        """Delete what is past its retention: hours after 31 d, readership hours after 48 h, day tables after 400 d."""
        # The traffic of a day is the history of years, and small; it is never deleted.
        days = (PAIR_DAY, *(table for table in DAY_TABLES if table is not DAY_TABLES.traffic))
        with self._database.writing(HOUR_TIMEOUT_S) as connection:
            self._database.lock(connection, ROLLUPS_LOCK)
            for tables, before in (
                (HOUR_TABLES, hour - KEEP_HOURS),
                ((READ_HOUR,), hour - KEEP_READS),
                (days, day_of(hour) - KEEP_DAYS),
            ):
                for table in tables:
                    connection.execute(table.delete().where(table.c[0] < before))

    def _closed(self, order: sa.ColumnElement[Any], *where: sa.ColumnElement[bool]) -> Closed | None:
        with self._database.reading() as connection:
            row = connection.execute(HOUR_CLOSED.select().where(*where).order_by(order).limit(1)).first()
        return None if row is None else closed_of(row)

    def _reads(self, query: sa.Select[Any]) -> Mapping[ReadKey, Reads]:
        with self._database.reading() as connection:
            return {ReadKey(*row[:4]): Reads(*row[4:]) for row in connection.execute(query)}


def _stored(connection: sa.Connection, hour: int) -> Closed | None:
    row = connection.execute(HOUR_CLOSED.select().where(HOUR_CLOSED.c.h == hour)).first()
    return None if row is None else closed_of(row)


def _live(cursor: Closed) -> bool:
    """Whether the service itself observed a closed hour."""
    return not cursor.imported and bool(cursor.observed_seconds or cursor.rows)


def _take_imported(
    connection: sa.Connection, hours: Sequence[tuple[Closed, Hour]], closed: Mapping[int, Closed]
) -> None:
    """Write imported hours, or add to stored ones; none of them was observed live."""
    fresh = [_cursor_row(replace(cursor, imported=True)) for cursor, _ in hours if cursor.hour not in closed]
    if fresh:
        connection.execute(HOUR_CLOSED.insert(), fresh)
    for cursor, _ in hours:
        if (stored := closed.get(cursor.hour)) is not None:
            _update_cursor(connection, _joined(stored, cursor))
    rollups = {cursor.hour: _with_gateway(rows, cursor.counts) for cursor, rows in hours}
    write_hours(connection, rollups, fresh=frozenset(rollups.keys() - closed.keys()))


def _joined(closed: Closed, cursor: Closed) -> Closed:
    """The cursor of an hour to which an import adds."""
    joined = _added(closed, cursor.rows, cursor.counts, max(closed.observed_seconds, cursor.observed_seconds))
    counts = {name: n for name, n in joined.counts.items() if name != FIRST}
    if first := _first(closed, cursor):
        counts[FIRST] = first
    return replace(
        joined, counts=counts, imported=True, classifier=closed.classifier if closed.imported else cursor.classifier
    )


def _first(closed: Closed, cursor: Closed) -> int:
    """When observation began in an imported hour that is added to; late lines do not change it."""
    before, now = closed.counts.get(FIRST, 0), cursor.counts.get(FIRST, 0)
    if not cursor.observed_seconds:
        return before
    return min(before, now) if closed.imported else now


def _added(closed: Closed, rows: int, counts: Mapping[str, int], observed_seconds: int) -> Closed:
    total = dict(closed.counts)
    add_counts(total, {name: n for name, n in counts.items() if name != FIRST})
    return replace(closed, rows=closed.rows + rows, counts=total, observed_seconds=observed_seconds)


def _update_cursor(connection: sa.Connection, cursor: Closed) -> None:
    connection.execute(HOUR_CLOSED.update().where(HOUR_CLOSED.c.h == cursor.hour).values(_cursor_row(cursor)))


def _cursor_row(cursor: Closed) -> dict[str, Any]:
    names = ("rows", "last_row", "observed_seconds", "imported", "classifier")
    return {
        "h": cursor.hour,
        "counts": orjson.dumps(dict(cursor.counts)).decode(),
        **{name: getattr(cursor, name) for name in names},
    }


def _import_row(file: Imported) -> tuple[Any, ...]:
    return tuple(getattr(file, column.name) for column in IMPORT_CURSOR.c)


def _with_gateway(rows: Hour, counts: Mapping[str, int]) -> Hour:
    """The rollups with the gateway's counters as rows, unless they have them already."""
    if rows.gateway:
        return rows
    gateway: dict[tuple[str, str, str], int] = {}
    for key, n in counts.items():
        if key.startswith(GATEWAY):
            area, _, rest = key.removeprefix(GATEWAY).partition("/")
            name, _, outcome = rest.rpartition("/")
            add_counts(gateway, {(area[:NAME_LENGTH], name[:NAME_LENGTH], outcome[:NAME_LENGTH]): n})
    return replace(rows, gateway=gateway) if gateway else rows
