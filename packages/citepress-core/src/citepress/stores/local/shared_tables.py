"""What the worker processes of one service share."""

from dataclasses import dataclass

from citepress.stores.local.shared_counters import CounterTable
from citepress.stores.local.worker_metrics import MetricsTable


@dataclass(frozen=True, slots=True)
class SharedTables:
    """The tables that go to every worker as it starts."""

    limits: CounterTable | None = None
    """``None`` for a single worker, or where all machines count together."""
    metrics: MetricsTable | None = None
    """``None`` where no operator reads metrics."""
