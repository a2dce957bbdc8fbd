"""``citepress serve``: build what is needed, answer over HTTP, follow the content."""

import threading
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from watchfiles import DefaultFilter
from watchfiles import watch as changes

from citepress import app
from citepress.app import Builder, Built
from citepress.app.serving import Stores
from citepress.base import clock
from citepress.cli.console import complain, note, say, unlogged
from citepress.cli.faults import written
from citepress.contract.fault import Faults, Level
from citepress.contract.limits import Counters
from citepress.contract.store import StoreUnavailable
from citepress.settings import Settings, SettingsError, from_environment
from citepress.web.serve import listening_address
from citepress.web.serve import serve as listen

LONGEST_WAIT = 3600.0
"""Seconds after which the schedule is looked at again, whatever the clock did."""
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
    publisher = _Publisher(settings, stores, watching=watch)
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


def _listen(settings: Settings, built: Built, workers: int, *, fresh: bool) -> None:
    """Answer until told to end, with an aggregator beside the workers."""
    aggregator = app.Keeper(settings, built.pointer)
    aggregator.start()
    try:
        load = app.load(settings, built.pointer, fresh=fresh)
        listen(load, settings.host, settings.port, workers, lambda: _announce(settings, built))
    finally:
        aggregator.stop()


def _announce(settings: Settings, built: Built) -> None:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    made = f"{built.printed.leaves} paths, {built.printed.rendered} units rendered" if built.printed else "edition unchanged"
    say(f"Serving {settings.root} on http://{host}:{settings.port}/ ({made}). Ctrl-C ends it.")


class _Publisher:
    """Keeps the edition current beside the workers: on every save when watching, and when a schedule is due."""

    def __init__(self, settings: Settings, stores: Stores, *, watching: bool) -> None:
        self._builder = Builder(settings)
        self._stores = stores
        self._newest: Built | None = None
        self._indexing: threading.Thread | None = None
        self._root = settings.root
        self._ignored = (settings.state.resolve(), (settings.root / "dist").resolve(), (settings.root / "state").resolve())
        self._watching = watching
        self._stopped = threading.Event()
        self._turn = threading.Lock()
        self._next = clock.now() + timedelta(seconds=LONGEST_WAIT)

    def first(self) -> Built | None:
        """The edition to begin with, whose payment rails can be opened; a watcher may begin with the last good one."""
        if built := self._first():
            app.checked_sale(self._stores, built.pointer)
        return built

    def _first(self) -> Built | None:
        try:
            built = self._builder.build(clock.now()) if self._watching else self._builder.ensure(clock.now())
        except Faults as faults:
            note(written(faults.faults, "text", records=0, terminal=False).rstrip())
            if not self._watching or (last := self._builder.last()) is None:
                return None
            note("Serving the last good edition until the faults are mended.")
            return last
        self._builder.index(built, clock.now())
        self._told(built)
        return built

    def follow(self) -> None:
        """Start what watches: the schedule always, the files when asked for."""
        threading.Thread(target=self._keep_schedule, name="schedule", daemon=True).start()
        if self._watching:
            threading.Thread(target=self._keep_watch, name="watch", daemon=True).start()

    def stop(self) -> None:
        """End the threads."""
        self._stopped.set()

    def _keep_schedule(self) -> None:
        while not self._stopped.wait(max(1.0, min(LONGEST_WAIT, (self._next - clock.now()).total_seconds()))):
            if self._next <= clock.now():
                self._again()

    def _keep_watch(self) -> None:
        for _ in changes(
            self._root, watch_filter=_Content(self._ignored), stop_event=self._stopped, debounce=200, step=50, rust_timeout=500
        ):
            self._again()

    def _again(self) -> None:
        with self._turn:
            began = clock.seconds()
            try:
                built = self._builder.build(clock.now())
            except Faults as faults:
                note(written(faults.faults, "text", records=0, terminal=False).rstrip())
                note("The last good edition stays.")
                return
            except OSError as error:
                complain(f"the edition cannot be written: {error}")
                return
            self._told(built)
            self._index_later(built)
            if built.printed:
                note(f"Published: {built.printed.rendered} units rendered in {clock.seconds() - began:.2f} s.")

    def _index_later(self, built: Built) -> None:
        """The index of many records takes seconds, and a page must not wait for it; one is made at a time, the newest last."""

        def make(before: threading.Thread | None) -> None:
            if before:
                before.join()
            if self._newest is built:
                self._builder.index(built, clock.now())

        self._newest = built
        self._indexing = threading.Thread(target=make, args=(self._indexing,), name="index", daemon=True)
        self._indexing.start()

    def _told(self, built: Built) -> None:
        """Credit what is published now, remember when to look again, and pass on what the author should know."""
        later = clock.now() + timedelta(seconds=self._credited(built))
        self._next = min(built.next_moment, later) if built.next_moment else later
        warnings = [fault for fault in built.warnings if fault.code.level is Level.WARNING]
        if warnings:
            note(f"{len(warnings)} warnings; `citepress check` shows them.")

    def _credited(self, built: Built) -> float:
        """Tell the inbox what is published now; give the seconds after which to look again."""
        if built.archive is None:
            return LONGEST_WAIT
        try:
            app.credit(self._stores, built.archive)
        except StoreUnavailable as away:
            note("What is credited now is told to the inbox as soon as the store answers.")
            return away.retry_after
        finally:
            self._stores.database.close()  # a worker may be replaced at any time
        return LONGEST_WAIT


class _Content(DefaultFilter):
    """Lets through what an edition is made of."""

    def __init__(self, ignored: tuple[Path, ...]) -> None:
        super().__init__(ignore_paths=ignored)
