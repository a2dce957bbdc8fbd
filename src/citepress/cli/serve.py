"""``citepress serve``: build what is needed, answer over HTTP, follow the content."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from citepress import app
from citepress.app import BuildResult
from citepress.cli.console import complain, say, unlogged
from citepress.cli.publisher import Publisher
from citepress.contract.limits import Counters
from citepress.settings import Settings, SettingsError, from_environment
from citepress.web.serve import listening_address
from citepress.web.serve import serve as listen

PORTS = 65_535


def serve(
    folder: Path = Path(),
    /,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    state: Path | None = None,
    watch: Annotated[bool, Parameter(negative=())] = False,
    drafts: Annotated[bool, Parameter(negative=())] = False,
    workers: int = 1,
) -> int:
    """Serve a content folder over HTTP until SIGTERM or Ctrl-C.

    Parameters
    ----------
    folder
        The content folder, with or without a site.toml.
    host
        Address to listen on.
    port
        Port to listen on.
    state
        Folder of the state store and the packed edition; state/ in the content folder when left out.
    watch
        Publish changes of the content as they are saved; faults keep the last good edition.
    drafts
        Show drafts.
    workers
        Worker processes; more than one needs shared counters.
    """
    settings = from_environment(folder, state=state, host=host, port=port, drafts=drafts)
    if not folder.is_dir():
        complain(f"{folder} is no folder; name the folder that holds the content")
        return 2
    if not 1 <= port <= PORTS:
        raise SettingsError(f"--port {port} is no port: write a number from 1 to {PORTS}")
    listening_address(host, port)
    with unlogged():
        stores = app.opened_stores(settings)
        _refuse_unshared(workers, app.checked_counters(settings, stores))
    publisher = Publisher(settings, stores, watching=watch)
    if (built := publisher.first()) is None:
        return 1
    publisher.follow()
    stores.database.close()  # workers are forked from this process and must not inherit a connection
    try:
        _listen(settings, built, workers, fresh=watch)
    finally:
        publisher.stop()
    return 0


def _refuse_unshared(workers: int, counters: Counters) -> None:
    """A limit is a client's, not a process's: without shared counters every worker would grant it anew."""
    if workers < 1:
        raise SettingsError(f"--workers {workers}: at least one worker must answer")
    if workers > 1 and not counters.shared:
        raise SettingsError(
            f"--workers {workers} needs counters that the workers share, because the limits hold for each client and not for each "
            "process: name a Valkey in CITEPRESS_VALKEY_URL, or serve with one worker"
        )


def _listen(settings: Settings, built: BuildResult, workers: int, *, fresh: bool) -> None:
    """Answer until told to end, with an aggregator beside the workers."""
    aggregator = app.AggregatorProcess(settings, built.pointer)
    aggregator.start()
    try:
        load = app.load(settings, built.pointer, fresh=fresh)
        listen(load, settings.host, settings.port, workers, lambda: _announce(settings, built))
    finally:
        aggregator.stop()


def _announce(settings: Settings, built: BuildResult) -> None:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    made = f"{built.printed.leaves} paths, {built.printed.rendered} units rendered" if built.printed else "edition unchanged"
    say(f"Serving {settings.root} on http://{host}:{settings.port}/ ({made}). Ctrl-C ends it.")
