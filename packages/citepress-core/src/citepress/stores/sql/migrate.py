"""Migrates a database to the tables of this version; safe when several processes start at once."""

import re
from importlib import import_module
from pathlib import Path

import sqlalchemy as sa

from citepress.base.restore_mark import refuse_unfinished
from citepress.stores.sql.database import STATE_FILE, Database, DatabaseError, open_postgresql, open_sqlite
from citepress.stores.sql.store_tables import MigrationHistory, declared_stores

_REVISION = re.compile('^revision = "(.*)"$', re.MULTILINE)


def open_store(state: Path, address: str | None = None) -> Database:
    """The state store with the tables of this version: PostgreSQL at an address, or else a file in the state folder.

    Raises ``DatabaseError``, ``StoreUnavailable`` and ``UnfinishedRestoreError``.
    """
    refuse_unfinished(state)
    return open_tables(STATE_FILE, state, address)


def store_exists(state: Path, address: str | None = None) -> bool:
    """Whether there is a state store in the folder; at an address there is one as soon as it is opened."""
    return bool(address) or (state / STATE_FILE).is_file()


def open_existing_store(state: Path, address: str | None = None) -> Database:
    """The state store, if it exists; it is not created.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    if not store_exists(state, address):
        raise DatabaseError(
            f"there is no {STATE_FILE} in {state}: the server creates it at its first start; name its folder with"
            " --state"
        )
    return open_store(state, address)


def open_tables(file: str, state: Path, address: str | None = None) -> Database:
    """The database with the tables that are declared for this file, or with none of them where nothing declares it.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    database = open_postgresql(address) if address else open_sqlite(state / file)
    migrate(database, file)
    return database


def migrate(database: Database, file: str = STATE_FILE) -> None:
    """Run the outstanding migrations of a file's tables, all or none; of two processes the second waits for the first.

    Raises ``DatabaseError`` for a database of a newer version, and ``StoreUnavailable``.
    """
    histories = [store.history for store in declared_stores().get(file, ())]
    if not _are_run(database, histories):
        migration_run = import_module("citepress.stores.sql.migration_run")  # what it imports costs start-up time
        migration_run.run(database, histories)


def _are_run(database: Database, histories: list[MigrationHistory]) -> bool:
    with database.reading() as connection:
        return all(_current(connection, history) == _newest(history) for history in histories)


def _current(connection: sa.Connection, history: MigrationHistory) -> str | None:
    """The revision of a database; ``None`` where it has no tables."""
    if not sa.inspect(connection).has_table(history.table):
        return None
    versions = sa.table(history.table, sa.column("version_num", sa.String))
    return connection.execute(sa.select(versions.c.version_num)).scalar()


def _newest(history: MigrationHistory) -> str:
    """The last revision, of the file that is the last by name."""
    file = max((history.path / "versions").glob("*[0-9]_*.py"))
    revision = _REVISION.search(file.read_text("utf-8"))
    return revision[1] if revision else ""
