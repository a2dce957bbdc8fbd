"""Composes one worker process: the app over the mapped edition, its operations, and the stores of this run."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from citepress.app.binding import ProcessStart, WorkerStart, services, worker_parts
from citepress.app.registry import render_context
from citepress.base import clock
from citepress.base.logs import configure_logs
from citepress.contract.limits import RATE_WINDOW_S, Counters, Limit, remote_counters
from citepress.contract.site import Deployment
from citepress.edition.early_pack import EARLY_POINTER, early_socket
from citepress.edition.edition import Edition, open_edition, pointer
from citepress.edition.overlay import open_overlaid
from citepress.edition.response_headers import SiteFields
from citepress.hooks import gathered
from citepress.http.client_address import ClientAddressResolver
from citepress.http.network_counters import NetworkCounters
from citepress.operations import ContextProvider
from citepress.operations.registry import ALL as OPERATIONS
from citepress.operations.thread_pool import SearchThreads
from citepress.search.meaning import vectors_of
from citepress.search.state import INDEX_FOLDER
from citepress.settings import Settings, deployment_of
from citepress.stores.local.counters import LocalCounters
from citepress.stores.local.overlay import LocalOverlay
from citepress.stores.local.shared_counters import CounterTable, SharedCounters
from citepress.stores.local.shared_tables import SharedTables
from citepress.stores.local.worker_metrics import WorkerMetrics
from citepress.stores.sql.database import Database
from citepress.stores.sql.migrate import open_store
from citepress.web.asgi import Asgi, Task
from citepress.web.early_requests import EarlyRequests
from citepress.web.endpoints.context import ActionContext
from citepress.web.endpoints.operation import actions
from citepress.web.filtered_datasets import FilteredDatasets
from citepress.web.filtered_lists import FilteredLists
from citepress.web.measured import MeasuredCounters, MeasuredSiteApp, measurement
from citepress.web.reload import EditionReloader, edition_stamp
from citepress.web.site import SiteApp

MEGABYTE = 1024 * 1024
UNSHARED = SharedTables()


def counters(settings: Settings, database: Database, table: CounterTable | None) -> Counters:
    """Counters that all hosts share, all workers of this host, or none but this process. Raises ``CitepressError``."""
    if opened := remote_counters(settings):
        return opened(database)
    return SharedCounters(table) if table else LocalCounters()


def create_app(settings: Settings, pointed: Path, shared: SharedTables = UNSHARED, *, fresh: bool = False) -> Asgi:
    """The application of one worker process, over the edition that a pointer file names.

    ``fresh`` forbids clients to cache, while the content is worked on. The workers of one service have ``shared``.
    """
    configure_logs(as_json=settings.json_log)
    followed = pointer(settings.state) if pointed.name == EARLY_POINTER else pointed
    stamp = edition_stamp(followed, (overlay := LocalOverlay(settings.state)).pointer)
    follow = partial(open_overlaid, reports=overlay.pointer, rendering=render_context)
    edition, database = follow(followed if stamp else pointed), open_store(settings.state, settings.database_url)
    counted: Counters = NetworkCounters(counters(settings, database, shared.limits))
    config, deployment, limits = edition.config, deployment_of(pointed), edition.config.publication.limits
    if metrics := WorkerMetrics(shared.metrics) if shared.metrics else None:
        counted = MeasuredCounters(counted, metrics)
    app = site_app(MeasuredSiteApp if metrics else SiteApp, edition, counted, deployment)
    process = ProcessStart(settings, deployment, config, database, counted)
    contexts = ContextProvider(
        lambda: app.edition,
        settings.state / INDEX_FOLDER,
        clock.now,
        SearchThreads(),
        vectors_of(deployment),
        services(process),
    )
    action_context = ActionContext(app, contexts, Limit("search", limits.search, RATE_WINDOW_S))
    start = WorkerStart(process, followed, edition, app, contexts, metrics, fresh)
    parts = worker_parts(start, actions(OPERATIONS, action_context))
    app.actions, app.tap = parts.actions, parts.tap
    if followed != pointed and not stamp:
        app.actions = EarlyRequests(app, parts.actions, early_socket(pointed))
    tasks: list[Task] = [EditionReloader(app, followed, follow, beside=overlay.pointer, stamp=stamp).run]
    tasks += [*parts.tasks, *([measurement(app, metrics)] if metrics else [])]
    return Asgi(app, tasks, deployment.limits.connections)


def site_app(kind: type[SiteApp], edition: Edition, counted: Counters, deployment: Deployment) -> SiteApp:
    """The app that answers from an edition, without actions."""
    edition.latest = int(clock.now().timestamp())
    edition.limit_cache(deployment.limits.cache_mb * MEGABYTE)
    rest = Limit("rest", edition.config.publication.limits.rest, RATE_WINDOW_S)
    observer = ClientAddressResolver(deployment.trusted_proxies, deployment.forwarded_field)
    app = kind(edition, counted, SiteFields.of(edition.config), limit=rest, observer=observer)
    app.queried = FilteredLists(render_context), FilteredDatasets(render_context)
    return app


def check_counters(settings: Settings, database: Database) -> str | None:
    """What counts for all hosts. As a run begins, it has to answer; later it may be away for a while.

    Raises ``CitepressError`` and ``StoreUnavailable``.
    """
    if not (opened := remote_counters(settings)):
        return None
    counted = opened(database)
    counted.check()
    counted.close()
    return counted.name


def check_start(pointed: Path, database: Database, warn: Callable[[str], None]) -> None:
    """Ask extensions whether a service can start over an edition. Raises ``CitepressError`` where it cannot."""
    deployment, config = deployment_of(pointed), open_edition(pointed).config
    for sentence in gathered("start_checks", str, deployment, config, database):
        warn(sentence)


def load(settings: Settings, pointed: Path, shared: SharedTables = UNSHARED, *, fresh: bool = False) -> "partial[Asgi]":
    """A picklable maker of the application, for worker processes; ``fresh`` while the content is worked on."""
    return partial(create_app, settings, pointed, shared, fresh=fresh)
