"""Runs the migrations that a database lacks; loaded only where there are any."""

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import Script, ScriptDirectory
from alembic.script.revision import RevisionError

from citepress.stores.sql.database import Database, DatabaseError
from citepress.stores.sql.migration_history import PATIENCE, MigrationHistory

NAME = b"citepress migrations"


def run(database: Database, history: MigrationHistory) -> None:
    """Run the outstanding migrations, all or none; of two processes the second waits for the first.

    Raises ``DatabaseError`` for a database of a newer version, and ``StoreUnavailable``.
    """
    steps = ScriptDirectory(str(history.path))
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


def _missing(steps: ScriptDirectory, current: str | None, database: Database) -> list[Script]:
    try:
        return list(steps.iterate_revisions("head", current or "base"))[::-1]
    except RevisionError:
        raise DatabaseError(
            f"the store {database.name} was written by a newer version of citepress ({current}): update citepress"
        ) from None
