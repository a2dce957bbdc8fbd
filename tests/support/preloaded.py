"""Processes that begin with the package imported, forked from one that waits: importing takes longer than most tests.

The one that waits has also built an edition, so that what a process works out once is worked out already.

What they run is the same as in a process of their own. Tests about processes, signals and start-up start the command
itself (``running_server.serving_command``).
"""

import contextlib
import gc
import importlib
import json
import multiprocessing.util
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, Self

TESTS = Path(__file__).parents[1]
MODULES = (
    "citepress.cli.serve",
    "citepress.cli.service",
    "citepress_mcp.command",
    "citepress_inbox.cli",
    "support.running_server",
    "support.first_edition",
    "eth_account",
)
MOST_BYTES, MOST_OPEN = 1_000_000, 4096
STATUS = struct.Struct("i")
STARTED = contextlib.ExitStack()
"""What this process started and has to end; ``tests/conftest.py`` closes it."""


class ForkedProcess:
    """A process that another one forked for us, with the members of ``subprocess.Popen`` that tests use."""

    def __init__(self, pid: int, status: int) -> None:
        self.pid, self.returncode = pid, None
        self._status = status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()

    def poll(self) -> int | None:
        """The exit code, as soon as there is one."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code. Raises ``subprocess.TimeoutExpired``."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return code

    def _ended(self, seconds: float | None) -> int | None:
        if self.returncode is None:
            with selectors.DefaultSelector() as selector:
                selector.register(self._status, selectors.EVENT_READ)
                if selector.select(seconds):
                    self.returncode = STATUS.unpack(os.read(self._status, STATUS.size))[0]
                    os.close(self._status)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


def start(
    function: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    session: bool = False,
    streams: Sequence[int] = (0, 1, 2),
    directory: Path | None = None,
) -> ForkedProcess:
    """Call ``module:function`` with a list of arguments in a new process; its exit code is that of ``SystemExit``.

    ``session`` gives it a session of its own, ``streams`` are its standard input, output and error, ``directory`` is
    where it runs.
    """
    place = str(directory or Path.cwd())
    request = json.dumps([function, list(arguments), dict(environment), place, session]).encode()
    with _lock:
        control = _waiting()
        socket.send_fds(control, [request], list(streams))
        answer, descriptors, _, _ = socket.recv_fds(control, MOST_BYTES, 1)
    return ForkedProcess(int(answer), descriptors[0])


_lock = threading.Lock()


def importing_tests() -> dict[str, str]:
    """Our own environment, for processes that import what supports tests and the package from where we do."""
    places = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)}


@cache
def _waiting() -> socket.socket:
    """The connection to the process that forks, which ends with this connection."""
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with far:
        process = subprocess.Popen(
            [sys.executable, __file__, str(far.fileno())],
            pass_fds=[far.fileno()],
            env=importing_tests(),
        )
    STARTED.callback(process.wait)
    STARTED.callback(near.close)
    return near


class Nursery:
    """Forks on request, and reports how each process ended."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: dict[int, int] = {}

    def run(self) -> None:
        """Work until the other end of the connection is closed."""
        wake, woken = socket.socketpair()
        for end in (wake, woken):
            end.setblocking(False)
        signal.set_wakeup_fd(woken.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        selector = selectors.DefaultSelector()
        for source in (self._control, wake):
            selector.register(source, selectors.EVENT_READ)
        while True:
            ready = [key.fileobj for key, _ in selector.select()]
            if wake in ready:
                with contextlib.suppress(BlockingIOError):
                    wake.recv(4096)
                self._reap()
            if self._control in ready and not self._fork():
                return

    def _fork(self) -> bool:
        request, streams, _, _ = socket.recv_fds(self._control, MOST_BYTES, 3)
        if not request:
            return False
        pid = os.fork()
        if pid == 0:
            _become(json.loads(request), streams)
        for stream in streams:
            os.close(stream)
        far, near = os.pipe()
        self._children[pid] = near
        socket.send_fds(self._control, [str(pid).encode()], [far])
        os.close(far)
        self._reap()
        return True

    def _reap(self) -> None:
        for pid in list(self._children):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                reporting = self._children.pop(pid)
                with contextlib.suppress(BrokenPipeError):
                    os.write(reporting, STATUS.pack(os.waitstatus_to_exitcode(status)))
                os.close(reporting)


def _become(request: list[Any], streams: Sequence[int]) -> NoReturn:
    """Turn this fork into the process that was asked for."""
    function, arguments, environment, folder, session = request
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, MOST_OPEN)
    if session:
        os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["citepress", *arguments]
    for output in (sys.stdout, sys.stderr):
        output.reconfigure(write_through=True)  # type: ignore[union-attr]
    sys.modules["__main__"] = types.ModuleType("__main__")
    multiprocessing.util.spawnv_passfds = _forked  # type: ignore[assignment]
    _leave(lambda: _function(function)(arguments))


def _leave(work: Callable[[], object]) -> NoReturn:
    """Do the work, and end as an interpreter does behind it."""
    code: object = 1
    try:
        work()
        code = 0
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001  (shown as the interpreter shows it)
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))


def _function(function: str) -> Callable[[Sequence[str]], object]:
    module, _, name = function.partition(":")
    callee: Callable[[Sequence[str]], object] = getattr(importlib.import_module(module), name)
    return callee


def _forked(_executable: bytes, arguments: Sequence[Any], passed: Sequence[int]) -> int:
    """Run what ``spawnv_passfds`` would give to a new interpreter, in a fork that holds nothing open beside it."""
    pid = os.fork()
    if pid:
        return pid
    kept_open = sorted({0, 1, 2, *passed})
    for low, high in zip(kept_open, [*kept_open[1:], MOST_OPEN], strict=True):
        os.closerange(low + 1, high)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    _, program, *rest = arguments[list(arguments).index("-c") :]
    sys.argv = ["-c", *rest]
    _leave(lambda: exec(program, {"__name__": "__main__"}))  # noqa: S102  (what multiprocessing wrote)


if __name__ == "__main__":
    with contextlib.closing(socket.socket(fileno=int(sys.argv[1]))) as connection:
        for module in MODULES:
            importlib.import_module(module)
        gc.freeze()
        Nursery(connection).run()
