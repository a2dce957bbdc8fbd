"""The writer: one thread a worker that empties the tap's list into the spool."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Event as Signal
from threading import Thread
from typing import NamedTuple, TypeAlias

from citepress.base import clock
from citepress.contract.store import StoreUnavailable
from citepress.telemetry.capture.context import EnrichmentContext, IdMaps
from citepress.telemetry.capture.enrich import Enricher
from citepress.telemetry.capture.event import Event
from citepress.telemetry.capture.salts import Salts
from citepress.telemetry.capture.tap import Tap
from citepress.telemetry.ports import ENDED, Batch, MaterialRow, Spool, SpoolEmptied

PAUSE_S = 0.2
ROWS = 1_000
"""Rows of one transaction."""
SLOT_S, HOUR_S, HOUR_MS = 10, 3600, 3_600_000
GRACE_S = 300
"""Seconds after its end at which an hour is closed."""
PATIENCE_S, AGAIN_S = 10.0, 0.5
"""How long a batch is tried, and the pause between tries."""
FLUSH_S = 2.0
"""How long a stop may take."""
log = logging.getLogger(__name__)


class EditionPages(NamedTuple):
    """The materials of an edition."""

    edition: str
    """Digest of the edition."""
    materials: Callable[[], Iterable[MaterialRow]]


Shelves: TypeAlias = Callable[[], EditionPages | None]
"""Tells the edition that is served now."""


class SpoolWriter:
    """Writes down what a tap was told; ``start`` and ``stop`` are called once."""

    def __init__(
        self, tap: Tap, spool: Spool, parts: EnrichmentContext, shelves: Shelves, worker: str, *,
        now: Callable[[], int] = clock.nanoseconds, pause: float = PAUSE_S, patience: float = PATIENCE_S,
    ) -> None:  # fmt: skip
        """``worker`` is a name that no other worker has; ``now`` gives nanoseconds since 1970; the others are seconds."""
        self._tap, self._spool, self._parts, self._shelves = tap, spool, parts, shelves
        self._worker, self._now, self._pause, self._patience = worker, now, pause, patience
        self._sorter = Enricher(parts)
        self._salts = Salts(spool, self._seconds)
        self._known = IdMaps(salts=self._salts)
        self._edition = ""
        self._counts: Counter[tuple[int, str]] = Counter()
        """What is to be told with the next batch."""
        self._dropped = 0
        self._written: Counter[int] = Counter()
        """Rows that were written, by hour; of the hours that may still be open."""
        self._slot = -1
        self._stop = Signal()
        self._never = Signal()
        self._end = 0.0
        self._thread = Thread(target=self._run, name="telemetry", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Write what waits, for two seconds at most; what cannot be written by then is lost."""
        self._end = clock.seconds() + FLUSH_S
        self._stop.set()
        self._thread.join(FLUSH_S)
        if self._thread.is_alive():
            log.warning("the last requests could not be counted within %d seconds", FLUSH_S)

    def _run(self) -> None:
        while not self._stop.wait(self._pause):
            self._guarded()
        self._guarded()
        self._count(ENDED, 1)
        self._guarded()

    def _guarded(self) -> None:
        """A turn that ends neither the thread nor, in the log, with what it was about."""
        try:
            self.turn()
        except StoreUnavailable:  # the store has logged why
            self._stop.wait(AGAIN_S)
        except Exception as error:  # noqa: BLE001  (a traceback might show a client)
            log.error("requests are not counted: %s", type(error).__name__)  # noqa: TRY400  (likewise)

    def turn(self) -> None:
        """Write everything that waits now. Raises ``StoreUnavailable`` where that is counts or a sign of life alone."""
        beats = self._beats()
        self._note_dropped()
        waiting = len(self._tap.events)
        while waiting > 0 and (events := self._tap.take(min(ROWS, waiting))):
            waiting -= len(events)
            if self._tried(events, beats):
                beats = ()
        self._look_at_edition()
        if beats or self._counts:
            self._write(Batch(beats=beats))

    def _beats(self) -> Sequence[tuple[int, int]]:
        """The slot of ten seconds that has begun, and the chores that come with it."""
        slot = int(self._seconds()) // SLOT_S
        if slot == self._slot:
            return ()
        with suppress(StoreUnavailable):
            self._parts.chores()
            self._salts.refresh()
        self._slot = slot
        hour = slot * SLOT_S // HOUR_S
        self._written = Counter({each: n for each, n in self._written.items() if each >= hour - 1})
        return [(slot * SLOT_S // HOUR_S, slot % (HOUR_S // SLOT_S))]

    def _note_dropped(self) -> None:
        seen = self._tap.dropped
        self._count("dropped", seen - self._dropped)
        self._dropped = seen

    def _look_at_edition(self) -> None:
        """Learn the ids of an edition's materials; those of the one before stay known for events that still wait."""
        shelf = self._shelves()
        if shelf is not None and shelf.edition != self._edition:
            ids = self._parts.dimensions.materials(shelf.materials())
            self._known.materials = {**self._known.materials, **ids}
            self._edition = shelf.edition

    def _tried(self, events: Sequence[Event], beats: Sequence[tuple[int, int]]) -> bool:
        """Sort and write a batch, again and again for ten seconds; then it is dropped and counted."""
        end = clock.seconds() + self._patience
        batch: Batch | None = None
        while True:
            try:
                self._look_at_edition()
                batch = batch or self._sorted(events)
                self._write(replace(batch, beats=beats))
            except StoreUnavailable:
                if clock.seconds() + AGAIN_S > (min(end, self._end) if self._stop.is_set() else end):
                    self._count("dropped", len(events))
                    return False
                self._rest()
            else:
                return True

    def _sorted(self, events: Sequence[Event]) -> Batch:
        """The batch; an event that cannot be sorted takes nobody with it."""
        try:
            return self._sorter.batch(events, self._known)
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  (a traceback might show a client)
            log.error("a request could not be counted: %s", type(error).__name__)  # noqa: TRY400  (likewise)
            if len(events) == 1:
                self._count("dropped", 1)
                return Batch()
        half = len(events) // 2
        first, second = self._sorted(events[:half]), self._sorted(events[half:])
        held = {**first.held, **{len(first.rows) + place: value for place, value in second.held.items()}}
        return Batch(
            [*first.rows, *second.rows], _added(first.counts, second.counts), (), _added(first.unlisted, second.unlisted), held
        )  # fmt: skip

    def _write(self, batch: Batch) -> None:
        """Append a batch with the counts that wait; they are no longer waiting once they stand."""
        counts = self._counts
        try:
            self._spool.append(self._worker, replace(batch, counts=_added(batch.counts, counts)) if counts else batch)
        except SpoolEmptied:
            self._count_lost()
            raise
        self._counts = Counter()
        self._written.update(row.ts // HOUR_MS for row in batch.rows)

    def _count_lost(self) -> None:
        """Count what this worker wrote into hours that cannot be closed yet: the database has lost it."""
        open_from = (self._seconds() - GRACE_S) // HOUR_S
        for hour, n in self._written.items():
            if hour >= open_from:
                self._counts[hour, "dropped"] += n
        self._written.clear()

    def _count(self, name: str, count: int) -> None:
        if count:
            self._counts[int(self._seconds()) // HOUR_S, name] += count

    def _rest(self) -> None:
        """Wait a little between tries."""
        if self._stop.is_set():
            self._never.wait(AGAIN_S)
        else:
            self._stop.wait(AGAIN_S)

    def _seconds(self) -> float:
        return self._now() / 1e9


def _added(one: Mapping[tuple[int, str], int], other: Mapping[tuple[int, str], int]) -> Mapping[tuple[int, str], int]:
    return Counter(one) + Counter(other)
