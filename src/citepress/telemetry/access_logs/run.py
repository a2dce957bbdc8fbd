"""An import: lines of several logs by time, into the rollups of whole hours, in one transaction with the logs' cursors.

An hour is shut once a line is a minute past it, for logs are written at the end of a request and lie out of order. Hours that are shut are
closed together, a few days of a sparse log in one transaction. Lines that come later still are added to their hour like the late rows of a
running service, in the transaction of the hours that close next.
"""

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from citepress.telemetry.access_logs.buffer import Buffer
from citepress.telemetry.access_logs.cursor import LONGEST, NEVER, AccessLog
from citepress.telemetry.access_logs.events import Events
from citepress.telemetry.access_logs.line import Line, Parser
from citepress.telemetry.access_logs.tally import Tally
from citepress.telemetry.capture.context import IdMaps as Names
from citepress.telemetry.capture.enrich import Enricher
from citepress.telemetry.capture.event import Event
from citepress.telemetry.identify.user_agents.scanning import BURST
from citepress.telemetry.ports import FIRST, IMPORTED, Batch, CarryOver, Closed, Hour, Rollups
from citepress.telemetry.rollup.aggregator import GRACE_S, HOUR_S
from citepress.telemetry.rollup.close_hour import HOUR_MS, ClosedHour, ClosingContext, close_hour, late_rows

SLACK_MS = 60_000
"""An hour waits for lines out of order until one is so far past it."""
OLDEST_MS = 946_684_800_000
"""A time before the year 2000 is none."""
BATCH = 500
"""Lines that are sorted together; as many User-Agents as may be new among them."""
HOURS_TOGETHER, LINES_TOGETHER = 96, 50_000
"""Hours, or lines of them, that are closed in one transaction."""

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many bytes of the files on the disk, and how many new lines, were read."""


def unwatched(_size: int, _lines: int) -> None:
    """Nobody watches."""


class LogLine(NamedTuple):
    """A line as it comes out of a log."""

    ts: int
    """Its time, or that of the line before where it has none."""
    raw: bytes
    line: Line | None
    log: AccessLog


@dataclass(frozen=True, slots=True)
class ImportContext:
    """What an import works with."""

    sorter: Enricher
    names: Names
    events: Events
    rollups: Rollups
    rows: Buffer
    """Holds the hours that are not closed yet."""
    late: Buffer
    """The same for lines that came late."""
    live: Callable[[int], bool]
    """Whether the service itself counted in an hour."""
    known: Callable[[], ClosingContext]
    """Names as closing needs them."""
    classifier: str
    now: int
    """Seconds since 1970."""
    hosts: frozenset[str] = frozenset()
    """Only requests to these are counted; all where it is empty, and where a log does not tell."""
    progress: Progress = unwatched


class Import:
    """One run over logs of which no two are the same; used once."""

    def __init__(self, kit: ImportContext, logs: Sequence[tuple[AccessLog, Parser]], tally: Tally) -> None:
        """``logs`` were resumed; ``tally`` is added to."""
        self._kit, self._logs, self._tally = kit, logs, tally
        self._events: dict[bool, list[Event]] = {False: [], True: []}
        """Lines to sort: those in time, and late ones."""
        self._pending: dict[int, int] = {}
        """Lines of each hour that is not closed."""
        self._late: set[int] = set()
        self._live: dict[int, bool] = {}
        self._open = CarryOver()
        self._shut = NEVER
        """Lines of hours up to this one come late; they are closed once there are enough of them."""
        self._front = 0
        """The latest time seen."""
        self._due = math.inf
        """The time at which the next hour is shut."""
        self._begin = min((log.last_hour * HOUR_MS for log, _ in logs if log.last_hour > NEVER), default=0)
        """Where what the logs cover begins."""
        self._known: ClosingContext | None = None
        self._seen: set[int] = set()
        """Families among the rows."""

    def run(self) -> None:
        """Read everything; raises ``LogError`` and ``StoreUnavailable``, and what was written until then stands."""
        streams = [self._read(log, parse) for log, parse in self._logs]
        for read in streams[0] if len(streams) == 1 else heapq.merge(*streams, key=itemgetter(0)):
            offset = read.log.take(read.raw)
            if read.line is not None:
                self._take(read.log, offset, read.line)
            elif offset >= read.log.counted_until and read.raw.strip():
                self._tally.lines += 1
                self._tally.malformed += 1
            if self._due <= self._front:
                self._shut_due()
        self._flush()
        over = [hour for hour in sorted(self._pending) if self._over(hour)]
        for first in range(0, len(over), HOURS_TOGETHER):
            self._shut = over[-1]
            self._close(over[first : first + HOURS_TOGETHER])
        if self._late:
            self._close_late()
        self._tally.waiting += sum(self._pending.values())

    def _read(self, log: AccessLog, parse: Parser) -> Iterator[LogLine]:
        """The lines of a log; the last is left for the next time while it is being written."""
        ts, whole = 0, True
        for raw in log.lines():
            ended = raw.endswith(b"\n")
            line = parse(raw.rstrip(b"\r\n")) if whole and (ended or len(raw) < LONGEST) else None
            if not ended and len(raw) < LONGEST and line is None:
                return
            whole = ended
            ts = line.ts if line else ts
            yield LogLine(ts, raw, line, log)

    def _take(self, log: AccessLog, offset: int, line: Line) -> None:
        """Put a line into its hour, or count why not."""
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
            if len(waiting) >= BATCH:
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
        """Sort what waits and put it into the spools."""
        for late, spool in ((False, self._kit.rows), (True, self._kit.late)):
            events, self._events[late] = self._events[late], []
            if events:
                batch = self._kit.sorter.batch(events, self._kit.names)
                self._seen.update(row.family for row in batch.rows)
                spool.append(Batch([row._replace(flags=row.flags | IMPORTED) for row in batch.rows], batch.counts))
        self._kit.progress(sum(log.progress() for log, _ in self._logs), self._tally.lines)

    def _shut_due(self) -> None:
        """Shut what a line is a minute past; not before each log is read up to where it was left, for its cursor tells of no less."""
        if any(log.position < log.counted_until for log, _ in self._logs):
            return
        while self._due <= self._front:
            hour = min(hour for hour in self._pending if hour > self._shut)
            if not self._over(hour):
                return
            self._shut = hour
            self._due = self._next_due()
        shut = [hour for hour in self._pending if hour <= self._shut]
        if len(shut) >= HOURS_TOGETHER or sum(self._pending[hour] for hour in shut) >= LINES_TOGETHER:
            self._close(sorted(shut))

    def _next_due(self) -> float:
        """The time at which the next hour is shut."""
        left = [hour for hour in self._pending if hour > self._shut]
        return (min(left) + 1) * HOUR_MS + SLACK_MS if left else math.inf

    def _over(self, hour: int) -> bool:
        """Whether the clock is five minutes past an hour."""
        return (hour + 1) * HOUR_S + GRACE_S <= self._kit.now

    def _close(self, hours: Sequence[int]) -> None:
        """Close hours that are shut, in one transaction; those that the service began to count meanwhile are passed over."""
        self._flush()
        kit, left = self._kit, list(hours)
        while left:
            known = self._names()
            after, found = self._open, []
            for hour in left:
                result = self._closing(hour, known, after)
                after = result.after
                counts = dict(kit.rows.counted(hour))
                if self._begin > hour * HOUR_MS:
                    counts[FIRST] = (self._begin - hour * HOUR_MS) // 1000
                cursor = Closed(hour, result.count, 0, self._observed(hour), True, kit.classifier, counts)
                found.append((cursor, result.rows, result.pairs))
            late = self._late_hours(known)
            files = [log.cursor(left[-1]) for log, _ in self._logs if log.changed]
            refused = kit.rollups.close_imports(found, files, late)
            if not refused:
                self._open = after
                for cursor, rows, _ in found:
                    self._count(cursor, rows)
                self._counted_late(late)
                break
            self._refused(sum(self._pending[hour] for hour in refused))
            left = [hour for hour in left if hour not in refused]
        for hour in hours:
            del self._pending[hour]
            kit.rows.drop(hour)

    def _closing(self, hour: int, known: ClosingContext, before: CarryOver) -> ClosedHour:
        rows = self._kit.rows
        goes_on = hour + 1 in self._pending and self._over(hour + 1)
        return close_hour(hour, rows.read(hour), rows.bursts(hour, BURST), known, before, ends=not goes_on)

    def _close_late(self) -> None:
        """Add late lines although no hour closes any more."""
        late = self._late_hours(self._names())
        files = [log.cursor(self._shut) for log, _ in self._logs if log.changed]
        (cursor, rows), *others = late
        if self._kit.rollups.close_imported(cursor, rows, files, (), others):
            self._counted_late(late)
        else:
            self._refused(cursor.rows)

    def _late_hours(self, known: ClosingContext) -> list[tuple[Closed, Hour]]:
        found, spool = [], self._kit.late
        for hour in sorted(self._late):
            result = late_rows(hour, spool.read(hour), spool.bursts(hour, BURST), known)
            counts = {**spool.counted(hour), "late": result.count}
            found.append((Closed(hour, result.count, 0, 0, True, self._kit.classifier, counts), result.rows))
        return found

    def _counted_late(self, late: Sequence[tuple[Closed, Hour]]) -> None:
        for cursor, rows in late:
            self._count(cursor, rows)
            self._kit.late.drop(cursor.hour)
        self._late.clear()

    def _count(self, cursor: Closed, rows: Hour) -> None:
        tally, families = self._tally, self._names().families
        tally.hours.add(cursor.hour)
        tally.requests += cursor.rows
        tally.excluded_self += cursor.counts.get("self", 0)
        tally.excluded_assets += cursor.counts.get("assets", 0)
        tally.families.update({families[one].name: sums.n for one, sums in rows.families.items() if sums.n})

    def _refused(self, lines: int) -> None:
        """The service began to count the hour meanwhile; the cursors go with the next one."""
        self._tally.skipped_live += lines
        for log, _ in self._logs:
            log.changed = True

    def _observed(self, hour: int) -> int:
        """Seconds of an hour that the logs cover, as far as their lines tell."""
        begin, end = max(hour * HOUR_MS, self._begin), min((hour + 1) * HOUR_MS, self._front)
        return max(0, end - begin) // 1000

    def _names(self) -> ClosingContext:
        """The names that rows have, read anew once there are new ones."""
        if self._known is None or not self._seen <= self._known.families.keys():
            self._known = self._kit.known()
        return self._known
