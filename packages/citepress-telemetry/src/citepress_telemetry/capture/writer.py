"""The writer: one thread in each worker that moves the tap's events into the spool."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Event as Signal
from threading import Thread
from typing import NamedTuple, TypeAlias

from citepress.base import clock
from citepress.base.timestamps import HOUR_S
from citepress.contract.store import StoreUnavailable
from citepress_telemetry.capture.context import EnrichmentContext, IdMaps
from citepress_telemetry.capture.enrich import Enricher
from citepress_telemetry.capture.event import Event
from citepress_telemetry.capture.recall_probes import normalized_question
from citepress_telemetry.capture.salts import Salts
from citepress_telemetry.capture.tap import Tap
from citepress_telemetry.ports import ENDED, Batch, FindPages, SpoolEmptied
from citepress_telemetry.sql.spool_base import SqlSpool

PAUSE_S = 0.2
TRANSACTION_ROWS = 1_000
"""Rows of one transaction."""
SLOT_S, HOUR_MS = 10, 1000 * HOUR_S
GRACE_S = 300
"""Seconds after its end until an hour is closed."""
TIMEOUT_S, RETRY_S = 10.0, 0.5
"""How long a batch is tried, and the pause between attempts."""
FLUSH_S = 2.0
"""Seconds that a stop may take."""
log = logging.getLogger(__name__)


class EditionPages(NamedTuple):
    """The pages of an edition."""

    edition: str
    """Digest of the edition."""
    materials: FindPages
    recall_probes: Callable[[], Iterable[str]] = tuple
    """The questions of its published recall probes."""


CurrentPages: TypeAlias = Callable[[], EditionPages | None]
"""The pages of the edition that is served now."""


class SpoolWriter:
    """Writes the events of a tap; ``start`` and ``stop`` are called once."""

    def __init__(
        self,
        tap: Tap,
        spool: SqlSpool,
        context: EnrichmentContext,
        pages: CurrentPages,
        worker: str,
        *,
        now: Callable[[], int] = clock.nanoseconds,
        pause: float = PAUSE_S,
        timeout: float = TIMEOUT_S,
    ) -> None:
        """``worker``: a unique name; ``now``: nanoseconds since 1970; ``pause`` and ``timeout``: seconds."""
        self._tap, self._spool, self._context, self._pages = tap, spool, context, pages
        self._worker, self._now, self._pause, self._timeout = worker, now, pause, timeout
        self._enricher = Enricher(context)
        self._salts = Salts(spool, self._seconds)
        self._id_maps = IdMaps(salts=self._salts)
        self._edition = ""
        self._counts: Counter[tuple[int, str]] = Counter()
        """Counts to write with the next batch."""
        self._dropped = 0
        self._written: Counter[int] = Counter()
        """Rows written, by hour, for hours that may still be open."""
        self._slot = -1
        self._stop = Signal()
        self._never = Signal()
        self._end = 0.0
        self._thread = Thread(target=self._run, name="telemetry", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Write the waiting events for at most two seconds; what is left then is lost."""
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
        """Write once; an error neither ends the thread nor puts request data into the log."""
        try:
            self.turn()
        except StoreUnavailable:  # the store has logged why
            self._stop.wait(RETRY_S)
        except Exception as error:  # noqa: BLE001  (a traceback might show a client)
            log.error("requests are not counted: %s", type(error).__name__)  # noqa: TRY400  (likewise)

    def turn(self) -> None:
        """Write everything that waits now.

        Raises ``StoreUnavailable`` if only counts or a heartbeat could not be written.
        """
        beats = self._beats()
        self._note_dropped()
        waiting = len(self._tap.events)
        # What is here now and no more: under load the tap fills as fast as it is emptied, and beats would never be
        # written.
        while waiting > 0 and (events := self._tap.take(min(TRANSACTION_ROWS, waiting))):
            waiting -= len(events)
            if self._write_events(events, beats):
                beats = ()
        self._read_edition()
        if beats or self._counts:
            self._write(Batch(beats=beats))

    def _beats(self) -> Sequence[tuple[int, int]]:
        """The heartbeat of a new slot of ten seconds, and the chores that come with it."""
        slot = int(self._seconds()) // SLOT_S
        if slot == self._slot:
            return ()
        # Beats say that this worker lives; they must not depend on a store that is away for other tasks.
        with suppress(StoreUnavailable):
            self._context.chores()
            self._salts.refresh()
        self._slot = slot
        hour = slot * SLOT_S // HOUR_S
        # Only hours that may still be open matter for what a loss would take.
        self._written = Counter({each: n for each, n in self._written.items() if each >= hour - 1})
        return [(slot * SLOT_S // HOUR_S, slot % (HOUR_S // SLOT_S))]

    def _note_dropped(self) -> None:
        dropped = self._tap.dropped
        self._count("dropped", dropped - self._dropped)
        self._dropped = dropped

    def _read_edition(self, events: Sequence[Event] = ()) -> None:
        """Read what is counted by name in a new edition, and the ids of the pages that these events read.

        Earlier ids remain for events that still wait. Only pages that are read get an id here, because an edition may
        have a hundred thousand that are not.
        """
        pages = self._pages()
        if pages is None:
            return
        materials = self._id_maps.materials
        if pages.edition != self._edition:
            materials = self._id_maps.materials = {path: id_ for path, id_ in materials.items() if id_}
            self._id_maps.recall_probes = frozenset(map(normalized_question, pages.recall_probes()))
            self._edition = pages.edition
        read = {canonical for event in events if (canonical := getattr(event[10], "canonical", ""))}
        if unknown := read.difference(materials):
            ids = self._context.dimensions.material_ids(unknown, pages.materials)
            materials.update(dict.fromkeys(unknown, 0) | dict(ids))

    def _write_events(self, events: Sequence[Event], beats: Sequence[tuple[int, int]]) -> bool:
        """Enrich and write a batch, retrying for ten seconds; then drop it and count the loss."""
        end = clock.seconds() + self._timeout
        batch: Batch | None = None
        while True:
            try:
                self._read_edition(events)
                batch = batch or self._enriched(events)
                self._write(replace(batch, beats=beats))
            except StoreUnavailable:
                # The tap fills meanwhile, so after this long the oldest events give way to newer ones.
                if clock.seconds() + RETRY_S > (min(end, self._end) if self._stop.is_set() else end):
                    self._count("dropped", len(events))
                    return False
                self._wait()
            else:
                return True

    def _enriched(self, events: Sequence[Event]) -> Batch:
        """Enrich the batch; drop only the events that fail."""
        try:
            return self._enricher.batch(events, self._id_maps)
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  (a traceback might show a client)
            log.error("a request could not be counted: %s", type(error).__name__)  # noqa: TRY400  (likewise)
            if len(events) == 1:
                self._count("dropped", 1)
                return Batch()
        # Halving finds the one event that cannot be counted in few steps, and saves all others of its batch.
        half = len(events) // 2
        first, second = self._enriched(events[:half]), self._enriched(events[half:])
        held = {**first.held, **{len(first.rows) + place: value for place, value in second.held.items()}}
        return Batch(
            [*first.rows, *second.rows],
            _added(first.counts, second.counts),
            (),
            _added(first.unlisted, second.unlisted),
            held,
        )

    def _write(self, batch: Batch) -> None:
        """Append a batch with the waiting counts, which are cleared once they are stored."""
        counts = self._counts
        try:
            self._spool.append(self._worker, replace(batch, counts=_added(batch.counts, counts)) if counts else batch)
        # Rows of open hours went with the spool, and reports have to say so instead of showing a quiet hour.
        except SpoolEmptied:
            self._count_lost()
            raise
        self._counts = Counter()
        self._written.update(row.ts // HOUR_MS for row in batch.rows)

    def _count_lost(self) -> None:
        """Count the rows of open hours as dropped: the database has lost them."""
        open_from = (self._seconds() - GRACE_S) // HOUR_S
        for hour, n in self._written.items():
            if hour >= open_from:
                self._counts[hour, "dropped"] += n
        self._written.clear()

    def _count(self, name: str, count: int) -> None:
        if count:
            self._counts[int(self._seconds()) // HOUR_S, name] += count

    def _wait(self) -> None:
        """Pause between attempts."""
        if self._stop.is_set():
            # The stop signal is set already, and waiting for it would return at once.
            self._never.wait(RETRY_S)
        else:
            self._stop.wait(RETRY_S)

    def _seconds(self) -> float:
        return self._now() / 1e9


def _added(
    counts: Mapping[tuple[int, str], int], other: Mapping[tuple[int, str], int]
) -> Mapping[tuple[int, str], int]:
    return Counter(counts) + Counter(other)
