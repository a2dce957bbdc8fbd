"""Migrates a database to the tables of this version; safe when several processes start at once."""

from dataclasses import dataclass
from pathlib import Path

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import Script, ScriptDirectory
from alembic.script.revision import RevisionError

from citepress.stores.sql.database import FILE, Database, DatabaseError, open_postgresql, open_sqlite


@dataclass(frozen=True, slots=True)
class History:
    """Migrations of one set of tables; several histories may share a database."""

    folder: str
    """Folder of the migrations, relative to this file."""
    table: str = "alembic_version"
    """Table that stores the database's current revision."""


STATE = History("migrations")
ROLLUPS = History("rollup_migrations", "telemetry_version")
ROLLUPS_FILE = "telemetry.sqlite"
"""Name of the SQLite file of the rollups: separate, so that writing them never delays a submission or a payment."""
NAME = b"citepress migrations"
PATIENCE = 300.0
"""Seconds that a migration may take, and that other processes wait for it."""


def open_store(state: Path, address: str | None = None) -> Database:
    """The state store with the tables of this version: PostgreSQL at an address, or else a file in the state folder.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    return _opened(state / FILE, address, STATE)


def open_existing_store(state: Path, address: str | None = None) -> Database:
    """The state store, if it exists; it is not created.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    if not address and not (state / FILE).is_file():
        raise DatabaseError(
            f"there is no {FILE} in {state}: the server creates it at its first start; name its folder with --state"
        )
    return open_store(state, address)


def open_rollup_store(state: Path, address: str | None = None) -> Database:
    """The store of telemetry's rollups: the same PostgreSQL, or else a separate file in the state folder.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    return _opened(state / ROLLUPS_FILE, address, ROLLUPS)


def migrate(database: Database, history: History = STATE) -> None:
    """Run the outstanding migrations, all or none; of two processes the second waits for the first.

    Raises ``DatabaseError`` for a database of a newer version, and ``StoreUnavailable``.
    """
    steps = ScriptDirectory(str(Path(__file__).parent / history.folder))
    with database.writing(PATIENCE) as connection:
        # Several workers start at once: one migrates, and the others find everything done.
        database.lock(connection, NAME)
        context = MigrationContext.configure(connection, opts={"version_table": history.table})
        current = context.get_current_revision()
        # Asked under the lock, since another process may just have finished.
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
