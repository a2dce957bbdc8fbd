"""What each worker of a machine counts, in a file without a name from which another process adds it up."""

import fcntl
import logging
import mmap
import os
from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from citepress.base import clock
from citepress.base.cores import is_running
from citepress.base.errors import CitepressError
from citepress.extension import CORE, installed
from citepress.hooks import united
from citepress.stores.local.nameless_file import NamelessFile

MAX_WORKERS = 64
MEASURED_METHODS = ("GET", "HEAD", "POST", "OPTIONS", "other")
HANDLERS = ("document", "action")
"""What answers: a lookup in the edition, or code that runs for the request."""
_LIMITS = ((each.distribution, dict.fromkeys(each.extension.limits)) for each in installed())
LIMITS = tuple(united("limits", [(CORE, dict.fromkeys(("rest", "search", "other"))), *_LIMITS]))
COUNTED: dict[str, str] = united("counted", ((each.distribution, each.extension.counted) for each in installed()))
"""What extensions count: names of metrics, and what each counts."""
LEVELS = ("warning", "error")
BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper bounds of the buckets of latencies, in seconds."""
FIRST_STATUS, STATUSES = 100, 500
GAUGES = ("pid", "beat", "edition", "edition_since", "waiting_events", "dropped_events", "cached_bytes")
"""Facts of one worker; ``beat`` is when it last wrote, in milliseconds of ``clock.seconds``."""
BUCKETS = len(BOUNDS) + 1
ANSWERED = 0
LATENCY = ANSWERED + len(MEASURED_METHODS) * STATUSES
SECONDS_CELL = LATENCY + len(HANDLERS) * BUCKETS
BYTES_CELL = SECONDS_CELL + len(HANDLERS)
ALLOWED = BYTES_CELL + 1
REFUSED = ALLOWED + len(LIMITS)
LOGGED = REFUSED + len(LIMITS)
FURTHER = LOGGED + len(LEVELS)
FACTS = FURTHER + len(COUNTED)
CELLS = FACTS + len(GAUGES)
WORD_BYTES = 8
REGION = CELLS * WORD_BYTES
SIZE = MAX_WORKERS * REGION


class WorkerMetricsError(CitepressError):
    """The file cannot be used; the message says why."""


class MetricsTable(NamelessFile):
    """The file that the workers of one service count in; it begins at zero with each start."""

    @classmethod
    def create(cls, state: Path) -> Self:
        """An empty table on the disk of a state folder. Raises ``WorkerMetricsError``."""
        try:
            return cls.holding(state, bytes(SIZE))
        except OSError as error:
            raise WorkerMetricsError(f"{state} has no room for the metrics of workers: {error.strerror}") from None


class WorkerMetrics:
    """Counts what one worker answers, in memory of its own that is copied to the file once a second.

    A worker takes a region that no living process holds (a record lock, which the kernel frees) and continues the
    counts that it finds there, so that they never fall when a worker is replaced.
    """

    def __init__(self, table: MetricsTable) -> None:
        """Raises ``WorkerMetricsError`` where there are too many workers."""
        self._file = table.file
        self._map = mmap.mmap(self._file, SIZE)
        region = self._taken()
        self._shared = memoryview(self._map)[region * REGION : (region + 1) * REGION].cast("Q")
        self.cells = array("Q", self._shared.tobytes())
        for place in range(FACTS, CELLS):
            self.cells[place] = 0
        self.set("pid", os.getpid())
        self.flush()

    def answered(self, handler: int, method: str, status: int, size: int, seconds: float) -> None:
        """Count an answer; ``handler`` is an index of ``HANDLERS``."""
        cells = self.cells
        row = MEASURED_METHODS.index(method) if method in MEASURED_METHODS else len(MEASURED_METHODS) - 1
        cells[ANSWERED + row * STATUSES + status - FIRST_STATUS] += 1
        cells[LATENCY + handler * BUCKETS + bisect_left(BOUNDS, seconds)] += 1
        cells[SECONDS_CELL + handler] += int(seconds * 1e6)
        cells[BYTES_CELL] += size

    def spent(self, limit: str, *, allowed: bool) -> None:
        """Count a check of a limit."""
        place = LIMITS.index(limit if limit in LIMITS else "other")
        self.cells[(ALLOWED if allowed else REFUSED) + place] += 1

    def logged(self, level: int) -> None:
        """Count a record of the log."""
        if level >= logging.WARNING:
            self.cells[LOGGED + (level >= logging.ERROR)] += 1

    def count(self, name: str) -> None:
        """Count what an extension has declared."""
        self.cells[FURTHER + list(COUNTED).index(name)] += 1

    def set(self, name: str, value: int) -> None:
        """Set a fact of this worker."""
        self.cells[FACTS + GAUGES.index(name)] = value

    def flush(self) -> None:
        """Copy everything to the file."""
        self.set("beat", int(clock.seconds() * 1000))
        self._shared[:] = memoryview(self.cells)

    def _taken(self) -> int:
        for region in range(MAX_WORKERS):
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, region)
            except OSError:
                continue
            return region
        raise WorkerMetricsError(f"more than {MAX_WORKERS} workers cannot be measured")


@dataclass(slots=True)
class WorkerTotals:
    """What all workers counted, and the facts of those that live."""

    cells: list[int] = field(default_factory=lambda: [0] * FACTS)
    workers: list[dict[str, int]] = field(default_factory=list)


def read_totals(table: MetricsTable) -> WorkerTotals:
    """Add up what all workers have counted."""
    totals = WorkerTotals()
    content = os.pread(table.file, SIZE, 0)
    for start in range(0, SIZE, REGION):
        region = array("Q", content[start : start + REGION])
        for place in range(FACTS):
            totals.cells[place] += region[place]
        facts = dict(zip(GAUGES, region[FACTS:], strict=True))
        if facts["pid"] and is_running(facts["pid"]):
            totals.workers.append(facts)
    return totals
