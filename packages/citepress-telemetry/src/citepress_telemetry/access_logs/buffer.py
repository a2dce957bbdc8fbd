"""The rows of hours that an import has not closed yet: in memory, and in a file once there are too many."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from operator import itemgetter

from citepress_telemetry.identify.user_agents.scanning import bursts_of
from citepress_telemetry.ports import Batch, BurstRule, SpoolRow
from citepress_telemetry.sql.spool_base import SqlSpool
from citepress_telemetry.sums.windows import add_counts

MAX_BUFFERED_ROWS = 200_000
"""Rows in memory, about 60 MB."""
HOUR_MS = 3_600_000
WORKER = "import"


class Buffer:
    """Holds rows by hour; an hour that does not fit in memory is moved to the spool and stays there."""

    def __init__(self, spool: SqlSpool, most: int = MAX_BUFFERED_ROWS) -> None:
        """``spool`` is empty and used by this import only."""
        self._spool, self._most = spool, most
        self._rows: dict[int, list[SpoolRow]] = defaultdict(list)
        self._counts: dict[int, dict[str, int]] = defaultdict(dict)
        self._held = 0
        """Rows in memory."""
        self._moved: set[int] = set()
        """Hours that have rows in the spool."""

    def append(self, batch: Batch) -> None:
        """Add rows and counts. Raises ``StoreUnavailable``."""
        for row in batch.rows:
            self._rows[row.ts // HOUR_MS].append(row)
        for (hour, name), n in batch.counts.items():
            add_counts(self._counts[hour], {name: n})
        self._held += len(batch.rows)
        if self._held > self._most:
            for hour in list(self._rows):
                self._move(hour)

    def read(self, hour: int) -> Iterator[SpoolRow]:
        """The rows of an hour by time; rows of the same time in the order of the log."""
        if hour in self._moved:
            self._move(hour)
            return self._spool.read(hour)
        return iter(sorted(self._rows.get(hour, ()), key=itemgetter(1)))

    def bursts(self, hour: int, rule: BurstRule) -> frozenset[tuple[int, int]]:
        """(net, slot of the clock) of every burst of an hour."""
        if hour in self._moved:
            self._move(hour)
            return self._spool.bursts(hour, rule)
        return bursts_of(self._rows.get(hour, ()), rule)

    def counted(self, hour: int) -> Mapping[str, int]:
        """The counts of an hour."""
        return self._counts.get(hour, {})

    def drop(self, hour: int) -> None:
        """Drop an hour."""
        self._held -= len(self._rows.pop(hour, ()))
        self._counts.pop(hour, None)
        if hour in self._moved:
            self._moved.discard(hour)
            self._spool.drop(hour)

    def _move(self, hour: int) -> None:
        rows = self._rows.pop(hour, [])
        self._held -= len(rows)
        if rows:
            self._moved.add(hour)
            self._spool.append(WORKER, Batch(rows))
