"""The aggregator: closes each hour five minutes after its end, adds late rows, and deletes rows past their retention.

One runs among all processes and nodes. Whatever stops it, even in the middle of an hour, the next one closes the same
hour from the same rows.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Event

from citepress.base.errors import ControlFlow
from citepress.base.gc_pause import paused_gc
from citepress.base.timestamps import DAY_S, HOUR_S
from citepress.contract.store import StoreUnavailable
from citepress_telemetry.identify.user_agents.scanning import BURST
from citepress_telemetry.identify.user_agents.table import UNRESOLVED
from citepress_telemetry.model import CRASHED, FIRST, CarryOver, Closed, Hour
from citepress_telemetry.ports import ENDED, Election, FamilyRow, SpoolRow
from citepress_telemetry.rollup.close_hour import ClosedHour, ClosingContext, close_hour, late_rows
from citepress_telemetry.rollup.debounce import Debounce, StateMark, nothing
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool_base import SqlSpool
from citepress_telemetry.sums.windows import HOURS

GRACE_S = 300
"""Seconds after its end for which an hour waits for its last rows."""
SALT_S = 600
"""Seconds into a day after which the salts of earlier days are overwritten."""
LATE_HOURS = 24
"""Late rows are added to hours at most this old; older ones are dropped and counted."""
BEAT_S = 10
MEGABYTE = 1_000_000
TICK_S = 10.0
"""Seconds between two checks of the clock."""
CHECK_EVERY = 4096
"""Rows after which the aggregator checks whether it has to stop."""
ROBOTS = "/robots.txt"

log = logging.getLogger(__name__)


class StoppedError(ControlFlow):
    """The aggregator was stopped in the middle of an hour; nothing of that hour was written."""


@dataclass(frozen=True, slots=True)
class AggregatorRules:
    """The operator's settings."""

    classifier: str
    """Version of the classifier, written into the cursor."""
    retention_hours: int = 72
    spool_max_mb: int = 2048


Refine = Callable[[int, Iterable[SpoolRow]], Iterable[SpoolRow]]
"""Changes rows of an hour before they are counted (verified signatures)."""


def unchanged(_hour: int, rows: Iterable[SpoolRow]) -> Iterable[SpoolRow]:
    """Rows as they are."""
    return rows


class Aggregator:
    """Closes the hours of one spool into one set of rollups; used by one thread."""

    def __init__(
        self,
        spool: SqlSpool,
        rollups: SqlRollups,
        dimensions: SqlDimensions,
        rules: AggregatorRules,
        stop: Event,
        render: Callable[[], object],
        refine: Refine = unchanged,
        edition: Callable[[], StateMark] = nothing,
    ) -> None:
        """``render`` is called after an hour was closed, after a start, and once a change of ``edition`` has settled.

        If it raises, the error is logged and the previous reports remain.
        """
        self._spool, self._rollups, self._dimensions = spool, rollups, dimensions
        self._rules, self._stop, self._render, self._refine = rules, stop, render, refine
        self._edition = Debounce(edition)
        self._next: int | None = None
        """The next hour to close; ``None``: ask the store."""
        self._open = CarryOver()
        self._salted = 0
        """Day before which all salts are known to be overwritten."""
        self._closed = 0
        """Hours closed so far."""
        self._stale = True
        """Whether reports have to be rendered although nothing was closed: after a start, or for another edition."""

    def close_due(self, now: datetime) -> int:
        """Do everything that is due at ``now``; return the number of hours closed.

        Raises ``StoreUnavailable``; it is safe to call again.
        """
        seconds = int(now.timestamp())
        before = self._closed
        self._stale |= self._edition.changed()
        self._forget_salts(seconds)
        try:
            self._close_until((seconds - GRACE_S) // HOUR_S)
        # A stop is no failure: nothing of the hour was written, and the next process closes it.
        except StoppedError:
            pass
        except StoreUnavailable:
            self.reset()
            self._shrink(seconds // HOUR_S)
            raise
        except BaseException:
            self.reset()
            raise
        else:
            if self._closed > before or self._stale:
                self._shrink(seconds // HOUR_S)
        if self._closed > before or self._stale:
            self._rendered()
        return self._closed - before

    def run(self, election: Election, now: Callable[[], datetime], tick: float = TICK_S) -> None:
        """Do what is due, as long as this process is elected, until stopped."""
        was_elected = False
        while not self._stop.is_set():
            won = election.won()
            # Another process may have closed hours since this one was elected last.
            if won and not was_elected:
                self.reset()
            was_elected = won
            if won:
                self._guarded(now())
            self._stop.wait(tick)
        election.resign()

    def reset(self) -> None:
        """Forget the state in memory: another process may have changed the store."""
        self._next = None

    def _guarded(self, now: datetime) -> None:
        try:
            self.close_due(now)
        except StoreUnavailable:  # the store has logged why
            log.warning("no hour could be closed; trying again in %d seconds", TICK_S)
        except Exception:
            log.exception("no hour could be closed; trying again in %d seconds", TICK_S)

    def _close_until(self, end: int) -> None:
        """Close every hour before ``end`` that is still open."""
        hour = self._begin() if self._next is None else self._next
        while hour is not None and hour < end and not self._stop.is_set():
            # Network keys change with the day's salt, so a session cannot be followed further.
            if not hour % HOURS:
                self._open = CarryOver()  # sessions end at midnight
            with paused_gc():
                self._closed += self._close(hour)
            hour = self._next = hour + 1

    def _begin(self) -> int | None:
        """The hour after the last one closed live, or the first hour of the spool."""
        last = self._rollups.last_closed(live=True)
        self._open = self._rollups.open_state() if last and (last.hour + 1) % HOURS else CarryOver()
        if last:
            return last.hour + 1
        return next(iter(self._spool.hours()), None)

    def _close(self, hour: int) -> bool:
        """Close one hour; False if it was closed already (imported), which leaves open sessions to the next hour."""
        context = id_maps(self._dimensions)
        self._add_late(hour, context)  # before closing: after a crash, rows that were in time must not be too late
        result = close_hour(hour, self._rows(hour, 0), self._bursts(hour), context, self._open)
        counts = dict(self._spool.counted(hour))
        # It only served to tell an orderly end from a crash.
        counts.pop(ENDED, None)
        if crashed := self._spool.vanished(hour):
            counts[CRASHED] = crashed
        if first := self._spool.first_beat(hour):
            counts[FIRST] = first * BEAT_S
        cursor = Closed(
            hour,
            result.count,
            result.last_row,
            self._spool.observed_slots(hour) * BEAT_S,
            False,
            self._rules.classifier,
            counts,
        )
        if not self._rollups.close(cursor, result.rows, result.after, result.pairs):
            return False
        self._open = result.after
        self._rollups.forget(hour + 1)
        return True

    def _bursts(self, hour: int) -> frozenset[tuple[int, int]]:
        return self._spool.bursts(hour, BURST)

    def _rows(self, hour: int, after: int) -> Iterator[SpoolRow]:
        """Rows of an hour, until the aggregator is stopped."""
        # A stop is looked for between rows, because an hour of a busy site takes longer than a shutdown may.
        for number, row in enumerate(self._refine(hour, self._spool.read(hour, after))):
            if not number % CHECK_EVERY and self._stop.is_set():
                raise StoppedError
            yield row

    def _add_late(self, hour: int, context: ClosingContext) -> None:
        """Add rows that arrived after their hour was closed."""
        known_hours = [each for each in self._spool.hours() if each < hour]
        cursors = self._rollups.closed(known_hours[0], hour) if known_hours else ()
        closed = {cursor.hour: cursor for cursor in cursors if not cursor.imported}
        for each in known_hours:
            if each in closed:
                self._add_to(closed[each], context, counted=each > hour - LATE_HOURS)

    def _add_to(self, closed: Closed, context: ClosingContext, *, counted: bool) -> None:
        """Add the late rows of an hour, or count them as dropped if they come too late."""
        hour = closed.hour
        late = ClosedHour(Hour(), CarryOver(), 0, 0)
        if self._spool.last(hour) > closed.last_row:
            late = late_rows(
                hour, self._rows(hour, closed.last_row), self._bursts(hour) if counted else frozenset(), context
            )
        counts = _grown(self._spool.counted(hour), closed.counts) if counted else {}
        if not late.count and not counts:
            return
        name = "late" if counted else "dropped"
        # The sums of an hour grow, but readers of the report are told how much came after it was closed.
        if late.count:
            counts[name] = counts.get(name, 0) + late.count
        rows = late.rows if counted else Hour()
        rows.counts = counts
        observed = self._spool.observed_slots(hour) * BEAT_S
        self._rollups.add(
            hour, rows, max(late.last_row, closed.last_row), after=closed.last_row, observed_seconds=observed
        )

    def _forget_salts(self, seconds: int) -> None:
        """Overwrite the salts of earlier days, from ten past midnight on.

        If that fails, it is tried again at the next tick.
        """
        day = (seconds - SALT_S) // DAY_S
        if day == self._salted:
            return
        try:
            self._spool.forget_salts(day)
            self._salted = day
        except StoreUnavailable:
            log.warning("the salts of earlier days could not be overwritten; trying again in %d seconds", TICK_S)

    def _shrink(self, current: int) -> None:
        """Drop raw rows past their retention, and the oldest ones while the spool is too large.

        Closed hours go first; the current hour is never dropped.
        """
        hours = [hour for hour in self._spool.hours() if hour < current]
        first_open = self._first_open() if self._next is None else self._next
        for hour in hours:
            # Retention is a promise to readers: rows go even where they could not be closed.
            if hour < current - self._rules.retention_hours:
                self._drop(hour, lost=hour >= first_open)
        left = sorted(
            (hour for hour in hours if hour >= current - self._rules.retention_hours),
            # Closed hours go first: their sums last, while an open hour would be lost.
            key=lambda hour: (hour >= first_open, hour),
        )
        for hour in left:
            if self._spool.size() <= self._rules.spool_max_mb * MEGABYTE:
                return
            self._drop(hour, lost=hour >= first_open)

    def _first_open(self) -> int:
        """The first hour that is not closed; if the store does not answer, every hour may be open."""
        try:
            last = self._rollups.last_closed(live=True)
        except StoreUnavailable:
            return 0
        return last.hour + 1 if last else 0

    def _drop(self, hour: int, *, lost: bool) -> None:
        """Drop an hour; an hour that was never closed will be closed as unobserved."""
        if lost:
            log.warning("hour %d was dropped before it could be closed: it counts as unobserved", hour)
        self._spool.drop(hour)

    def _rendered(self) -> None:
        self._stale = False
        self._edition.use()
        try:
            self._render()
        except Exception:
            log.exception("the reports could not be rendered; the previous ones remain")


def id_maps(dimensions: SqlDimensions) -> ClosingContext:
    """The names behind the ids of rows. Raises ``StoreUnavailable``."""
    family = UNRESOLVED
    facts = (family.name, family.operator, family.purpose, family.cls, family.operation, family.disputed)
    unresolved = dimensions.family(*facts, named=False)
    robots = next((id_ for id_, template in dimensions.routes().items() if template == ROBOTS), 0)
    return ClosingContext(dimensions.families(), robots, FamilyRow(unresolved, *facts, False))


def _grown(now: Mapping[str, int], then: Mapping[str, int]) -> dict[str, int]:
    """What each counter has gained since the hour was closed."""
    return {name: n - then.get(name, 0) for name, n in now.items() if n > then.get(name, 0)}
