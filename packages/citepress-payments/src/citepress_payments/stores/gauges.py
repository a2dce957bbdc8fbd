"""Metrics of the ledger for the operator."""

from citepress.base.prometheus import MetricFamily, by_label
from citepress.stores.sql.database import Database
from citepress.stores.sql.gauges import count_by
from citepress_payments.ports.rows import State
from citepress_payments.stores.payment_tables import PAYMENTS


def payments(database: Database) -> list[MetricFamily]:
    """How many payments are in each state. Raises ``StoreUnavailable``."""
    counted = {state.value: 0.0 for state in State} | count_by(database, PAYMENTS.c.state)
    return [by_label("citepress_payments", "Payments by state.", "state", counted)]
