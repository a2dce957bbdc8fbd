"""What ``citepress serve`` runs: build what is needed, answer over HTTP, follow the content."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType

from citepress.admin.build import BuildResult
from citepress.admin.edition_provider import EditionProvider, EditionUpdates
from citepress.admin.kept_state import remember_kept
from citepress.admin.listener import admin_address, admin_process
from citepress.admin.state_folders import keep_private
from citepress.app.worker import check_counters, load
from citepress.base.companion_process import CompanionProcess
from citepress.base.cores import usable_cores
from citepress.base.folder_lock import WATCHING, exclusive
from citepress.base.memory import give_back, share_heaps
from citepress.cli.console import is_content, log_as_json, say, unlogged, waiting_for
from citepress.cli.early_publisher import EarlyPublisher, reads_early
from citepress.cli.early_survey import EarlySurvey
from citepress.cli.publisher import Publisher
from citepress.contract.limits import remote_counters
from citepress.edition.early_pack import EARLY_POINTER
from citepress.hooks import results
from citepress.settings import Settings, SettingsError, from_environment
from citepress.stores.local.shared_counters import CounterTable
from citepress.stores.local.shared_tables import SharedTables
from citepress.stores.local.worker_metrics import MetricsTable
from citepress.stores.sql.database import Database
from citepress.stores.sql.migrate import open_store
from citepress.web.serve import listening_address
from citepress.web.serve import serve as listen

MAX_DEFAULT_WORKERS = 4
"""Workers that are started unless the command line says how many: each takes memory for the pages it sends."""
RESTART_S = 10.0
"""How long a new server waits for the one that it replaces: more than that one takes to finish its requests."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options of the command."""

    folder: Path | None
    host: str
    port: int
    state: Path | None
    watch: bool
    drafts: bool
    workers: int | None
    admin: str | None
    log: str
    break_history: bool
    source: EditionProvider


def run(options: ServeOptions, content: EarlySurvey | None = None) -> int:
    """Serve until the signal to stop; ``content`` is the content folder as another process surveys it."""
    root = _content(options.folder, options.source, watched=options.watch or options.drafts)
    host, port = options.host, options.port
    settings = replace(
        from_environment(root, state=options.state, host=host, port=port, drafts=options.drafts),
        workers=_worker_count(options.workers),
        json_log=options.log == "json",
        break_history=options.break_history,
    )
    private = admin_address(options.admin, (host, port)) if options.admin else None
    return _start(settings, private, options, content)


def _start(
    settings: Settings, private: tuple[str, int] | None, options: ServeOptions, content: EarlySurvey | None
) -> int:
    """Check what the service needs, then serve while no other process does."""
    if not is_content(settings.root):
        return 2
    share_heaps()
    if settings.json_log:
        log_as_json()
    _check_addresses(settings, private)
    with unlogged():
        database = open_store(settings.state, settings.database_url)
        check_counters(settings, database)
    # Two servers with different settings would overwrite each other's edition; one being replaced ends within seconds.
    with exclusive(settings.state, RESTART_S, waiting_for, WATCHING if options.watch else ""):
        keep_private(settings.state, settings.root)
        publisher, limits = _publisher(settings, database, options, content)
        return _publish_and_listen(settings, database, publisher, limits, private, fresh=options.watch)


def _publisher(
    settings: Settings, database: Database, options: ServeOptions, content: EarlySurvey | None
) -> tuple[EditionUpdates, CounterTable | None]:
    """The publisher of the edition, and the table in which all workers count requests."""
    early = not options.source.is_chosen and reads_early(settings)
    limits = _counter_table(settings, early=early)
    if options.source.is_chosen:
        return options.source.server(settings, database), limits
    surveyed = content.fingerprint if content else None
    if early:
        return EarlyPublisher(settings, database, watching=options.watch, content=surveyed, limits=limits), limits
    return Publisher(settings, database, watching=options.watch, content=surveyed), limits


def _content(folder: Path | None, source: EditionProvider, *, watched: bool) -> Path:
    """The content folder, unless the edition comes from elsewhere. Raises ``SettingsError``."""
    if source.is_chosen and (folder or watched):
        raise SettingsError(f"{source.option} takes the place of a content folder, of --watch and of --drafts")
    return folder or Path()


def _worker_count(wanted: int | None) -> int:
    """As many workers as the command line says, or else one for each core up to ``MAX_DEFAULT_WORKERS``."""
    if wanted is None:
        return min(usable_cores(), MAX_DEFAULT_WORKERS)
    if wanted < 1:
        raise SettingsError(f"--workers {wanted}: at least one worker must answer")
    return wanted


def _check_addresses(settings: Settings, private: tuple[str, int] | None) -> None:
    """Try the addresses out, before anything is built. Raises ``SettingsError`` and ``CannotListenError``."""
    listening_address(settings.host, settings.port)
    if private:
        listening_address(*private)


def _counter_table(settings: Settings, *, early: bool) -> CounterTable | None:
    """Where the workers, and ``early`` the makers, count together, unless all machines do or there is one process."""
    several = settings.workers > 1 or early
    return CounterTable.create(settings.state) if several and not remote_counters(settings) else None


def _publish_and_listen(
    settings: Settings,
    database: Database,
    publisher: EditionUpdates,
    limits: CounterTable | None,
    private: tuple[str, int] | None,
    *,
    fresh: bool,
) -> int:
    if (built := publisher.first()) is None:
        return 1
    give_back()  # what is free would be copied into each worker
    database.close()  # workers are forked from this process and must not inherit a connection

    def announce() -> None:
        publisher.follow()  # only now: workers must not copy a process in which a thread builds
        _announce(settings, built, publisher.description(), compared=not fresh)

    try:
        _listen(settings, built, (announce, publisher.reload), private, limits, fresh=fresh)
    finally:
        publisher.stop()
    return 0


def _listen(
    settings: Settings,
    built: BuildResult,
    callbacks: tuple[Callable[[], None], Callable[[], None]],
    private: tuple[str, int] | None,
    limits: CounterTable | None,
    *,
    fresh: bool,
) -> None:
    """Answer until the signal to stop, with the companions of extensions and the operator's listener.

    The first of ``callbacks`` is called when the workers answer, the second on SIGHUP.
    """
    remember_kept(settings.state)
    metrics = MetricsTable.create(settings.state) if private else None
    shared = SharedTables(limits, metrics)
    wanted = (
        *(
            process
            for _, process in results("companions", (CompanionProcess, NoneType), settings, built.pointer, logged=True)
        ),
        admin_process(settings, private, metrics) if private and metrics else None,
    )
    companions = [companion for companion in wanted if companion]
    for companion in companions:
        companion.start()
    try:
        worker = load(settings, built.pointer, shared, fresh=fresh)
        listen(worker, settings.host, settings.port, settings.workers, *callbacks)
    finally:
        for companion in companions:
            companion.stop()


def _announce(settings: Settings, built: BuildResult, served: str, *, compared: bool) -> None:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    early = built.pointer.name == EARLY_POINTER
    summary = (
        "each page is rendered when it is asked for, until the first edition is whole"
        if early
        else f"{built.printed.leaves} paths, {built.printed.rendered} units rendered"
        if built.printed
        else ("edition unchanged" if compared else "the last edition, now compared with the content")
    )
    say(f"Serving {served} on http://{host}:{settings.port}/ ({summary}). Ctrl-C ends it.")
