"""Runs the migrations that a database lacks; loaded only where there are any."""

from collections.abc import Iterable

import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import Script, ScriptDirectory
from alembic.script.revision import RevisionError

from citepress.stores.sql.database import Database, DatabaseError
from citepress.stores.sql.store_tables import MIGRATION_LOCK_WAIT_S, MigrationHistory

MIGRATION_LOCK = b"citepress migrations"


def run(database: Database, histories: Iterable[MigrationHistory]) -> None:
    """Run the outstanding migrations, all or none; of two processes the second waits for the first.

    Raises ``DatabaseError`` for a database of a newer version, and ``StoreUnavailable``.
    """
    with database.writing(MIGRATION_LOCK_WAIT_S) as connection:
        # Several workers start at once: one migrates, and the others find everything done.
        database.lock(connection, MIGRATION_LOCK)
        for history in histories:
            _run(database, connection, history)


def _run(database: Database, connection: sa.Connection, history: MigrationHistory) -> None:
    steps = ScriptDirectory(str(history.path))
    context = MigrationContext.configure(connection, opts={"version_table": history.table})
    stamped = context.get_current_revision()
    # Asked under the lock, since another process may just have finished.
    if stamped == steps.get_current_head():
        return
    with Operations.context(context):
        for step in _missing(steps, stamped or _adopted(connection, history), database):
            step.module.upgrade()
    context.stamp(steps, "head")


def _adopted(connection: sa.Connection, history: MigrationHistory) -> str | None:
    """The revision of tables that were made before they had a history of their own; ``None`` where there are none."""
    inspector = sa.inspect(connection)
    adopted = None
    for revision, member in history.adopts.items():
        table, _, column = member.partition(".")
        if inspector.has_table(table) and column in {each["name"] for each in inspector.get_columns(table)}:
            adopted = revision
    return adopted


def _missing(steps: ScriptDirectory, current: str | None, database: Database) -> list[Script]:
    try:
        return list(steps.iterate_revisions("head", current or "base"))[::-1]
    except RevisionError:
        raise DatabaseError(
            f"the store {database.name} was written by a newer version of citepress ({current}): update citepress"
        ) from None
