"""Builds the first edition of a large folder in a child process, so that its pages are served before it is complete."""

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
from citepress.content.files import survey
from citepress.edition.early_pack import EarlyPack, early_pointer, note_rendered, write_early
from citepress.edition.edition import pointer
from citepress.edition.site_edition import Begun
from citepress.settings import Settings
from citepress.stores.local.shared_counters import CounterTable
from citepress.stores.sql.database import Database

MIN_EARLY_FILES = 1_000
"""Number of files from which pages are served early; smaller folders are built within seconds."""
PARENT_CHECK_S = 1.0
"""Seconds between two checks of the build process that its parent is alive."""
LINGER_S = 10.0
"""Seconds for which the makers stay after the edition is complete, until the last worker has opened it."""
SOCKET = "makers"
MAX_SOCKET_FOLDER_CHARS = 60
"""A path of a socket has at most 104 bytes on some systems."""
MAX_BACKLOG = 128
"""Connections that may wait for a maker, of all workers."""


def reads_early(settings: Settings) -> bool:
    """Whether the pages of a folder are served before its first edition is complete."""
    may_build_apart = not pointer(settings.state).exists() and is_single_threaded()
    return may_build_apart and survey(settings.root).count >= MIN_EARLY_FILES


class EarlyPublisher(Publisher):
    """Like ``Publisher``, for a large folder that has no edition yet."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        *,
        watching: bool,
        content: Callable[[], str | None] | None,
        limits: CounterTable | None,
    ) -> None:
        """``limits`` is the table in which the workers count requests too."""
        super().__init__(settings, database, watching=watching, content=content)
        self._limits = limits
        self._build: _FirstBuild | None = None
        self._whole = threading.Event()
        self._broken = False

    def first(self) -> BuildResult | None:
        """The early edition, or the complete one if the build ends before pages can be served."""
        self._database.close()  # the process is forked from this one and must not inherit a connection
        build = _FirstBuild(self._settings, self._database, self._limits)
        try:
            if build.can_be_read():
                self._build = build
                check_start(build.early, self._database, warn)
                return BuildResult(None, build.early)
        except BaseException:
            build.kill()
            raise
        build.release()
        self._whole.set()
        if (code := build.wait()) < 0:
            _explain(code)
        return None if code else super().first()

    def follow(self) -> None:
        """Follow the content as soon as the first edition is complete."""
        if self._build is None:
            super().follow()
        else:
            threading.Thread(target=self._finish, args=(self._build,), name="first build", daemon=True).start()

    def reload(self, changed: Collection[Path] = (), *, silent: bool = False) -> None:
        """Wait until the first edition is complete, then build the next one."""
        self._whole.wait()
        super().reload(changed, silent=silent)

    def stop(self, seconds: float = 0.0) -> None:
        """Stop the threads and the first build. Raises ``SystemExit`` if that build failed."""
        super().stop(seconds)
        if self._build:
            self._build.kill()
        if self._broken:
            raise SystemExit(1)

    def _finish(self, build: "_FirstBuild") -> None:
        """Wait for the build process and take over from it."""
        began, code = clock.seconds(), build.wait()
        if self._stopped.is_set():
            return
        standing = self._builder.standing(clock.now())
        if code or (built := standing or self._builder.last()) is None:
            _explain(code)
            self._broken = True
            os.kill(os.getpid(), signal.SIGTERM)
            return
        self._compared, self._held_back = not self._watching, built.held_back
        self._report(built)
        note(f"The first edition is whole, {clock.seconds() - began:.0f} s after its first page.")
        self._whole.set()
        super().follow()
        if standing is None:  # a scheduled record appeared or expired during the build
            super().reload()
        self._stopped.wait(LINGER_S)
        build.release()


def _explain(code: int) -> None:
    """Say why the first edition could not be built, and what to do."""
    why = "correct the errors above"
    if code < 0:  # nothing was printed: the kernel ends the largest process where memory runs out
        why = f"{signal.Signals(-code).name} ended its process. See whether memory is short"
    warn(f"The first edition could not be built: {why} and start again.")


class _FirstBuild:
    """The build process and its makers."""

    def __init__(self, settings: Settings, database: Database, limits: CounterTable | None) -> None:
        self.early = early_pointer(settings.state)
        self.early.unlink(missing_ok=True)
        # Mode 0700; a socket needs a short path, whatever TMPDIR says.
        short = tempfile.gettempdir() if len(tempfile.gettempdir()) < MAX_SOCKET_FOLDER_CHARS else "/tmp"  # noqa: S108
        self._folder = Path(tempfile.mkdtemp(prefix="citepress-", dir=short))
        self._releasing = threading.Lock()
        self._readable, tell = os.pipe()
        line, self._line = os.pipe()
        parent = os.getpid()
        self._pid = os.fork()
        if not self._pid:
            os.close(self._readable)
            os.close(self._line)  # the makers end when no process holds it open
            _build(settings, database, parent, partial(_begin, settings, limits, self._folder / SOCKET, (line, tell)))
        os.close(tell)
        os.close(line)

    def can_be_read(self) -> bool:
        """Wait until pages can be served; ``False`` if the build ends before."""
        return bool(os.read(self._readable, 1))

    def wait(self) -> int:
        """Wait for the end of the build. Returns its exit code, or the negative number of the signal that ended it."""
        status = os.waitpid(self._pid, 0)[1]
        self._pid = 0
        return os.waitstatus_to_exitcode(status)

    def release(self) -> None:
        """End the makers and remove their socket and the pointer of the early edition."""
        with self._releasing:
            if self._line >= 0:
                os.close(self._line)
                self._line = -1
        self.early.unlink(missing_ok=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def kill(self) -> None:
        """Kill the build process and end the makers."""
        with suppress(ProcessLookupError):
            if self._pid:
                os.kill(self._pid, signal.SIGKILL)
        self.release()


def _build(settings: Settings, database: Database, parent: int, begun: Begun) -> NoReturn:
    """Build the edition in the child process and exit, without the exit handlers of the parent."""
    status, units = 1, 0
    early = early_pointer(settings.state)

    def count(_doing: str, _what: str) -> None:
        nonlocal units
        units += 1

    def check_parent(_number: int, _frame: object) -> None:
        if os.getppid() != parent:
            os._exit(status)
        note_rendered(early, units)

    try:
        _reset_signals()
        signal.signal(signal.SIGALRM, check_parent)
        signal.setitimer(signal.ITIMER_REAL, PARENT_CHECK_S, PARENT_CHECK_S)
        with listening(count):
            status = 0 if Publisher(settings, database, watching=False, begun=begun).first() else 1
    finally:
        sys.stdout.flush()
        os._exit(status)


def _begin(
    settings: Settings, limits: CounterTable | None, address: Path, ends: tuple[int, int], pack: EarlyPack
) -> int:
    """Fork the process that keeps the makers and signal that pages can be served. Returns the date of all leaves."""
    line, tell = ends
    pack.written = int(clock.now().timestamp())
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(address))
    listener.listen(MAX_BACKLOG)
    if not os.fork():
        os.close(tell)
        _reset_signals()
        signal.setitimer(signal.ITIMER_REAL, 0)
        keep_makers(partial(early_app, settings, pack, limits), listener, line)
    listener.close()
    write_early(early_pointer(settings.state), pack, str(address))
    os.write(tell, b"1")
    os.close(tell)
    return pack.written


def _reset_signals() -> None:
    """Ignore Ctrl-C and hang-ups, which a terminal sends to all of its processes: the parent ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
