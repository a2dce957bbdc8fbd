"""What the operator reads of the stores: how far the sums are behind, and how large the spool is."""

from collections.abc import Iterator
from contextlib import suppress

import sqlalchemy as sa

from citepress.base import clock
from citepress.base.prometheus import MetricFamily, gauge
from citepress.base.timestamps import HOUR_S
from citepress.settings import Settings
from citepress.stores.sql.database import Database
from citepress_telemetry.sql.rollup_tables import HOUR_CLOSED
from citepress_telemetry.sql.spool import SPOOL_FILE as SPOOL


def rollup_lag(database: Database) -> list[MetricFamily]:
    """How far the sums of requests are behind. Raises ``StoreUnavailable``."""
    with database.reading() as connection:
        hour: int | None = connection.scalar(sa.select(sa.func.max(HOUR_CLOSED.c.h)))  # since 1970
    if hour is None:
        return []
    lag = max(0.0, clock.now().timestamp() - (hour + 2) * HOUR_S)  # an hour can be closed when it is over
    return [gauge("citepress_rollup_lag_seconds", "Seconds for which an hour has waited to be summed up.", lag)]


def spool_size(settings: Settings) -> Iterator[MetricFamily]:
    """How large the spool is, where it is a file."""
    with suppress(OSError):
        size = (settings.state / SPOOL).stat().st_size
        yield gauge("citepress_spool_bytes", "Size of the SQLite file of single requests.", size)


METRICS = (spool_size,)
