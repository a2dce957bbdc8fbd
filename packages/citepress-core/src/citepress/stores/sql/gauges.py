"""Metrics of the stores for the operator: what waits, and how far it is."""

import sqlalchemy as sa

from citepress.base.prometheus import MetricFamily, by_label
from citepress.inbox.ports import Status
from citepress.payments.ports.rows import State
from citepress.stores.sql.database import Database
from citepress.stores.sql.payments.payment_tables import PAYMENTS
from citepress.stores.sql.tables import SUBMISSIONS


def waiting(database: Database) -> list[MetricFamily]:
    """How many submissions and payments are in each state. Raises ``StoreUnavailable``."""
    inbox = {status.value: 0.0 for status in Status} | count_by(database, SUBMISSIONS.c.status)
    payments = {state.value: 0.0 for state in State} | count_by(database, PAYMENTS.c.state)
    return [
        by_label("citepress_submissions", "Submissions in the inbox by status.", "status", inbox),
        by_label("citepress_payments", "Payments by state.", "state", payments),
    ]


def count_by(database: Database, column: sa.Column[str]) -> dict[str, int]:
    """How many rows have each value of a column. Raises ``StoreUnavailable``."""
    with database.reading() as connection:
        rows = connection.execute(sa.select(column, sa.func.count()).group_by(column)).all()
    return {str(name): int(count) for name, count in rows}
