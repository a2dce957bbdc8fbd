"""The store of rollups, as the core migrates, backs up and measures it."""

from pathlib import Path

from citepress.stores.sql.database import Database
from citepress.stores.sql.migrate import open_tables
from citepress.stores.sql.store_tables import MigrationHistory, StoreTables

ROLLUPS_FILE = "telemetry.sqlite"
"""Name of the SQLite file of the rollups: separate, so that writing them never delays a submission or a payment."""
STORES = (
    StoreTables(
        ROLLUPS_FILE,
        MigrationHistory(Path(__file__).parent / "sql" / "migrations", "telemetry_version"),
        "citepress_telemetry.sql.rollup_tables:ROLLUPS",
        made_again=("overlay",),
        metrics="citepress_telemetry.sql.gauges:rollup_lag",
    ),
)


def open_rollup_store(state: Path, address: str | None = None) -> Database:
    """The store of telemetry's rollups: the same PostgreSQL, or else a separate file in the state folder.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    return open_tables(ROLLUPS_FILE, state, address)
