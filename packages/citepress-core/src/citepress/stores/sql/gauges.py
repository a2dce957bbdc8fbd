"""Figures about the stores for the operator: what waits, and how far it is."""

import sqlalchemy as sa

from citepress.stores.sql.database import Database
from citepress.stores.sql.payments.payment_tables import PAYMENTS
from citepress.stores.sql.tables import SUBMISSIONS
from citepress_telemetry.store.rollup_tables import HOUR_CLOSED


def submissions_by_status(database: Database) -> dict[str, int]:
    """How many submissions have each status. Raises ``StoreUnavailable``."""
    return _counted(database, SUBMISSIONS.c.status)


def payments_by_state(database: Database) -> dict[str, int]:
    """How many payments are in each state. Raises ``StoreUnavailable``."""
    return _counted(database, PAYMENTS.c.state)


def last_closed_hour(database: Database) -> int | None:
    """The last hour since 1970 whose requests are summed up. Raises ``StoreUnavailable``."""
    with database.reading() as connection:
        hour: int | None = connection.scalar(sa.select(sa.func.max(HOUR_CLOSED.c.h)))
    return hour


def _counted(database: Database, column: sa.Column[str]) -> dict[str, int]:
    with database.reading() as connection:
        rows = connection.execute(sa.select(column, sa.func.count()).group_by(column)).all()
    return {str(name): int(count) for name, count in rows}
