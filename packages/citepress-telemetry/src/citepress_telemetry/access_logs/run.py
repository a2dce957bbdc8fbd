"""An import: lines of several logs by time, into the rollups of whole hours, in one transaction with the logs' cursors.

An hour is shut once a line is a minute past it, for logs are written at the end of a request and lie out of order.
Hours that are shut are closed together, a few days of a sparse log in one transaction. Lines that come later still
are added to their hour like the late rows of a running service, in the transaction of the hours that close next.
"""

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from citepress.base.gc_pause import paused_gc
from citepress.base.timestamps import HOUR_S
from citepress_telemetry.access_logs.buffer import Buffer
from citepress_telemetry.access_logs.cursor import MAX_LINE_BYTES, NEVER, AccessLog
from citepress_telemetry.access_logs.events import Events
from citepress_telemetry.access_logs.line import COMMENT, Line, Parser
from citepress_telemetry.access_logs.tally import Tally
from citepress_telemetry.capture.context import IdMaps as Names
from citepress_telemetry.capture.enrich import Enricher
from citepress_telemetry.capture.event import Event
from citepress_telemetry.identify.user_agents.scanning import BURST
from citepress_telemetry.model import FIRST, CarryOver, Closed, Hour
from citepress_telemetry.ports import IMPORTED, Batch
from citepress_telemetry.rollup.aggregator import GRACE_S
from citepress_telemetry.rollup.close_hour import HOUR_MS, ClosedHour, ClosingContext, close_hour, late_rows
from citepress_telemetry.sql.rollups import SqlRollups

SLACK_MS = 60_000
"""An hour waits for lines out of order until one is this far past its end."""
OLDEST_MS = 946_684_800_000
"""A time before the year 2000 is not believed."""
BATCH_LINES = 500
"""Lines that are enriched together, and so the most User-Agents that can be new among them."""
HOURS_TOGETHER, LINES_TOGETHER = 480, 50_000
"""Hours, or lines, that are closed in one transaction."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the bytes read from disk and the number of new lines."""


def unwatched(_size: int, _lines: int) -> None:
    """Ignore the progress."""


class LogLine(NamedTuple):
    """A line read from a log."""

    ts: int
    """Its time, or that of the line before if it has none."""
    raw: bytes
    line: Line | None
    log: AccessLog


@dataclass(frozen=True, slots=True)
class ImportContext:
    """What an import needs."""

    sorter: Enricher
    names: Names
    events: Events
    rollups: SqlRollups
    rows: Buffer
    """Holds the hours that are not closed yet."""
    late: Buffer
    """The same for late lines."""
    live: Callable[[int], bool]
    """Whether the service itself counted in an hour."""
    closing_context: Callable[[], ClosingContext]
    """Reads the names behind the ids of rows."""
    classifier: str
    now: int
    """Seconds since 1970."""
    hosts: frozenset[str] = frozenset()
    """Only requests for these are counted; all if it is empty, or a log does not have the host."""
    progress: Progress = unwatched


class Import:
    """One run over logs that are all different; used once."""

    def __init__(self, kit: ImportContext, logs: Sequence[tuple[AccessLog, Parser]], tally: Tally) -> None:
        """``logs`` have been resumed; counts are added to ``tally``."""
        self._kit, self._logs, self._tally = kit, logs, tally
        self._events: dict[bool, list[Event]] = {False: [], True: []}
        """Lines to enrich: those in time, and late ones."""
        self._pending: dict[int, int] = {}
        """Lines of each hour that can still get more."""
        self._ready: dict[int, int] = {}
        """Lines of each hour that is shut and waits to be closed with others."""
        self._late: set[int] = set()
        self._live: dict[int, bool] = {}
        self._open = CarryOver()
        self._shut = NEVER
        """Lines of hours up to this one are late."""
        self._front = 0
        """The latest time read."""
        self._due = math.inf
        """The time after which the next hour is shut."""
        self._begin = min((log.last_hour * HOUR_MS for log, _ in logs if log.last_hour > NEVER), default=0)
        """The start of the time that the logs cover."""
        self._context: ClosingContext | None = None
        self._families: set[int] = set()
        """Ids of the families of rows."""

    def run(self) -> None:
        """Read everything; raises ``LogError`` and ``StoreUnavailable``, and what was written until then remains."""
        streams = [self._read(log, parse) for log, parse in self._logs]
        for read in streams[0] if len(streams) == 1 else heapq.merge(*streams, key=itemgetter(0)):
            offset = read.log.take(read.raw)
            if read.line is not None:
                self._take(read.log, offset, read.line)
            elif offset >= read.log.counted_until and read.raw.strip() and not read.raw.startswith(COMMENT):
                self._tally.lines += 1
                self._tally.malformed += 1
            if self._due <= self._front:
                self._shut_due()
        self._flush()
        for hour in sorted(filter(self._over, self._pending)):
            self._shut_hour(hour)
        self._close_ready()
        if self._late:
            self._close_late()
        self._tally.waiting += sum(self._pending.values())

    def _read(self, log: AccessLog, parse: Parser) -> Iterator[LogLine]:
        """The lines of a log; an unfinished last line is left for the next import."""
        ts, whole = 0, True
        for raw in log.lines():
            ended = raw.endswith(b"\n")
            line = parse(raw.rstrip(b"\r\n")) if whole and (ended or len(raw) < MAX_LINE_BYTES) else None
            if not ended and len(raw) < MAX_LINE_BYTES and line is None:
                return
            whole = ended
            ts = line.ts if line else ts
            yield LogLine(ts, raw, line, log)

    def _take(self, log: AccessLog, offset: int, line: Line) -> None:
        """Add a line to its hour, or count why it is skipped."""
        hour, tally = line.ts // HOUR_MS, self._tally
        if offset < log.counted_until and hour <= log.last_hour:
            return
        tally.lines += 1
        if not OLDEST_MS <= line.ts <= (self._kit.now + GRACE_S) * 1000:
            tally.malformed += 1
        elif self._kit.hosts and line.host and line.host not in self._kit.hosts:
            tally.skipped_host += 1
        elif self._is_live(hour):
            tally.skipped_live += 1
        else:
            late = hour <= max(self._shut, log.last_hour)
            self._keep(log, hour, offset, late=late)
            self._front = max(self._front, line.ts)
            self._begin = self._begin or line.ts
            waiting = self._events[late]
            waiting.append(self._kit.events.event(line))
            if len(waiting) >= BATCH_LINES:
                self._flush()

    def _keep(self, log: AccessLog, hour: int, offset: int, *, late: bool) -> None:
        if late:
            self._late.add(hour)
            self._tally.late += 1
            return
        if hour not in self._pending:
            self._pending[hour] = 0
            self._due = self._next_due()
        self._pending[hour] += 1
        log.waiting.setdefault(hour, offset)

    def _is_live(self, hour: int) -> bool:
        if hour not in self._live:
            self._live[hour] = self._kit.live(hour)
        return self._live[hour]

    def _flush(self) -> None:
        """Enrich the waiting lines and move them into the buffers."""
        for late, spool in ((False, self._kit.rows), (True, self._kit.late)):
            events, self._events[late] = self._events[late], []
            if events:
                batch = self._kit.sorter.batch(events, self._kit.names)
                self._families.update(row.family for row in batch.rows)
                spool.append(Batch([row._replace(flags=row.flags | IMPORTED) for row in batch.rows], batch.counts))
        self._kit.progress(sum(log.progress() for log, _ in self._logs), self._tally.lines)

    def _shut_due(self) -> None:
        """Shut hours that a line is a minute past, but not before each log is read up to where it was left.

        A cursor cannot go back behind that position.
        """
        if any(log.position < log.counted_until for log, _ in self._logs):
            return
        while self._due <= self._front:
            hour = min(self._pending)
            if not self._over(hour):
                return
            self._shut_hour(hour)
            self._due = self._next_due()
        if len(self._ready) >= HOURS_TOGETHER or sum(self._ready.values()) >= LINES_TOGETHER:
            self._close_ready()

    def _shut_hour(self, hour: int) -> None:
        """Accept no more lines for an hour; later ones are late."""
        self._shut = hour
        self._ready[hour] = self._pending.pop(hour)

    def _next_due(self) -> float:
        """The time after which the next hour is shut."""
        return (min(self._pending) + 1) * HOUR_MS + SLACK_MS if self._pending else math.inf

    def _over(self, hour: int) -> bool:
        """Whether the clock is five minutes past an hour."""
        return (hour + 1) * HOUR_S + GRACE_S <= self._kit.now

    def _close_ready(self) -> None:
        """Close the hours that are shut, many in one transaction."""
        hours = sorted(self._ready)
        # The sums of hundreds of hours are alive at once: collecting among them took a fifth of an import.
        with paused_gc():
            for first in range(0, len(hours), HOURS_TOGETHER):
                self._close(hours[first : first + HOURS_TOGETHER])

    def _close(self, hours: Sequence[int]) -> None:
        """Close hours in one transaction, without those that the service has begun to count meanwhile."""
        self._flush()
        kit, left = self._kit, list(hours)
        while left:
            context = self._closing_context()
            after, closings = self._open, []
            for hour in left:
                result = self._closing(hour, context, after)
                after = result.after
                counts = dict(kit.rows.counted(hour))
                if self._begin > hour * HOUR_MS:
                    counts[FIRST] = (self._begin - hour * HOUR_MS) // 1000
                cursor = Closed(hour, result.count, 0, self._observed(hour), True, kit.classifier, counts)
                closings.append((cursor, result.rows, result.pairs))
            late = self._late_hours(context)
            files = [log.cursor(left[-1]) for log, _ in self._logs if log.changed]
            refused = kit.rollups.close_imports(closings, files, late)
            if not refused:
                self._open = after
                for cursor, rows, _ in closings:
                    self._count(cursor, rows)
                self._counted_late(late)
                break
            self._refused(sum(self._ready[hour] for hour in refused))
            left = [hour for hour in left if hour not in refused]
        for hour in hours:
            del self._ready[hour]
            kit.rows.drop(hour)

    def _closing(self, hour: int, context: ClosingContext, before: CarryOver) -> ClosedHour:
        rows = self._kit.rows
        goes_on = (hour + 1 in self._ready or hour + 1 in self._pending) and self._over(hour + 1)
        return close_hour(hour, rows.read(hour), rows.bursts(hour, BURST), context, before, ends=not goes_on)

    def _close_late(self) -> None:
        """Add late lines after the last hour was closed."""
        late = self._late_hours(self._closing_context())
        files = [log.cursor(self._shut) for log, _ in self._logs if log.changed]
        (cursor, rows), *others = late
        if self._kit.rollups.close_imported(cursor, rows, files, (), others):
            self._counted_late(late)
        else:
            self._refused(cursor.rows)

    def _late_hours(self, context: ClosingContext) -> list[tuple[Closed, Hour]]:
        additions, spool = [], self._kit.late
        for hour in sorted(self._late):
            result = late_rows(hour, spool.read(hour), spool.bursts(hour, BURST), context)
            counts = {**spool.counted(hour), "late": result.count}
            additions.append((Closed(hour, result.count, 0, 0, True, self._kit.classifier, counts), result.rows))
        return additions

    def _counted_late(self, late: Sequence[tuple[Closed, Hour]]) -> None:
        for cursor, rows in late:
            self._count(cursor, rows)
            self._kit.late.drop(cursor.hour)
        self._late.clear()

    def _count(self, cursor: Closed, rows: Hour) -> None:
        tally, families = self._tally, self._closing_context().families
        tally.hours.add(cursor.hour)
        tally.requests += cursor.rows
        tally.excluded_self += cursor.counts.get("self", 0)
        tally.excluded_assets += cursor.counts.get("assets", 0)
        tally.families.update({families[family].name: sums.n for family, sums in rows.families.items() if sums.n})

    def _refused(self, lines: int) -> None:
        """Count lines of hours that the service has begun to count; the cursors are written with the next hours."""
        self._tally.skipped_live += lines
        for log, _ in self._logs:
            log.changed = True

    def _observed(self, hour: int) -> int:
        """Seconds of an hour that the logs cover, judged by their lines."""
        begin, end = max(hour * HOUR_MS, self._begin), min((hour + 1) * HOUR_MS, self._front)
        return max(0, end - begin) // 1000

    def _closing_context(self) -> ClosingContext:
        """The names behind the ids of rows, read again once there are new ones."""
        if self._context is None or not self._families <= self._context.families.keys():
            self._context = self._kit.closing_context()
        return self._context
