"""The first build of a large folder in a process of its own, so that pages can be read before the edition is whole."""

import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

from citepress.admin.build import BuildResult
from citepress.app.early_makers import early_app, keep_makers
from citepress.app.worker import check_start
from citepress.base import clock
from citepress.base.cores import is_single_threaded
from citepress.base.steps import listening
from citepress.cli.console import note, warn
from citepress.cli.publisher import Publisher
from citepress.content.files import survey, top_files
from citepress.edition.early_pack import EARLY_POINTER, EarlyPack, note_rendered, write_early
from citepress.edition.edition import pointer
from citepress.edition.site_edition import Begun
from citepress.settings import Settings
from citepress.stores.local.shared_counters import CounterTable
from citepress.stores.sql.database import Database

MIN_EARLY_FILES = 1_000
"""Files of a folder whose pages can be read before its first edition is whole; fewer are built within seconds."""
LOOK_S = 1.0
"""Seconds between two checks of the building process that its parent lives."""
LINGER_S = 10.0
"""Seconds for which pages are still rendered when the edition is whole, until the last worker has opened it."""
SOCKET = "makers"
BACKLOG = 128
"""Requests that wait for a maker, of all workers."""


def reads_early(settings: Settings) -> bool:
    """Whether the pages of a folder are to be read before its first edition is whole."""
    if pointer(settings.state).exists() or not is_single_threaded():
        return False
    below = sum(len(files) for files, _ in survey(settings.root).tops.values())
    return below + len(top_files(settings.root)) >= MIN_EARLY_FILES


class EarlyPublisher(Publisher):
    """Like ``Publisher``, where there is no edition to begin with and the first one takes long."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        *,
        watching: bool,
        content: Callable[[], str | None] | None,
        limits: CounterTable,
    ) -> None:
        """``limits`` are counted together with the workers."""
        super().__init__(settings, database, watching=watching, content=content)
        self._limits = limits
        self._build: _FirstBuild | None = None
        self._whole = threading.Event()
        self._broken = False

    def first(self) -> BuildResult | None:
        """The edition as it can be read before it is whole; the whole one where that is there as soon."""
        self._database.close()  # the process is forked from this one and must not inherit a connection
        build = _FirstBuild(self._settings, self._database, self._limits)
        if build.can_be_read():
            self._build = build
            check_start(build.early, self._database, warn)
            return BuildResult(None, build.early)
        build.release()
        self._whole.set()
        return None if build.wait() else super().first()

    def follow(self) -> None:
        """Wait for the whole edition, and follow the content from then on."""
        if self._build is None:
            super().follow()
        else:
            threading.Thread(target=self._finish, args=(self._build,), name="first build", daemon=True).start()

    def reload(self, changed: Collection[Path] = (), *, silent: bool = False) -> None:
        """Build the next edition, when the first one is whole."""
        self._whole.wait()
        super().reload(changed, silent=silent)

    def stop(self, seconds: float = 0.0) -> None:
        """Stop the threads and the first build. Raises ``SystemExit`` where that had failed."""
        super().stop(seconds)
        if self._build:
            self._build.kill()
        if self._broken:
            raise SystemExit(1)

    def _finish(self, build: "_FirstBuild") -> None:
        """Take over from the process that builds."""
        began, code = clock.seconds(), build.wait()
        if self._stopped.is_set():
            return
        standing = self._builder.standing(clock.now())
        if code or (built := standing or self._builder.last()) is None:
            warn("The first edition could not be built, so that nothing can be served.")
            self._broken = True
            os.kill(os.getpid(), signal.SIGTERM)
            return
        self._compared, self._held_back = not self._watching, built.held_back
        self._report(built)
        note(f"The first edition is whole, {clock.seconds() - began:.0f} s after its first page.")
        self._whole.set()
        super().follow()
        if standing is None:  # a record appeared or expired meanwhile
            super().reload()
        self._stopped.wait(LINGER_S)
        build.release()


class _FirstBuild:
    """The process that builds, and those that render meanwhile."""

    def __init__(self, settings: Settings, database: Database, limits: CounterTable) -> None:
        self.early = pointer(settings.state).with_name(EARLY_POINTER)
        self.early.unlink(missing_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix="citepress-"))  # of this user alone, and its path is short
        self._releasing = threading.Lock()
        self._readable, tell = os.pipe()
        line, self._line = os.pipe()
        parent = os.getpid()
        self._pid = os.fork()
        if not self._pid:
            os.close(self._readable)
            os.close(self._line)  # makers end when nobody holds it open
            _build(settings, database, parent, partial(_begin, settings, limits, self._folder / SOCKET, (line, tell)))
        os.close(tell)
        os.close(line)

    def can_be_read(self) -> bool:
        """Wait until pages can be read; ``False`` where the build has ended before."""
        try:
            return bool(os.read(self._readable, 1))
        except BaseException:
            self.kill()
            raise

    def wait(self) -> int:
        """Wait for the end of the build; its exit code, negative for a signal."""
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def release(self) -> None:
        """End the processes that render, and forget what they rendered from."""
        with self._releasing:
            if self._line >= 0:
                os.close(self._line)
                self._line = -1
        self.early.unlink(missing_ok=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def kill(self) -> None:
        """End everything at once."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        self.release()


def _build(settings: Settings, database: Database, parent: int, begun: Begun) -> NoReturn:
    """What the process does that builds: it leaves without running anything that its parent would run at its end."""
    status, units = 1, 0
    early = pointer(settings.state).with_name(EARLY_POINTER)

    def count() -> None:
        nonlocal units
        units += 1

    def look(_number: int, _frame: object) -> None:
        if os.getppid() != parent:
            os._exit(status)
        note_rendered(early, units)

    try:
        _default_signals()
        signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, LOOK_S, LOOK_S)
        with listening(count):
            status = 0 if Publisher(settings, database, watching=False, begun=begun).first() else 1
    finally:
        sys.stdout.flush()
        os._exit(status)


def _begin(settings: Settings, limits: CounterTable, address: Path, ends: tuple[int, int], pack: EarlyPack) -> int:
    """Fork what keeps the makers, and tell that pages can be read; the date of all of them."""
    line, tell = ends
    pack.written = int(clock.now().timestamp())
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(address))
    listener.listen(BACKLOG)
    if not os.fork():
        os.close(tell)
        _default_signals()
        signal.setitimer(signal.ITIMER_REAL, 0)
        keep_makers(partial(early_app, settings, pack, limits), listener, line)
    listener.close()
    write_early(pointer(settings.state).with_name(EARLY_POINTER), pack, str(address))
    os.write(tell, b"1")
    os.close(tell)
    return pack.written


def _default_signals() -> None:
    """A terminal interrupts all of its processes: the parent ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
