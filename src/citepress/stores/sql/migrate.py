"""Bringing a database to the tables of this version, safely when several processes start at once."""

from dataclasses import dataclass
from pathlib import Path

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import Script, ScriptDirectory
from alembic.script.revision import RevisionError

from citepress.stores.sql.database import FILE, Database, DatabaseError, open_postgresql, open_sqlite


@dataclass(frozen=True, slots=True)
class History:
    """Steps that build one set of tables; several histories may share a database."""

    folder: str
    """Beside this file."""
    table: str = "alembic_version"
    """Where the database keeps the step it stands at."""


STATE = History("migrations")
ROLLUPS = History("rollup_migrations", "telemetry_version")
ROLLUPS_FILE = "telemetry.sqlite"
"""Name of the SQLite file of the rollups: their writing never stands before a submission or a payment."""
NAME = b"citepress migrations"
PATIENCE = 300.0
"""Seconds that a step may take, and that a process waits for another one which migrates."""


def open_store(state: Path, address: str | None = None) -> Database:
    """The state store with the tables of this version: PostgreSQL at an address, or else a file in the state folder.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    return _opened(state / FILE, address, STATE)


def open_existing_store(state: Path, address: str | None = None) -> Database:
    """The state store for whoever looks into it: where there is none, none is made.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    if not address and not (state / FILE).is_file():
        raise DatabaseError(f"{state} holds no {FILE}: the server makes it when it first starts, and --state names its folder")
    return open_store(state, address)


def open_rollup_store(state: Path, address: str | None = None) -> Database:
    """The store of telemetry's rollups: the same PostgreSQL, or else a file of its own in the state folder.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    return _opened(state / ROLLUPS_FILE, address, ROLLUPS)


def migrate(database: Database, history: History = STATE) -> None:
    """Run the steps that the database has not seen, all or none; the second of two processes waits for the first.

    Raises ``DatabaseError`` for a database of a newer version, and ``StoreUnavailable``.
    """
    steps = ScriptDirectory(str(Path(__file__).parent / history.folder))
    with database.writing(PATIENCE) as connection:
        database.lock(connection, NAME)
        context = MigrationContext.configure(connection, opts={"version_table": history.table})
        current = context.get_current_revision()
        if current == steps.get_current_head():
            return
        with Operations.context(context):
            for step in _missing(steps, current, database):
                step.module.upgrade()
        context.stamp(steps, "head")


def _opened(file: Path, address: str | None, history: History) -> Database:
    database = open_postgresql(address) if address else open_sqlite(file)
    migrate(database, history)
    return database


def _missing(steps: ScriptDirectory, current: str | None, database: Database) -> list[Script]:
    try:
        return list(steps.iterate_revisions("head", current or "base"))[::-1]
    except RevisionError:
        raise DatabaseError(
            f"the store {database.name} was written by a newer version of citepress ({current}): update citepress"
        ) from None
