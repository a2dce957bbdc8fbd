"""The store of rollups: its file, tables and migrations, and what the operator reads of it."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from citepress.base import clock
from citepress.base.prometheus import MetricFamily, gauge
from citepress.base.timestamps import HOUR_S
from citepress.settings import Settings
from citepress.stores.sql.database import Database
from citepress.stores.sql.migrate import open_tables
from citepress.stores.sql.store_tables import MigrationHistory, StoreTables
from citepress_telemetry.store.rollup_tables import HOUR_CLOSED
from citepress_telemetry.store.spool import FILE as SPOOL

ROLLUPS_FILE = "telemetry.sqlite"
"""Name of the SQLite file of the rollups: separate, so that writing them never delays a submission or a payment."""


def open_rollup_store(state: Path, address: str | None = None) -> Database:
    """The store of telemetry's rollups: the same PostgreSQL, or else a separate file in the state folder.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    return open_tables(ROLLUPS_FILE, state, address)


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


STORES = (
    StoreTables(
        ROLLUPS_FILE,
        MigrationHistory(Path(__file__).parent / "migrations", "telemetry_version"),
        "citepress_telemetry.store.rollup_tables:ROLLUPS",
        made_again=("overlay",),
        metrics=f"{__name__}:rollup_lag",
    ),
)
METRICS = (spool_size,)
