"""The tables that the core and extensions own in databases: the file of each, its migrations and its metrics."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import sqlalchemy as sa

from citepress.extension import Reference, joined
from citepress.stores.sql.database import STATE_FILE, Database

if TYPE_CHECKING:  # commands that measure nothing do without
    from citepress.base.prometheus import MetricFamily

MIGRATION_LOCK_WAIT_S = 300.0
"""Seconds that a migration may take, and that other processes wait for it."""


@dataclass(frozen=True, slots=True)
class MigrationHistory:
    """Migrations of one set of tables; several histories share a database."""

    path: Path
    """The folder that has them in ``versions``."""
    table: str
    """Table that stores the database's current revision."""
    adopts: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Revisions that another history made before this one began: each by the ``table.column`` that shows it, in order.

    They are stamped, so that tables with rows are not created again."""


@dataclass(frozen=True, slots=True)
class StoreTables:
    """Tables of one owner in one database."""

    file: str
    """SQLite file in the state folder; where a PostgreSQL address is set, it holds the tables of every file."""
    history: MigrationHistory
    tables: Reference
    """Their SQLAlchemy ``MetaData``, which is loaded when they are copied."""
    made_again: Collection[str] = ()
    """Names of tables that a backup leaves out."""
    metrics: Reference = ""
    """A function ``(Database) -> list[MetricFamily]``; it may raise ``StoreUnavailable``."""

    def metadata(self) -> sa.MetaData:
        """The tables."""
        metadata: sa.MetaData = resolve_name(self.tables)
        return metadata

    def copied(self) -> tuple[sa.Table, ...]:
        """The tables that a backup has, in an order that their foreign keys allow."""
        return tuple(table for table in self.metadata().sorted_tables if table.name not in self.made_again)

    def measured(self, database: Database) -> "list[MetricFamily]":
        """The metrics of the tables. Raises ``StoreUnavailable``."""
        families: list[MetricFamily] = resolve_name(self.metrics)(database) if self.metrics else []
        return families


HERE = Path(__file__).parent
CORE = (
    StoreTables(
        STATE_FILE, MigrationHistory(HERE / "migrations", "alembic_version"), "citepress.stores.sql.tables:METADATA"
    ),
)


def _claims(store: StoreTables) -> Iterator[str]:
    return iter((store.history.table,))


@cache
def declared_stores() -> Mapping[str, tuple[StoreTables, ...]]:
    """The tables of the core and of every extension, by file. Raises ``ExtensionError``."""
    files: dict[str, tuple[StoreTables, ...]] = {}
    for store in joined("stores", StoreTables, CORE, _claims):
        files[store.file] = (*files.get(store.file, ()), store)
    return files


@cache
def known_tables() -> frozenset[str]:
    """The names of all tables that are declared, and of those that store revisions. Raises ``ExtensionError``."""
    owned = [store for of_file in declared_stores().values() for store in of_file]
    return frozenset().union(*(store.metadata().tables for store in owned), (store.history.table for store in owned))
