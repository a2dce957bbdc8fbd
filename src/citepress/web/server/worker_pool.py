"""Worker processes: started, watched, replaced when they die, and ended together."""

import logging
import multiprocessing
import signal
import socket
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection as Line
from multiprocessing.connection import wait
from types import FrameType

from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.base.shortage import about_shortage
from citepress.web.asgi import Asgi
from citepress.web.server.listener import READY, STOP_SECONDS, answer

GRACE = 0.5
"""Seconds that a worker has beyond its connections."""
PAUSE_SECONDS, LONGEST_SECONDS = 1.0, 10.0
"""Minimum time between the start of a worker and its replacement, and what it grows to while replacements die too."""
STEADY_SECONDS = 60.0
"""A worker that lived for so long was sound, so the pause begins anew."""
MOST_CHARACTERS = 500
"""Of an error's own text in the log."""
ABORTED = frozenset({-signal.SIGABRT, -signal.SIGKILL, -signal.SIGSEGV})
FOR_WANT_OF_MEMORY = "; the system kills processes, and libraries abort them, where memory is short"
SIGNALS = (signal.SIGTERM, signal.SIGINT)
log = logging.getLogger(__name__)


class WorkerProcess:
    """One worker process over one listening socket."""

    def __init__(self, load: Callable[[], Asgi], at: socket.socket, pause: float = PAUSE_SECONDS) -> None:
        """``pause`` is the shortest time until it may be replaced, in seconds."""
        self.at = at
        self.pause = pause
        self.due: float | None = None
        """When it is replaced, where it has ended."""
        self.born = clock.seconds()
        self.ready = False
        self.line, theirs = multiprocessing.Pipe(duplex=False)
        self.process = multiprocessing.Process(target=_worker, args=(load, at, theirs), name="citepress-worker")
        self.process.start()
        theirs.close()

    def heard(self) -> bool:
        """Whether it reported that it is ready; ``False`` when its end of the pipe is closed."""
        try:
            self.ready = self.line.recv_bytes() == READY
        except (EOFError, OSError):
            return False
        return self.ready

    def ended(self) -> bool:
        """Whether the process has ended; it is reported once, and the moment of its replacement is set."""
        if self.due is None and not self.process.is_alive():
            now = clock.seconds()
            self.due = max(now, self.born + self.pause)
            words = f"in {self.due - now:.0f} s" if self.due - now >= 1 else "now"
            why = FOR_WANT_OF_MEMORY if self.process.exitcode in ABORTED else ""
            log.error("a worker ended with code %s and is replaced %s%s", self.process.exitcode, words, why)
            self.pause = next_pause(self.pause, now - self.born)
        return self.due is not None

    def close(self) -> None:
        """Let go of a process that has ended."""
        self.line.close()
        self.process.close()


class WorkerPool:
    """The workers of one server."""

    def __init__(
        self, load: Callable[[], Asgi], sockets: Sequence[socket.socket], announce: Callable[[], None] | None
    ) -> None:
        """``announce`` is called once, when all workers answer."""
        self._load = load
        self._announce = announce
        self._stopped, self._stop = multiprocessing.Pipe(duplex=False)
        self._workers: list[WorkerProcess] = []
        self._sockets = sockets

    def run(self) -> bool:
        """Keep the workers running until SIGTERM or SIGINT.

        ``False`` when one ended before all answered for the first time.
        """
        before = {sign: signal.signal(sign, self._signalled) for sign in SIGNALS}
        try:
            self._workers = [WorkerProcess(self._load, at) for at in self._sockets]
            return self._begin() and self._keep()
        finally:
            self._end()
            for sign, handler in before.items():
                signal.signal(sign, handler)
            self._stop.close()
            self._stopped.close()

    def _signalled(self, _number: int, _frame: FrameType | None) -> None:
        self._stop.send_bytes(b"stop")

    def _begin(self) -> bool:
        """Wait until all workers answer, and announce that."""
        while waited := [worker for worker in self._workers if not worker.ready]:
            ready = wait([self._stopped, *(worker.line for worker in waited)])
            if self._stopped in ready:
                return True
            if not all(worker.heard() for worker in waited if worker.line in ready):
                log.error("a worker cannot answer")
                return False
        if self._announce:
            self._announce()
        return True

    def _keep(self) -> bool:
        """Replace workers that die, until the signal to stop; each that dies soon makes the next wait longer."""
        while True:
            living = [worker.process.sentinel for worker in self._workers if not worker.ended()]
            dues = [worker.due for worker in self._workers if worker.due is not None]
            pause = max(0.0, min(dues) - clock.seconds()) if dues else None
            if self._stopped in wait([self._stopped, *living], pause):
                return True
            for place, worker in enumerate(self._workers):
                if worker.due is not None and worker.due <= clock.seconds():
                    worker.close()
                    self._workers[place] = WorkerProcess(self._load, worker.at, worker.pause)

    def _end(self) -> None:
        """Ask all to stop; kill those that do not."""
        for worker in self._workers:
            if worker.process.is_alive():
                worker.process.terminate()
        until = clock.seconds() + STOP_SECONDS + GRACE
        for worker in self._workers:
            worker.process.join(max(0.0, until - clock.seconds()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.close()


def next_pause(pause: float, lived: float) -> float:
    """The pause that follows on another where a worker lived so long, all in seconds."""
    return PAUSE_SECONDS if lived >= STEADY_SECONDS else min(LONGEST_SECONDS, 2 * pause)


def _worker(load: Callable[[], Asgi], at: socket.socket, line: Line) -> None:
    """What a worker process does; why it cannot is one line, because the same may hold for each replacement."""
    for sign in SIGNALS:
        signal.signal(sign, signal.SIG_DFL)
    try:
        answer(load, at, line)
    except Exception as error:  # noqa: BLE001  (whatever it is, the process ends)
        log.error("a worker cannot answer: %s", _sentence(error))  # noqa: TRY400  (a traceback for each would fill the log)
        raise SystemExit(1) from None


def _sentence(error: Exception) -> str:
    """What ended a worker, in one line: our own errors explain themselves, others are named with their place."""
    if shortage := about_shortage(error):
        return shortage
    text = " ".join(str(error).split())
    if isinstance(error, CitepressError):
        return text
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {text[:MOST_CHARACTERS]} ({place.filename}:{place.lineno})"
