"""Metrics of the stores for the operator: what waits, and how far it is."""

import sqlalchemy as sa

from citepress.stores.sql.database import Database


def count_by(database: Database, column: sa.Column[str]) -> dict[str, int]:
    """How many rows have each value of a column. Raises ``StoreUnavailable``."""
    with database.reading() as connection:
        rows = connection.execute(sa.select(column, sa.func.count()).group_by(column)).all()
    return {str(name): int(count) for name, count in rows}
