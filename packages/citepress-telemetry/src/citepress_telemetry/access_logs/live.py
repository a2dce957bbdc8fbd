"""Hours that the service itself counted: log lines of these hours are skipped."""

from collections.abc import Sequence

from citepress_telemetry.model import Closed
from citepress_telemetry.rollup.aggregator import LATE_HOURS
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool_base import SqlSpool

WEEK = 168
"""Hours whose cursors are read at once, once they can no longer change."""


class LiveHours:
    """Looks up hours in the rollups, and in the spool if they may not be closed yet."""

    def __init__(self, rollups: SqlRollups, spool: SqlSpool, hour: int) -> None:
        """``hour`` is the present hour: long before it, the service writes nothing new.

        Raises ``StoreUnavailable``.
        """
        self._rollups, self._spool, self._settled = rollups, spool, hour - LATE_HOURS
        self._spooled = frozenset(spool.hours())
        self._weeks: dict[int, Sequence[Closed]] = {}

    def __call__(self, hour: int) -> bool:
        """Whether the service counted in an hour, closed or not."""
        settled = hour < self._settled
        for closed in self._week(hour // WEEK) if settled else self._rollups.closed(hour, hour + 1):
            if closed.hour == hour:
                return not closed.imported and bool(closed.observed_seconds or closed.rows)
        if settled and hour not in self._spooled:
            return False
        return bool(self._spool.observed_slots(hour) or self._spool.last(hour))

    def _week(self, week: int) -> Sequence[Closed]:
        if week not in self._weeks:
            self._weeks[week] = self._rollups.closed(week * WEEK, (week + 1) * WEEK)
        return self._weeks[week]
