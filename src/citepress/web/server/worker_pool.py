"""Worker processes: started, watched, replaced when they die, and ended together."""

import logging
import multiprocessing
import signal
import socket
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection as Line
from multiprocessing.connection import wait
from types import FrameType

from citepress.base import clock
from citepress.web.asgi import Asgi
from citepress.web.server.listener import READY, STOP_SECONDS, answer

GRACE = 0.5
"""Seconds that a worker has beyond its connections."""
PAUSE_SECONDS = 1.0
"""Minimum time between the start of a worker and its replacement."""
SIGNALS = (signal.SIGTERM, signal.SIGINT)
log = logging.getLogger(__name__)


class WorkerProcess:
    """One worker process over one listening socket."""

    def __init__(self, load: Callable[[], Asgi], at: socket.socket) -> None:
        self.at = at
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
        """Replace workers that die, until the signal to stop."""
        while self._stopped not in wait([self._stopped, *(worker.process.sentinel for worker in self._workers)]):
            for place, worker in enumerate(self._workers):
                if worker.process.is_alive():
                    continue
                log.error("a worker ended with code %s and is replaced", worker.process.exitcode)
                if wait([self._stopped], max(0.0, worker.born + PAUSE_SECONDS - clock.seconds())):
                    return True
                worker.close()
                self._workers[place] = WorkerProcess(self._load, worker.at)
        return True

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


def _worker(load: Callable[[], Asgi], at: socket.socket, line: Line) -> None:
    """What a worker process does."""
    for sign in SIGNALS:
        signal.signal(sign, signal.SIG_DFL)
    answer(load, at, line)
