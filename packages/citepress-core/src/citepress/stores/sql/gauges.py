"""Metrics of the stores for the operator: what waits, and how far it is."""

import sqlalchemy as sa

from citepress.base import clock
from citepress.base.prometheus import MetricFamily, gauge
from citepress.stores.sql.database import Database
from citepress.stores.sql.telemetry.rollup_tables import HOUR_CLOSED

HOUR_S = 3600


def rollups(database: Database) -> list[MetricFamily]:
    """How far the sums of requests are behind. Raises ``StoreUnavailable``."""
    with database.reading() as connection:
        hour: int | None = connection.scalar(sa.select(sa.func.max(HOUR_CLOSED.c.h)))  # since 1970
    if hour is None:
        return []
    lag = max(0.0, clock.now().timestamp() - (hour + 2) * HOUR_S)  # an hour can be closed when it is over
    return [gauge("citepress_rollup_lag_seconds", "Seconds for which an hour has waited to be summed up.", lag)]


def count_by(database: Database, column: sa.Column[str]) -> dict[str, int]:
    """How many rows have each value of a column. Raises ``StoreUnavailable``."""
    with database.reading() as connection:
        rows = connection.execute(sa.select(column, sa.func.count()).group_by(column)).all()
    return {str(name): int(count) for name, count in rows}
