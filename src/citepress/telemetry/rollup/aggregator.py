"""The aggregator: closes hours in their order five minutes after their end, adds late rows, lets go of what had its time.

One runs among all processes and nodes. Whatever stops it, even in the middle of an hour, the next one closes the same hour from the same rows.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from citepress.base.gc_pause import paused_gc
from citepress.contract.store import StoreUnavailable
from citepress.telemetry.identify.user_agents.scanning import BURST
from citepress.telemetry.identify.user_agents.table import UNRESOLVED
from citepress.telemetry.ports import (
    CRASHED,
    ENDED,
    FIRST,
    CarryOver,
    Closed,
    Dimensions,
    Election,
    FamilyRow,
    Hour,
    Rollups,
    Spool,
    SpoolRow,
)
from citepress.telemetry.rollup.close_hour import ClosedHour, ClosingContext, close_hour, late_rows
from citepress.telemetry.rollup.debounce import Debounce, Mark, nothing
from citepress.telemetry.rollup.windows import HOURS

HOUR_S, DAY_S = 3600, 86_400
GRACE_S = 300
"""Seconds after its end in which an hour waits for its last rows."""
SALT_S = 600
"""Seconds of a day after which the salts of the days before are overwritten."""
LATE_HOURS = 24
"""Late rows are added to so many hours back; older ones are dropped and counted."""
BEAT_S = 10
MEGABYTE = 1_000_000
TICK_S = 10.0
"""Seconds between two looks at the clock."""
LOOK_EVERY = 4096
"""Rows after which the aggregator looks whether it shall stop."""
ROBOTS = "/robots.txt"

log = logging.getLogger(__name__)


class Stop(Protocol):
    """A signal to end: ``threading.Event`` is one."""

    def is_set(self) -> bool:
        """Whether it was given."""
        ...

    def wait(self, timeout: float) -> bool:
        """Wait for it."""
        ...


class StoppedError(Exception):
    """The aggregator was told to end in the middle of an hour; nothing of that hour was written."""


@dataclass(frozen=True, slots=True)
class AggregatorRules:
    """What the operator has set."""

    classifier: str
    """Version of the classifier, for the cursor."""
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
        self, spool: Spool, rollups: Rollups, dimensions: Dimensions, rules: AggregatorRules, stop: Stop, render: Callable[[], None],
        refine: Refine = unchanged, edition: Callable[[], Mark] = nothing,
    ) -> None:  # fmt: skip
        """``render`` is called when something was closed, after a start, and when ``edition`` gives another mark and that has come to rest.

        What it raises is logged and the former reports stay.
        """
        self._spool, self._rollups, self._dimensions = spool, rollups, dimensions
        self._rules, self._stop, self._render, self._refine = rules, stop, render, refine
        self._edition = Debounce(edition)
        self._next: int | None = None
        """The next hour to close; ``None``: the store knows."""
        self._open = CarryOver()
        self._salted = 0
        """Day before which salts are known to be overwritten."""
        self._closed = 0
        """Hours closed so far."""
        self._stale = True
        """Whether reports have to be rendered although nothing was closed: after a start, and over another edition."""

    def close_due(self, now: datetime) -> int:
        """Do everything that is due at ``now``; give the number of hours closed. Raises ``StoreUnavailable``; it is safe to call again."""
        seconds = int(now.timestamp())
        before = self._closed
        self._stale |= self._edition.changed()
        self._forget_salts(seconds)
        try:
            self._close_until((seconds - GRACE_S) // HOUR_S)
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
        """Do what is due again and again, while elected, until stopped."""
        held = False
        while not self._stop.is_set():
            won = election.won()
            if won and not held:
                self.reset()
            held = won
            if won:
                self._guarded(now())
            self._stop.wait(tick)
        election.resign()

    def reset(self) -> None:
        """Forget what is held in memory: the store knows better."""
        self._next = None

    def _guarded(self, now: datetime) -> None:
        try:
            self.close_due(now)
        except StoreUnavailable:  # the store has logged why
            log.warning("no hour could be closed; it is tried again in %d seconds", TICK_S)
        except Exception:
            log.exception("no hour could be closed; it is tried again in %d seconds", TICK_S)

    def _close_until(self, end: int) -> None:
        """Close every hour before ``end`` that is not closed."""
        hour = self._begin() if self._next is None else self._next
        while hour is not None and hour < end and not self._stop.is_set():
            if not hour % HOURS:
                self._open = CarryOver()  # a day never goes on in the next
            with paused_gc():
                self._closed += self._close(hour)
            hour = self._next = hour + 1

    def _begin(self) -> int | None:
        """The hour after the last that was closed live, or the first of the spool."""
        last = self._rollups.last_closed(live=True)
        self._open = self._rollups.open_state() if last and (last.hour + 1) % HOURS else CarryOver()
        if last:
            return last.hour + 1
        return next(iter(self._spool.hours()), None)

    def _close(self, hour: int) -> bool:
        """Close one hour; False where it is closed already (imported), which leaves open sessions to the next."""
        known = id_maps(self._dimensions)
        self._add_late(hour, known)  # first: a crash after the closing must not make what was in time too late
        result = close_hour(hour, self._rows(hour, 0), self._bursts(hour), known, self._open)
        counts = dict(self._spool.counted(hour))
        counts.pop(ENDED, None)
        if crashed := self._spool.vanished(hour):
            counts[CRASHED] = crashed
        if first := self._spool.first_beat(hour):
            counts[FIRST] = first * BEAT_S
        cursor = Closed(hour, result.count, result.last_row, self._spool.beaten(hour) * BEAT_S, False, self._rules.classifier, counts)
        if not self._rollups.close(cursor, result.rows, result.after, result.pairs):
            return False
        self._open = result.after
        self._rollups.forget(hour + 1)
        return True

    def _bursts(self, hour: int) -> frozenset[tuple[int, int]]:
        return self._spool.bursts(hour, BURST)

    def _rows(self, hour: int, after: int) -> Iterator[SpoolRow]:
        """Rows of an hour, until told to stop."""
        for number, row in enumerate(self._refine(hour, self._spool.read(hour, after))):
            if not number % LOOK_EVERY and self._stop.is_set():
                raise StoppedError
            yield row

    def _add_late(self, hour: int, known: ClosingContext) -> None:
        """Add what came after the closing of earlier hours."""
        known_hours = [each for each in self._spool.hours() if each < hour]
        cursors = self._rollups.closed(known_hours[0], hour) if known_hours else ()
        stand = {cursor.hour: cursor for cursor in cursors if not cursor.imported}
        for each in known_hours:
            if each in stand:
                self._add_to(stand[each], known, counted=each > hour - LATE_HOURS)

    def _add_to(self, stand: Closed, known: ClosingContext, *, counted: bool) -> None:
        """Add the late rows of an hour, or count them as dropped where they come too late."""
        hour = stand.hour
        late = ClosedHour(Hour(), CarryOver(), 0, 0)
        if self._spool.last(hour) > stand.last_row:
            late = late_rows(hour, self._rows(hour, stand.last_row), self._bursts(hour) if counted else frozenset(), known)
        counts = _grown(self._spool.counted(hour), stand.counts) if counted else {}
        if not late.count and not counts:
            return
        name = "late" if counted else "dropped"
        if late.count:
            counts[name] = counts.get(name, 0) + late.count
        rows = late.rows if counted else Hour()
        rows.counts = counts
        observed = self._spool.beaten(hour) * BEAT_S
        self._rollups.add(hour, rows, max(late.last_row, stand.last_row), after=stand.last_row, observed_seconds=observed)

    def _forget_salts(self, seconds: int) -> None:
        """Overwrite the salts of earlier days, from ten past midnight on; where that fails it is tried again at the next look."""
        day = (seconds - SALT_S) // DAY_S
        if day == self._salted:
            return
        try:
            self._spool.forget_salts(day)
            self._salted = day
        except StoreUnavailable:
            log.warning("the salts of former days could not be overwritten; it is tried again in %d seconds", TICK_S)

    def _shrink(self, current: int) -> None:
        """Drop raw rows past their time, and the oldest while they take too much room: closed hours first, the current one never."""
        hours = [hour for hour in self._spool.hours() if hour < current]
        first_open = self._first_open() if self._next is None else self._next
        for hour in hours:
            if hour < current - self._rules.retention_hours:
                self._drop(hour, lost=hour >= first_open)
        left = sorted(
            (hour for hour in hours if hour >= current - self._rules.retention_hours), key=lambda hour: (hour >= first_open, hour)
        )
        for hour in left:
            if self._spool.size() <= self._rules.spool_max_mb * MEGABYTE:
                return
            self._drop(hour, lost=hour >= first_open)

    def _first_open(self) -> int:
        """The first hour that is not closed, as far as can be told; without the store every hour may be open."""
        try:
            last = self._rollups.last_closed(live=True)
        except StoreUnavailable:
            return 0
        return last.hour + 1 if last else 0

    def _drop(self, hour: int, *, lost: bool) -> None:
        """Drop an hour; one that was never closed will be closed as unobserved."""
        if lost:
            log.warning("hour %d is dropped before it could be closed: it counts as unobserved", hour)
        self._spool.drop(hour)

    def _rendered(self) -> None:
        self._stale = False
        self._edition.use()
        try:
            self._render()
        except Exception:
            log.exception("the reports could not be rendered; the former ones stay")


def id_maps(dimensions: Dimensions) -> ClosingContext:
    """What ids in rows stand for now. Raises ``StoreUnavailable``."""
    one = UNRESOLVED
    facts = (one.name, one.operator, one.purpose, one.cls, one.operation, one.disputed)
    stranger = dimensions.family(*facts, named=False)
    robots = next((id_ for id_, template in dimensions.routes().items() if template == ROBOTS), 0)
    return ClosingContext(dimensions.families(), robots, FamilyRow(stranger, *facts, False))


def _grown(now: Mapping[str, int], then: Mapping[str, int]) -> dict[str, int]:
    """What counters have gained since the closing."""
    return {name: n - then.get(name, 0) for name, n in now.items() if n > then.get(name, 0)}
