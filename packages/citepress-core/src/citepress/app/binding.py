"""What extensions are given as a process starts, and what they give back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from citepress.archive.model import Archive
from citepress.contract.limits import Counters
from citepress.contract.site import Deployment
from citepress.contract.store import StoreUnavailable
from citepress.edition.edition import Edition
from citepress.edition.site_config import SiteConfig
from citepress.extension import CORE
from citepress.hooks import merged, results, united
from citepress.http.message import Handler, ResponseObserver
from citepress.operations import ContextProvider
from citepress.settings import Settings
from citepress.stores.local.worker_metrics import WorkerMetrics
from citepress.stores.sql.database import Database
from citepress.web.asgi import Task
from citepress.web.site import SiteApp


@dataclass(frozen=True, slots=True)
class ProcessStart:
    """A process that runs operations starts: a worker, or a command that answers by itself."""

    settings: Settings
    deployment: Deployment
    config: SiteConfig
    database: Database
    """The state store, with the tables of this version."""
    counters: Counters


@dataclass(frozen=True, slots=True)
class WorkerStart:
    """A worker starts, over an edition that it may replace later."""

    process: ProcessStart
    pointed: Path
    """The pointer file of the edition."""
    edition: Edition
    app: SiteApp
    contexts: ContextProvider
    """Gives the context of operations, with the services of all extensions."""
    metrics: WorkerMetrics | None
    """``None`` where no operator reads them."""
    fresh: bool
    """Whether clients must not cache, while the content is worked on."""


@dataclass(frozen=True, slots=True)
class WorkerParts:
    """What an extension adds to a worker."""

    actions: Mapping[str, Handler] = field(default_factory=dict)
    """Handlers of paths that run code, as ``SiteApp`` takes them."""
    tasks: Sequence[Task] = ()
    """Tasks that run beside the requests until the worker ends."""
    tap: ResponseObserver | None = None
    """The one observer of responses; a second extension that has one is refused."""


def services(start: ProcessStart) -> Mapping[type, object]:
    """The services of all extensions, by the type under which an operation asks for each."""
    return merged("services", start)


def after_publication(settings: Settings, database: Database, archive: Archive, moment: datetime) -> None:
    """What extensions do when a build has been published. Raises ``StoreUnavailable``."""
    for _ in results("published", object, settings, database, archive, moment, passing=StoreUnavailable, logged=True):
        pass


def worker_parts(start: WorkerStart, core: Mapping[str, Handler]) -> WorkerParts:
    """What the core and all extensions have in a worker, of which one answers a path and one observes responses."""
    given: list[tuple[str, WorkerParts]] = [(CORE, WorkerParts(core)), *results("workers", WorkerParts, start)]
    taps = united("workers", ((owner, {"tap": part.tap} if part.tap else {}) for owner, part in given))
    actions = united("workers", ((owner, part.actions) for owner, part in given))
    return WorkerParts(actions, [task for _, part in given for task in part.tasks], taps.get("tap"))
