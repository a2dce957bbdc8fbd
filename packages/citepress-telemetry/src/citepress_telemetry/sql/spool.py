"""The spool in a database: disposable raw rows of three days, in a file or in unlogged tables."""

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from citepress.contract.store import StoreUnavailable
from citepress.stores.sql.database import Database, open_postgresql, open_sqlite
from citepress_telemetry.ports import SpoolEmptied, SpoolRow
from citepress_telemetry.sql.spool_base import OWN, SALT_BYTES, SALT_DAYS, SPOOL_COLUMNS, SqlSpool, table_of

SPOOL_FILE = "spool.sqlite"
"""Name of the SQLite file in the state folder, separate from permanent data."""
TOGETHER = 100
"""Rows of one SQLite statement."""
SPOOL_LOCK = b"spool"
"""With the hour: the lock under which PostgreSQL's writers take turns."""


class SqliteSpool(SqlSpool):
    """In a file of its own that is not synced: a power cut may cost the last moments."""

    row_id = "integer PRIMARY KEY"
    blob = "blob"

    def __init__(self, database: Database) -> None:
        """Raises ``StoreUnavailable``."""
        sa.event.listen(database.engine, "connect", _unsynced)
        super().__init__(database)

    def size(self) -> int:
        """Bytes in use, without free pages."""
        with self.reading() as connection:
            pages, free, each = (
                int(connection.scalar(sa.text(f"PRAGMA {name}")) or 0)
                for name in ("page_count", "freelist_count", "page_size")
            )
        return (pages - free) * each

    def _names(self, connection: sa.Connection) -> Iterable[str]:
        return connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars()

    def _streaming(self, connection: sa.Connection) -> Any:  # noqa: ANN401  (a driver's cursor)
        """Every SQLite cursor streams."""
        raw: Any = connection.connection.driver_connection
        return raw.cursor()

    def _insert(self, connection: sa.Connection, hour: int, rows: Sequence[SpoolRow]) -> None:
        # Many rows in one statement: each statement releases the GIL, and regaining it costs more than inserting a row.
        names, marks = ", ".join(SPOOL_COLUMNS), f"({', '.join('?' * len(SPOOL_COLUMNS))})"
        for start in range(0, len(rows), TOGETHER):
            some = rows[start : start + TOGETHER]
            values = tuple(chain.from_iterable(row[1:] for row in some))
            statement = f"INSERT INTO {table_of(hour)} ({names}) VALUES {', '.join([marks] * len(some))}"  # noqa: S608
            connection.exec_driver_sql(statement, values)

    def _forget(self, connection: sa.Connection, before_day: int) -> None:
        """In place, with ``secure_delete``; an empty value records that there was a salt."""
        connection.execute(
            sa.text("UPDATE spool_salt SET value = zeroblob(:n) WHERE day < :day"), {"n": SALT_BYTES, "day": before_day}
        )
        connection.execute(sa.text("UPDATE spool_salt SET value = x'' WHERE day < :day"), {"day": before_day})
        connection.execute(sa.text("DELETE FROM spool_salt WHERE day < :day"), {"day": before_day - SALT_DAYS})

    def _wipe(self) -> None:
        """Empty the write-ahead log, which has the old page. Raises ``StoreUnavailable`` while it is being read."""
        with self.translated_errors(), self.database.engine.connect() as connection:
            raw = connection.connection.driver_connection
            busy = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] if raw else 1
        if busy:
            raise StoreUnavailable("the spool's log is being read and could not be emptied")


class PostgresqlSpool(SqlSpool):
    """In unlogged tables: they are not replicated, and a crash empties them."""

    row_id = "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    blob = "bytea"
    unlogged = "UNLOGGED"
    emptied = "TRUNCATE {}"

    def _same(self, connection: sa.Connection) -> None:
        """A crash of the server empties unlogged tables, and with them the token."""
        if connection.scalar(sa.text("SELECT token FROM spool_format")) != self.token:
            raise SpoolEmptied("the spool was emptied")

    def size(self) -> int:
        """Bytes of the tables."""
        names = [*OWN]
        with self.reading() as connection:
            names += map(table_of, self.tables(connection))
            query = sa.text(
                "SELECT coalesce(sum(pg_total_relation_size(to_regclass(name))), 0) FROM unnest(CAST(:names AS text[]))"
                " AS name"
            )
            return int(connection.scalar(query, {"names": names}))

    def _create_table(self, connection: sa.Connection, hour: int) -> None:
        # Writers of one hour take turns: ids become visible in order, so no late row hides behind a reader's last id.
        self.database.lock(connection, SPOOL_LOCK + hour.to_bytes(3))
        super()._create_table(connection, hour)

    def _names(self, connection: sa.Connection) -> Iterable[str]:
        return sa.inspect(connection).get_table_names()

    def _streaming(self, connection: sa.Connection) -> Any:  # noqa: ANN401  (a driver's cursor)
        """A server-side cursor."""
        raw: Any = connection.connection.driver_connection
        return raw.cursor(name="spool")

    def _insert(self, connection: sa.Connection, hour: int, rows: Sequence[SpoolRow]) -> None:
        raw: Any = connection.connection.driver_connection
        with (
            raw.cursor() as cursor,
            cursor.copy(f"COPY {table_of(hour)} ({', '.join(SPOOL_COLUMNS)}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row[1:])

    def _forget(self, connection: sa.Connection, before_day: int) -> None:
        """By rewriting the table: its old file, with every dead row, is deleted when the transaction ends."""
        salts = list(
            connection.execute(
                sa.text("SELECT day, value FROM spool_salt WHERE day >= :day"), {"day": before_day - SALT_DAYS}
            )
        )
        connection.execute(sa.text("TRUNCATE spool_salt"))
        rows = [{"day": day, "value": bytes(value) if day >= before_day else b""} for day, value in salts]
        if rows:
            connection.execute(sa.text("INSERT INTO spool_salt (day, value) VALUES (:day, :value)"), rows)

    def _wipe(self) -> None:
        """Nothing to do: unlogged tables have no log."""


def open_spool(state: Path, address: str | None = None) -> SqlSpool:
    """The spool of this run: in PostgreSQL at an address, or else in a file of its own.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    return PostgresqlSpool(open_postgresql(address)) if address else SqliteSpool(open_sqlite(state / SPOOL_FILE))


def _unsynced(connection: Any, _record: object) -> None:  # noqa: ANN401  (a driver's connection)
    for setting in ("synchronous=NORMAL", "secure_delete=ON"):
        connection.execute(f"PRAGMA {setting}").close()
