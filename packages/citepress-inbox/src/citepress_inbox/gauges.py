"""Metrics of the inbox."""

from citepress.base.prometheus import MetricFamily, by_label
from citepress.stores.sql.database import Database
from citepress.stores.sql.gauges import count_by
from citepress_inbox.ports import Status
from citepress_inbox.tables import SUBMISSIONS


def submissions(database: Database) -> list[MetricFamily]:
    """How many submissions have each status. Raises ``StoreUnavailable``."""
    counted = {status.value: 0.0 for status in Status} | count_by(database, SUBMISSIONS.c.status)
    return [by_label("citepress_submissions", "Submissions in the inbox by status.", "status", counted)]
