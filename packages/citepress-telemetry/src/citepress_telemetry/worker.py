"""Composes what a worker does for telemetry: the tap of its app, the writer over the stores, the copy of reports."""

from functools import partial
from secrets import token_hex
from urllib.parse import urlsplit

from citepress.app.binding import WorkerParts, WorkerStart
from citepress.app.registry import table
from citepress.base import clock
from citepress.contract.settings_table import settings_of
from citepress.edition.edition import Edition
from citepress.settings import Settings
from citepress.stores.local.overlay import LocalOverlay
from citepress.web.asgi import Task
from citepress.web.site import SiteApp
from citepress_telemetry.capture.context import EnrichmentContext, nobody
from citepress_telemetry.capture.request_counting import RequestCounting
from citepress_telemetry.capture.route_templates import RouteTemplates, api_targets
from citepress_telemetry.capture.self_traffic import SelfTraffic, default_rules
from citepress_telemetry.capture.tap import Tap
from citepress_telemetry.capture.writer import EditionPages, SpoolWriter
from citepress_telemetry.edition_pages import recall_questions, referer_prefix, rows_of
from citepress_telemetry.identify.reloading_ranges import ReloadingRanges
from citepress_telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress_telemetry.identify.verify.ranges import RANGES_FILE as RANGES
from citepress_telemetry.identify.verify.rdns import ReverseDns
from citepress_telemetry.identify.verify.resolver import SystemResolver
from citepress_telemetry.reports.replication import ReportFetcher
from citepress_telemetry.settings import TelemetryCapture, TelemetryRules
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.overlay import SqlOverlay
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.stores import open_rollup_store


def worker_parts(start: WorkerStart) -> WorkerParts:
    """The tap and the task that writes what it collects, and one that copies reports where several nodes share them.

    What is tapped waits until the task has opened the stores.
    """
    settings, app, edition = start.process.settings, start.app, start.edition
    tasks: list[Task] = []
    if address := settings.database_url:
        shared = lambda: SqlOverlay(open_rollup_store(settings.state, address))  # noqa: E731
        tasks.append(ReportFetcher(shared, LocalOverlay(settings.state)).run)
    capture = settings_of(start.process.deployment, TelemetryCapture)
    rules = settings_of(edition.config.publication, TelemetryRules)
    if not capture.enabled or rules.example:  # an example is never mixed with what is counted
        return WorkerParts(tasks=tasks)
    names = ReverseDns(SystemResolver(), clock.seconds) if rules.reverse_dns else None
    tap = Tap(app.observer.address)

    def close_tap() -> None:
        app.tap = None

    counting = RequestCounting(partial(_writer, settings, app, edition, capture, tap, names), close_tap, names)
    return WorkerParts(tasks=[*tasks, counting.run], tap=tap)


def _writer(
    settings: Settings, app: SiteApp, edition: Edition, capture: TelemetryCapture, tap: Tap, names: ReverseDns | None
) -> SpoolWriter:
    """Raises ``DatabaseError`` and ``StoreUnavailable``."""
    rules = settings_of(edition.config.publication, TelemetryRules)
    ranges = ReloadingRanges(settings.state / RANGES, clock.now, capture.ranges_max_age_days)
    context = EnrichmentContext(
        UserAgentClassifier(),
        ranges,
        SqlDimensions(open_rollup_store(settings.state, settings.database_url)),
        SelfTraffic(default_rules(settings.host) if capture.self is None else capture.self),
        RouteTemplates(table()),
        api_targets(table()),
        referer_prefix(edition.config),
        ranges.refresh,
        names.confirmed if names else nobody,
        keep_unlisted=rules.keep_unlisted,
        authority=urlsplit(edition.config.base_url).netloc if rules.signatures else "",
    )
    spool = open_spool(settings.state, settings.database_url)
    if not rules.keep_unlisted:
        spool.forget_unlisted()

    def pages() -> EditionPages | None:
        shown = app.edition
        if not isinstance(shown, Edition):
            return None
        return EditionPages(shown.digest, partial(rows_of, shown), partial(recall_questions, shown))

    return SpoolWriter(tap, spool, context, pages, token_hex(4))


WORKERS = (worker_parts,)
