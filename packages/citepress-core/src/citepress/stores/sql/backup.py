"""Copies the rows of one database into another, and digests them, so that a copy can be compared with its source."""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa

from citepress.stores.sql.database import Database
from citepress.stores.sql.store_tables import MIGRATION_LOCK_WAIT_S, known_tables

BATCH_ROWS = 500
"""Rows that are fetched and inserted at once."""
MODULUS = 1 << 256
UNLOGGED = "SELECT relname FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r'"


@dataclass(frozen=True, slots=True)
class TableDigest:
    """What a table holds: the number of its rows, and a digest that does not depend on their order.

    Databases sort text differently, so the digests of the rows are added up.
    """

    rows: int
    sha256: str


class RowDigest:
    """Digests rows one after the other."""

    def __init__(self, columns: Iterable[str]) -> None:
        self._columns = sorted(columns)
        self._rows = self._sum = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row; values that databases spell differently, such as true and 1, count as the same."""
        plain = [[name, _plain(row[name])] for name in self._columns]
        self._sum += int.from_bytes(hashlib.sha256(orjson.dumps(plain)).digest())
        self._rows += 1

    def result(self) -> TableDigest:
        """The digest of all rows so far."""
        return TableDigest(self._rows, f"{self._sum % MODULUS:064x}")


def copy_rows(source: Database, target: Database, tables: Sequence[sa.Table]) -> dict[str, TableDigest]:
    """Copy tables, in an order that their foreign keys allow, as they are at one moment; what was copied, by table.

    The target has the tables already, and holds all rows or none afterwards. Raises ``StoreUnavailable``.
    """
    copied = {}
    with source.snapshot(MIGRATION_LOCK_WAIT_S) as reading, target.writing(MIGRATION_LOCK_WAIT_S) as writing:
        for table in tables:
            digest = RowDigest(table.columns.keys())
            for batch in reading.execute(_all_rows(table)).mappings().partitions():
                rows = [dict(row) for row in batch]
                for row in rows:
                    digest.add(row)
                writing.execute(table.insert(), rows)
            copied[table.name] = digest.result()
            if not target.is_sqlite:
                _advance_sequence(writing, table)
    return copied


def undeclared_tables(database: Database) -> tuple[sa.Table, ...]:
    """The tables of packages that are not installed, in an order that their foreign keys allow.

    They are copied too, so that a package which was removed for a while has its rows when it is back. Unlogged tables
    of PostgreSQL are left out: they hold single requests, which are never backed up.
    """
    metadata = sa.MetaData()
    with database.reading() as connection:
        passed_over = set() if database.is_sqlite else set(connection.scalars(sa.text(UNLOGGED)))
        metadata.reflect(connection, only=lambda name, _: name not in known_tables() | passed_over)
    return tuple(metadata.sorted_tables)


def create_missing(source: Database, target: Database, tables: Sequence[sa.Table]) -> None:
    """Make the tables that an SQLite target lacks, with their triggers where the source is SQLite too."""
    with source.reading() as reading, target.writing(MIGRATION_LOCK_WAIT_S) as writing:
        present = sa.inspect(writing).get_table_names()
        for table in tables:
            if table.name in present:
                continue
            if not source.is_sqlite:
                columns = (
                    sa.Column(column.name, column.type.as_generic(), primary_key=column.primary_key)
                    for column in table.columns
                )
                sa.Table(table.name, sa.MetaData(), *columns).create(writing)
                continue
            parts = "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type != 'table'"
            for part in reading.exec_driver_sql(parts, (table.name,)).scalars():
                writing.exec_driver_sql(part)


def digest_rows(database: Database, tables: Sequence[sa.Table]) -> dict[str, TableDigest]:
    """What each table holds, by reading every row. Raises ``StoreUnavailable``."""
    digests = {}
    with database.snapshot(MIGRATION_LOCK_WAIT_S) as reading:
        for table in tables:
            digest = RowDigest(table.columns.keys())
            for row in reading.execute(_all_rows(table)).mappings():
                digest.add(dict(row))
            digests[table.name] = digest.result()
    return digests


def digest_file(path: Path, names: Iterable[str]) -> dict[str, TableDigest]:
    """Likewise from an SQLite file as it is, whatever version of citepress wrote it; tables that it lacks are left out.

    Raises ``sqlite3.Error``.
    """
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        return {name: digest for name in names if (digest := _digest_table(connection, name))}


def holds_rows(database: Database, tables: Sequence[sa.Table]) -> bool:
    """Whether any of the tables has a row. Raises ``StoreUnavailable``."""
    with database.reading() as connection:
        return any(connection.execute(sa.select(table).limit(1)).first() is not None for table in tables)


def _all_rows(table: sa.Table) -> sa.Select[Any]:
    return sa.select(table).execution_options(yield_per=BATCH_ROWS)


def _digest_table(connection: sqlite3.Connection, name: str) -> TableDigest | None:
    columns = [row["name"] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (name,))]
    if not columns:
        return None
    digest = RowDigest(columns)
    for row in _rows(connection, name):
        digest.add(row)
    return digest.result()


def _rows(connection: sqlite3.Connection, name: str) -> Iterator[Mapping[str, Any]]:
    quoted = name.replace('"', '""')
    return (dict(row) for row in connection.execute(f'SELECT * FROM "{quoted}"'))  # noqa: S608  (a quoted name)


def _advance_sequence(connection: sa.Connection, table: sa.Table) -> None:
    """Let the numbers that PostgreSQL assigns continue behind those that were copied."""
    column = table.autoincrement_column
    if column is None or column.default is not None:
        return
    sequence = connection.scalar(sa.select(sa.func.pg_get_serial_sequence(table.name, column.name)))
    last = connection.scalar(sa.select(sa.func.max(column)))
    if sequence and last:
        connection.execute(sa.select(sa.func.setval(sequence, last)))


def _plain(value: Any) -> Any:  # noqa: ANN401  (what a column may hold)
    if isinstance(value, bytes | memoryview | bytearray):
        return f"x{bytes(value).hex()}"
    return int(value) if isinstance(value, bool) else value
