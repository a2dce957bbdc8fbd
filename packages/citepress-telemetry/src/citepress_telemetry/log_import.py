"""Imports access logs of other servers into the rollups."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_bytes
from shutil import rmtree
from tempfile import TemporaryDirectory

from citepress.app.registry import table
from citepress.base import clock
from citepress.base.timestamps import HOUR_S
from citepress.edition.edition import Edition
from citepress.settings import Settings
from citepress.stores.local.election import FileElection
from citepress.stores.sql.database import open_sqlite
from citepress_telemetry.access_logs import detect_format, find_format, open_parser, recognize_unread
from citepress_telemetry.access_logs.buffer import Buffer
from citepress_telemetry.access_logs.cursor import AccessLog, ImportBusyError, rounds
from citepress_telemetry.access_logs.events import Events, LoggedPage
from citepress_telemetry.access_logs.line import Parser, host_of
from citepress_telemetry.access_logs.live import LiveHours
from citepress_telemetry.access_logs.run import Import, ImportContext, Progress, unwatched
from citepress_telemetry.access_logs.tally import FileTally, Tally
from citepress_telemetry.aggregation import current_capture, current_edition
from citepress_telemetry.capture.context import EnrichmentContext
from citepress_telemetry.capture.context import IdMaps as Names
from citepress_telemetry.capture.enrich import Enricher
from citepress_telemetry.capture.route_templates import RouteTemplates, api_targets
from citepress_telemetry.capture.self_traffic import SelfTraffic
from citepress_telemetry.edition_pages import material_rows, referer_prefix
from citepress_telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress_telemetry.model import Imported
from citepress_telemetry.rollup.aggregator import ROBOTS, id_maps
from citepress_telemetry.settings import LOOPBACK, TelemetryCapture
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool import SqliteSpool, open_spool
from citepress_telemetry.sql.spool_base import SqlSpool
from citepress_telemetry.stores import open_rollup_store

LOCK = "import.lock"
SCRATCH = "import-"
"""How folders begin that hold what is not counted yet."""
AUTO = "auto"
LOOK = 200
"""Lines that a format is told by."""


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What an import was asked to do."""

    paths: Sequence[Path]
    format: str = AUTO
    dry_run: bool = False
    """Count, but write nothing."""


class _Claimed:
    """Addresses of old logs are not judged by the lists of today."""

    def state(self, _family: object, _address: str) -> str:
        """Nothing is proven."""
        return "claimed"


def size_of(paths: Sequence[Path]) -> int:
    """Bytes on the disk, of what can be read."""
    return sum(path.stat().st_size for path in paths if path.is_file())


def import_logs(settings: Settings, order: ImportRequest, progress: Progress = unwatched) -> Tally:
    """Count what logs tell that is not counted yet.

    Raises ``LogError``, ``LookupError`` (no such format), ``ImportBusyError``, ``PackError``, ``DatabaseError`` and
    ``StoreUnavailable``.
    """
    edition, tally, began = current_edition(settings), Tally(), clock.seconds()
    capture = current_capture(settings)
    fields = capture.imports.fields
    logs = _opened(order, {str(ours): theirs for ours, theirs in fields.items()}, tally)
    with ExitStack() as held:
        held.enter_context(_alone(settings.state))
        for left in settings.state.glob(f"{SCRATCH}*"):  # by an import that was killed
            rmtree(left, ignore_errors=True)
        folder = Path(held.enter_context(TemporaryDirectory(dir=settings.state, prefix=SCRATCH)))
        standing = held.enter_context(closing(open_rollup_store(settings.state, settings.database_url)))
        target = held.enter_context(closing(open_rollup_store(folder))) if order.dry_run else standing
        rows, late = (
            held.enter_context(closing(SqliteSpool(open_sqlite(folder / f"{name}.sqlite"))))
            for name in ("rows", "late")
        )
        counting = held.enter_context(closing(open_spool(settings.state, settings.database_url)))
        counted = SqlRollups(standing)
        began_at = int(clock.now().timestamp()) // HOUR_S
        stores = _Stores(
            counted,
            SqlRollups(target) if order.dry_run else counted,
            SqlDimensions(target),
            rows,
            late,
            LiveHours(counted, counting, began_at),
        )
        done = 0
        for some in rounds([log for log, _, _ in logs]):
            size = sum(log.size for log in some)
            _round(
                _kit(edition, capture, stores, partial(_added, progress, done)),
                [opened for opened in logs if opened[0] in some],
                stores,
                tally,
            )
            done += size
            progress(done, tally.lines)
    tally.seconds = clock.seconds() - began
    return tally


@dataclass(frozen=True, slots=True)
class _Stores:
    standing: SqlRollups
    """What was counted before."""
    target: SqlRollups
    """What is written to: the same, or thrown away."""
    dimensions: SqlDimensions
    rows: SqlSpool
    late: SqlSpool
    live: LiveHours

    def cursors(self) -> Sequence[Imported]:
        mine = () if self.target is self.standing else self.target.imports()
        return [*mine, *self.standing.imports()]


def _opened(order: ImportRequest, fields: dict[str, str], tally: Tally) -> list[tuple[AccessLog, Parser, FileTally]]:
    """The logs with their parsers; those that hold nothing, or nothing readable, are only told of."""
    wanted = None if order.format == AUTO else find_format(order.format)
    readable = []
    for path in dict.fromkeys(order.paths):
        log = AccessLog(path)
        sample = log.sample.splitlines()[:LOOK]
        form = wanted or detect_format(sample, fields)
        file = FileTally(str(path), form.name if form else "", "new", log.damaged)
        tally.files.append(file)
        if not log.sample:
            file.state = "empty"
        elif form is None:
            file.state = recognize_unread(sample) or "unreadable"
        else:
            readable.append((log, open_parser(form, fields, sample), file))
    return readable


def _round(
    kit: ImportContext, logs: Sequence[tuple[AccessLog, Parser, FileTally]], stores: _Stores, tally: Tally
) -> None:
    """Count logs of which no two are alike."""
    cursors, fit = stores.cursors(), []
    for log, parse, file in logs:
        file.state = log.resume(cursors)
        if file.state in {"new", "goes on"}:
            fit.append((log, parse))
    Import(kit, fit, tally).run()
    for log, _, file in logs:
        file.damaged = log.damaged


def _kit(edition: Edition, own: TelemetryCapture, stores: _Stores, progress: Progress) -> ImportContext:
    classifier, key = UserAgentClassifier(), token_bytes(32)
    parts = EnrichmentContext(
        classifier,
        _Claimed(),
        stores.dimensions,
        SelfTraffic((LOOPBACK,) if own.self is None else own.self),
        RouteTemplates(table()),
        api_targets(table()),
        referer_prefix(edition.config),
        files_apart=True,
    )
    stores.dimensions.route(ROBOTS)
    names = Names(dict(stores.dimensions.materials(material_rows(edition))), lambda _day: key)
    hosts = frozenset(host_of(host) for host in own.imports.hosts)
    return ImportContext(
        Enricher(parts, beside=False),
        names,
        Events(partial(_page, edition)),
        stores.target,
        Buffer(stores.rows),
        Buffer(stores.late),
        stores.live,
        partial(id_maps, stores.dimensions),
        classifier.version,
        int(clock.now().timestamp()),
        hosts,
        progress,
    )


def _page(edition: Edition, path: str) -> LoggedPage | None:
    meta = edition.meta(path)
    return LoggedPage(meta["route"], meta["canonical"], meta["kind"], meta["status"]) if meta else None


def _added(progress: Progress, before: int, size: int, lines: int) -> None:
    progress(before + size, lines)


@contextmanager
def _alone(state: Path) -> Iterator[None]:
    """One import at a time: two that read the same log would both count it."""
    lock = FileElection(state, LOCK)
    if not lock.won():
        raise ImportBusyError(f"another import is running on {state}; wait for its end")
    try:
        yield
    finally:
        lock.resign()
