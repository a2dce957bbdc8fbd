"""``citepress serve``: build what is needed, answer over HTTP, follow the content."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Literal, Protocol

from cyclopts import Parameter

from citepress.admin.aggregator import aggregator_process
from citepress.admin.build import BuildResult
from citepress.admin.listener import admin_address, admin_process
from citepress.app.worker import Stores, check_services, load, opened_stores
from citepress.base.cores import usable_cores
from citepress.cli.console import is_content, log_as_json, say, unlogged, waiting_for
from citepress.cli.edition_options import FOLDER, EditionOptions
from citepress.cli.publisher import Publisher
from citepress.settings import Settings, SettingsError, from_environment
from citepress.stores.local.lock import WATCHING, exclusive
from citepress.stores.local.shared_counters import CounterTable
from citepress.stores.local.shared_tables import SharedTables
from citepress.stores.local.worker_metrics import MetricsTable
from citepress.web.serve import listening_address
from citepress.web.serve import serve as listen

MOST_WORKERS = 4
"""Workers that are started unless the command line says how many: each takes memory for the pages it sends."""
RESTART_S = 10.0
"""How long a new server waits for the one that it replaces: more than that one takes to finish its requests."""


def serve(  # noqa: PLR0913  (one parameter for each option)
    folder: Path | None = None,
    /,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    state: Path | None = None,
    watch: Annotated[bool, Parameter(negative=())] = False,
    drafts: Annotated[bool, Parameter(negative=())] = False,
    workers: int | None = None,
    admin: str | None = None,
    log: Literal["text", "json"] = "text",
    break_history: Annotated[bool, Parameter(negative=())] = False,
    source: EditionOptions = FOLDER,
) -> int:
    """Serve a content folder over HTTP until SIGTERM or Ctrl-C.

    Parameters
    ----------
    folder
        The content folder, with or without a site.toml; the current folder when left out.
    host
        Address to listen on.
    port
        Port to listen on.
    state
        Folder of the state store and the packed edition; state/ in the content folder when left out.
    watch
        Publish changes to the content when they are saved; while it has faults, the last good edition stays.
    drafts
        Show drafts.
    workers
        Worker processes; as many as the machine has cores, at most 4, when left out.
    admin
        Private address for /live, /ready and /metrics, such as 127.0.0.1:9000; none when left out.
    log
        Lines of text or of JSON on standard error.
    break_history
        Begin a new log of editions where that is damaged, and take a new key where the former is lost.
    source
        Where the edition comes from, if not from a content folder.
    """
    root = _content(folder, source, watched=watch or drafts)
    settings = replace(
        from_environment(root, state=state, host=host, port=port, drafts=drafts),
        workers=_worker_count(workers),
        json_log=log == "json",
        break_history=break_history,
    )
    return _start(settings, admin_address(admin, (host, port)) if admin else None, source, watch=watch)


def _start(settings: Settings, private: tuple[str, int] | None, source: EditionOptions, *, watch: bool) -> int:
    """Check what the service needs, then serve while no other process does."""
    if not is_content(settings.root):
        return 2
    if settings.json_log:
        log_as_json()
    _check_addresses(settings, private)
    with unlogged():
        stores = opened_stores(settings)
        check_services(settings, stores.database)
    # Two servers with different settings would overwrite each other's edition; one being replaced ends within seconds.
    with exclusive(settings.state, RESTART_S, waiting_for, WATCHING if watch else ""):
        publisher = _edition_server(settings, stores, source) or Publisher(settings, stores, watching=watch)
        return _publish_and_listen(settings, stores, publisher, private, fresh=watch)


class EditionUpdates(Protocol):
    """Where the edition comes from: a content folder that is built, or an object store that is followed."""

    def first(self) -> BuildResult | None:
        """The edition to begin with."""
        ...

    def follow(self) -> None:
        """Keep it current from now on, in threads."""
        ...

    def stop(self) -> None:
        """End that."""
        ...

    def description(self) -> str:
        """What is served, for the line that is printed at the start."""
        ...


def _edition_server(settings: Settings, stores: Stores, source: EditionOptions) -> EditionUpdates | None:
    if source.edition is None:
        return None
    following = import_module("citepress.cli.following")  # what it imports costs start-up time
    server: EditionUpdates = following.EditionServer(settings, stores, source.edition, source)
    return server


def _content(folder: Path | None, source: EditionOptions, *, watched: bool) -> Path:
    """The content folder, unless the edition comes from elsewhere. Raises ``SettingsError``."""
    if source.edition and (folder or watched):
        raise SettingsError("--edition takes the place of a content folder, of --watch and of --drafts")
    return folder or Path()


def _worker_count(wanted: int | None) -> int:
    """As many workers as the command line says, or else one for each core up to ``MOST_WORKERS``."""
    if wanted is None:
        return min(usable_cores(), MOST_WORKERS)
    if wanted < 1:
        raise SettingsError(f"--workers {wanted}: at least one worker must answer")
    return wanted


def _check_addresses(settings: Settings, private: tuple[str, int] | None) -> None:
    """Try the addresses out, before anything is built. Raises ``SettingsError`` and ``CannotListenError``."""
    listening_address(settings.host, settings.port)
    if private:
        listening_address(*private)


def _counter_table(settings: Settings) -> CounterTable | None:
    """Where the workers count together, unless all machines do or there is a single worker."""
    return CounterTable.create(settings.state) if settings.workers > 1 and not settings.valkey_url else None


def _publish_and_listen(
    settings: Settings, stores: Stores, publisher: EditionUpdates, private: tuple[str, int] | None, *, fresh: bool
) -> int:
    if (built := publisher.first()) is None:
        return 1
    stores.database.close()  # workers are forked from this process and must not inherit a connection

    def announce() -> None:
        publisher.follow()  # only now: workers must not copy a process in which a thread builds
        _announce(settings, built, publisher.description(), compared=not fresh)

    try:
        _listen(settings, built, announce, private, fresh=fresh)
    finally:
        publisher.stop()
    return 0


def _listen(
    settings: Settings,
    built: BuildResult,
    announce: Callable[[], None],
    private: tuple[str, int] | None,
    *,
    fresh: bool,
) -> None:
    """Answer until the signal to stop, with an aggregator and the operator's listener beside the workers."""
    metrics = MetricsTable.create(settings.state) if private else None
    shared = SharedTables(_counter_table(settings), metrics)
    wanted = (
        aggregator_process(settings, built.pointer),
        admin_process(settings, private, metrics) if private and metrics else None,
    )
    companions = [companion for companion in wanted if companion]
    for companion in companions:
        companion.start()
    try:
        worker = load(settings, built.pointer, shared, fresh=fresh)
        listen(worker, settings.host, settings.port, settings.workers, announce)
    finally:
        for companion in companions:
            companion.stop()


def _announce(settings: Settings, built: BuildResult, served: str, *, compared: bool) -> None:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    summary = (
        f"{built.printed.leaves} paths, {built.printed.rendered} units rendered"
        if built.printed
        else ("edition unchanged" if compared else "the last edition, now compared with the content")
    )
    say(f"Serving {served} on http://{host}:{settings.port}/ ({summary}). Ctrl-C ends it.")
