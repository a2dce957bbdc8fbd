"""One worker process: the door over the mapped edition, its operations, and the stores that this run names."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from citepress.app.build import INDEX
from citepress.app.listing import on_sale
from citepress.app.mcp import NotedInbox, handlers
from citepress.app.payments import actions_of, in_words, sale
from citepress.app.report_replication import following
from citepress.app.reports import open_edition_with_reports as with_reports
from citepress.app.telemetry import RequestCounting, settings_of
from citepress.archive.model import Archive
from citepress.base import clock
from citepress.contract.limits import Counters, Limit
from citepress.edition.edition import Edition, open_edition
from citepress.edition.fields import SiteFields
from citepress.edition.overlay import overlay_pointer
from citepress.http.client_address import ClientAddressResolver
from citepress.inbox.accept import credit_published
from citepress.inbox.submissions import limit as inbox_limit
from citepress.operations import ALL as OPERATIONS
from citepress.operations import ContextProvider, Inbox
from citepress.operations.thread_pool import SearchThreads
from citepress.settings import Settings
from citepress.stores.local.counters import LocalCounters
from citepress.stores.sql.database import Database
from citepress.stores.sql.inbox import SqlInbox
from citepress.stores.sql.migrate import open_existing_store, open_store
from citepress.stores.sql.secret import secret
from citepress.stores.valkey.counters import ValkeyCounters
from citepress.web.asgi import Asgi
from citepress.web.endpoints.context import ActionContext
from citepress.web.endpoints.operation import actions
from citepress.web.reload import edition_stamp
from citepress.web.site import SiteApp

MINUTE = 60


@dataclass(frozen=True, slots=True)
class Stores:
    """What changes while the service runs."""

    database: Database
    inbox: SqlInbox


def opened_stores(settings: Settings) -> Stores:
    """The stores that the settings name, their tables brought up to date. Raises ``DatabaseError`` and ``StoreUnavailable``."""
    database = open_store(settings.state, settings.database_url)
    return Stores(database, SqlInbox(database))


def existing_stores(settings: Settings) -> Stores:
    """The stores that the settings name, if a server has made them. Raises ``DatabaseError`` and ``StoreUnavailable``."""
    database = open_existing_store(settings.state, settings.database_url)
    return Stores(database, SqlInbox(database))


def counters(settings: Settings, opened: Stores) -> Counters:
    """Shared counters where a Valkey is named, counters of this process otherwise. Raises ``ValkeyError``."""
    return ValkeyCounters(settings.valkey_url, secret(opened.database)) if settings.valkey_url else LocalCounters()


def checked_counters(settings: Settings, opened: Stores) -> Counters:
    """The counters as a run begins: a Valkey that does not answer then is a mistake, later it may be away for a while.

    Raises ``ValkeyError`` and ``StoreUnavailable``.
    """
    counted = counters(settings, opened)
    if isinstance(counted, ValkeyCounters):
        counted.check()
        counted.close()
    return counted


def credit(opened: Stores, archive: Archive) -> int:
    """Tell the inbox which accepted submissions the published archive shows; give their number."""
    return len(credit_published(opened.inbox, archive, clock.now()))


def create_app(settings: Settings, pointed: Path, *, fresh: bool = False) -> Asgi:
    """The application of one worker process, over the edition that a pointer file names; ``fresh`` while its content is worked on."""
    reports = overlay_pointer(settings.state)
    seen = edition_stamp(pointed, reports)
    edition, opened = with_reports(reports, pointed), opened_stores(settings)
    told = edition.facts
    rest, submissions = Limit("rest", told["limits"]["rest"], MINUTE), inbox_limit(told["limits"]["inbox"])
    counted = counters(settings, opened)
    observer = ClientAddressResolver(told["trusted_proxies"], told["forwarded_field"])
    door = SiteApp(edition, counted, SiteFields.of(told), limit=rest, observer=observer)

    def current() -> Edition | None:
        return door.edition if isinstance(door.edition, Edition) else None

    sold = sale(told, opened.database, counted)
    worlds = ContextProvider(
        current,
        settings.state / INDEX,
        clock.now,
        Inbox(NotedInbox(opened.database), submissions),
        on_sale(sold, told["base_url"]),
        SearchThreads(),
    )
    clerk = ActionContext(door, worlds, submissions, Limit("search", told["limits"]["search"], MINUTE))
    door.actions = {**actions(OPERATIONS, clerk), **actions_of(sold, clerk), **handlers(door, worlds, counted, told, fresh=fresh)}
    tasks = following(settings, door, pointed, seen)
    if sold:
        tasks.append(sold.recovery.run)
    if settings_of(told).enabled:
        tasks.append(RequestCounting(settings, door, told).run)
    return Asgi(door, tasks, told["limits"]["connections"])


def checked_sale(opened: Stores, pointed: Path) -> None:
    """Whether the drivers of an edition's payment rails can be loaded, as a run begins. Raises ``SettingsError``."""
    with in_words():
        sold = sale(open_edition(pointed).facts, opened.database, LocalCounters())
    if sold:
        sold.shop.close()


def load(settings: Settings, pointed: Path, *, fresh: bool = False) -> "partial[Asgi]":
    """A picklable maker of the application, for worker processes; ``fresh`` while the content is worked on."""
    return partial(create_app, settings, pointed, fresh=fresh)
