"""The tables of the inbox in the state store, as the core migrates, backs up and measures them."""

from pathlib import Path

from citepress.stores.sql.database import STATE_FILE
from citepress.stores.sql.store_tables import MigrationHistory, StoreTables

STORES = (
    StoreTables(
        STATE_FILE,
        # The core's own history made the tables until it was split; they are as the first revision makes them.
        MigrationHistory(Path(__file__).parent / "migrations", "inbox_version", {"0001": "submissions.id"}),
        "citepress_inbox.tables:METADATA",
        metrics="citepress_inbox.gauges:submissions",
    ),
)
