"""The tables of payments in the state store, as the core migrates, backs up and measures them."""

from pathlib import Path

from citepress.stores.sql.database import STATE_FILE
from citepress.stores.sql.store_tables import MigrationHistory, StoreTables

STORES = (
    StoreTables(
        STATE_FILE,
        # The core's own history made the tables until it was split.
        # See "Payments keep the steps that the former history made" in docs/decisions/payments.md.
        MigrationHistory(
            Path(__file__).parents[1] / "migrations",
            "payments_version",
            {"0002": "payments.key", "0003": "payments.finality", "0004": "payments.fee_reason"},
        ),
        "citepress_payments.simulated_chain.store:METADATA",
        made_again=("simulated_balances", "simulated_transfers"),
        metrics="citepress_payments.stores.gauges:payments",
    ),
)
