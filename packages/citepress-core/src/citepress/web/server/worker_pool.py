"""Worker processes: started, watched, replaced when they die or hang, and ended together."""

import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection as Line
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import FrameType

from citepress.base import clock
from citepress.base.companion_process import HUNG_SECONDS
from citepress.base.errors import CitepressError
from citepress.base.shortage import about_shortage
from citepress.web.asgi import Asgi
from citepress.web.server.handshakes import refuse_newcomers
from citepress.web.server.listener import STOP_SECONDS, answer

WORKER_STOP_GRACE_S = 0.5
"""Seconds that a worker has beyond its connections."""
HANDSHAKE_SECONDS = 0.05
"""What clients have to complete the handshakes that were begun before the server stops accepting."""
PAUSE_SECONDS, MAX_RESTART_DELAY_S = 1.0, 10.0
"""Minimum time between the start of a worker and its replacement, and what it grows to while replacements die too."""
STEADY_SECONDS = 60.0
"""A worker that lived for so long was sound, so the pause begins anew."""
MAX_LOGGED_CHARS = 500
"""Of an error's own text in the log."""
ABORTED = frozenset({-signal.SIGABRT, -signal.SIGKILL, -signal.SIGSEGV})
FOR_WANT_OF_MEMORY = "; the system kills processes, and libraries abort them, where memory is short"
MAX_LOADING_S = 60.0
"""Seconds from the start of a worker to its first report."""
LOOK_SECONDS = 1.0
"""Seconds between two looks at the reports of workers."""
STOP, RELOAD, RELOADED = b"stop", b"reload", b"reloaded"
"""What is sent to the loop that watches the workers: two signals, and that what they asked for is done."""
SIGNALS = (signal.SIGTERM, signal.SIGINT)
log = logging.getLogger(__name__)


class WorkerProcess:
    """One worker process over one listening socket."""

    def __init__(
        self,
        load: Callable[[], Asgi],
        at: socket.socket,
        others: Sequence[socket.socket] = (),
        pause: float = PAUSE_SECONDS,
        method: str | None = None,
    ) -> None:
        """``others`` are the sockets of other workers; ``pause`` is the time until it may be replaced, in seconds.

        ``method`` is how its process starts, the usual way of the system by default.
        """
        self.at = at
        self.pause = pause
        self.due: float | None = None
        """When it is replaced, where it has ended."""
        self.born = self.heard_at = clock.seconds()
        self.ready = self.hung = False
        self.line, theirs = multiprocessing.Pipe(duplex=False)
        # A fork inherits all sockets, and connections would wait in those that nobody accepts from.
        context = multiprocessing.get_context(method)
        inherited = tuple(others) if context.get_start_method() == "fork" else ()
        arguments = (load, at, theirs, inherited)
        self.process: BaseProcess = context.Process(target=_worker, args=arguments, name="citepress-worker")  # type: ignore[attr-defined]  # every context has it
        self.process.start()
        theirs.close()

    def heard(self) -> bool:
        """Read its reports; the first says that it answers. ``False`` when its end of the pipe is closed."""
        try:
            while self.line.poll():
                self.line.recv_bytes()
                self.ready, self.heard_at = True, clock.seconds()
        except (EOFError, OSError):
            return False
        return True

    def hangs(self) -> bool:
        """Whether it has not reported for long; before the first report it may be loading."""
        self.heard()
        return self.due is None and clock.seconds() - self.heard_at > self.patience

    @property
    def patience(self) -> float:
        """Seconds without a report after which it hangs."""
        return HUNG_SECONDS if self.ready else MAX_LOADING_S

    def ended(self) -> bool:
        """Whether the process has ended; it is reported once, and the moment of its replacement is set."""
        if self.due is None and not self.process.is_alive():
            now = clock.seconds()
            self.due = max(now, self.born + self.pause)
            words = f"in {self.due - now:.0f} s" if self.due - now >= 1 else "now"
            why = FOR_WANT_OF_MEMORY if self.process.exitcode in ABORTED and not self.hung else ""
            log.error("a worker ended with code %s and is replaced %s%s", self.process.exitcode, words, why)
            self.pause = next_pause(self.pause, now - self.born)
        return self.due is not None

    def kill(self) -> None:
        """End the process at once, also where it is stopped."""
        self.process.kill()
        self.process.join()

    def close(self) -> None:
        """Let go of a process that has ended."""
        self.line.close()
        self.process.close()


class WorkerPool:
    """The workers of one server."""

    def __init__(
        self,
        load: Callable[[], Asgi],
        sockets: Sequence[socket.socket],
        announce: Callable[[], None] | None,
        reload: Callable[[], None] | None = None,
    ) -> None:
        """``announce`` is called once, when all workers answer.

        ``reload`` is called in a thread on SIGHUP, before the workers are replaced.
        """
        self._load = load
        self._announce = announce
        self._reload = reload
        self._stopped, self._stop = multiprocessing.Pipe(duplex=False)
        self._workers: list[WorkerProcess] = []
        self._sockets = sockets
        self._looked = clock.seconds()

    def run(self) -> bool:
        """Keep the workers running until SIGTERM or SIGINT.

        ``False`` when one ended before all answered for the first time.
        """
        before = {sign: signal.signal(sign, self._signalled) for sign in SIGNALS}
        # Who started it with nohup wants it to go on.
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            before[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._hung_up)
        try:
            for at in self._sockets:
                others = [other for other in self._sockets if other is not at]
                self._workers.append(WorkerProcess(self._load, at, others))
            return self._begin() and self._keep()
        finally:
            self._end()
            for sign, handler in before.items():
                signal.signal(sign, handler)
            self._stop.close()
            self._stopped.close()

    def _replacement(self, at: socket.socket, pause: float = PAUSE_SECONDS) -> WorkerProcess:
        """A worker that starts while others answer. A fork would copy the locks of threads that build and watch."""
        return WorkerProcess(self._load, at, pause=pause, method="spawn")

    def _signalled(self, _number: int, _frame: FrameType | None) -> None:
        self._stop.send_bytes(STOP)

    def _hung_up(self, _number: int, _frame: FrameType | None) -> None:
        """Stop where a terminal was closed, or else reload, as service managers expect."""
        self._stop.send_bytes(STOP if any(map(os.isatty, range(3))) else RELOAD)

    def _begin(self) -> bool:
        """Wait until all workers answer, and announce that."""
        while waited := [worker for worker in self._workers if not worker.ready]:
            ready = wait([self._stopped, *(worker.line for worker in waited)])
            if self._stopped in ready and self._stopped.recv_bytes() == STOP:
                self._stop.send_bytes(STOP)  # for the loop that follows
                return True
            if not all(worker.heard() for worker in waited if worker.line in ready):
                log.error("a worker cannot answer")
                return False
        if self._announce:
            self._announce()
        return True

    def _keep(self) -> bool:
        """Replace workers that die or hang, until the signal to stop; each that dies soon makes the next wait."""
        while True:
            living = [worker.process.sentinel for worker in self._workers if not worker.ended()]
            dues = [max(0.0, worker.due - clock.seconds()) for worker in self._workers if worker.due is not None]
            if self._stopped in wait([self._stopped, *living], min([LOOK_SECONDS, *dues])) and self._stops():
                return True
            self._look()
            for place, worker in enumerate(self._workers):
                if worker.due is not None and worker.due <= clock.seconds():
                    worker.close()
                    self._workers[place] = self._replacement(worker.at, worker.pause)

    def _look(self) -> None:
        """Kill workers that hang; the loop above replaces them."""
        now, before = clock.seconds(), self._looked
        self._looked = now
        hanging = [worker for worker in self._workers if worker.hangs()]
        if now - before > HUNG_SECONDS / 2:  # this process did not run either, so silence says nothing of the workers
            for worker in self._workers:
                worker.heard_at = now
            return
        for worker in hanging:
            log.error("a worker has not reported for %.0f s and is ended", worker.patience)
            worker.hung = True
            worker.kill()

    def _stops(self) -> bool:
        """Act on what was sent; whether it is the signal to stop."""
        word = self._stopped.recv_bytes()
        if word == RELOAD:
            log.warning("SIGHUP: the content is read again, then each worker is replaced")
            threading.Thread(target=self._prepare, name="reload", daemon=True).start()
        elif word == RELOADED:
            return not all(self._replace(place) for place in range(len(self._workers)))
        return word == STOP

    def _prepare(self) -> None:
        if self._reload:
            self._reload()
        self._stop.send_bytes(RELOADED)

    def _replace(self, place: int) -> bool:
        """Start another worker at the same socket, then end the former; ``False`` on the signal to stop."""
        former = self._workers[place]
        if former.ended():
            return True
        newcomer = self._replacement(former.at)
        while not newcomer.ready:
            ready = wait([self._stopped, newcomer.line], LOOK_SECONDS)
            if self._stopped in ready and self._stopped.recv_bytes() == STOP:
                newcomer.kill()
                newcomer.close()
                return False
            if newcomer.hangs() or (newcomer.line in ready and not newcomer.heard()):
                log.error("a new worker cannot answer; the former one stays")
                newcomer.kill()
                newcomer.close()
                return True
        self._workers[place] = newcomer
        former.process.terminate()
        _join([former])
        return True

    def _end(self) -> None:
        """Ask all to stop; kill those that do not."""
        for at in self._sockets:
            refuse_newcomers(at)
        time.sleep(HANDSHAKE_SECONDS)
        # Before the workers stop accepting: in a socket that only this process holds, nobody is answered.
        for at in self._sockets:
            at.close()
        for worker in self._workers:
            if worker.process.is_alive():
                worker.process.terminate()
        _join(self._workers)


def _join(workers: Sequence[WorkerProcess]) -> None:
    """Wait for workers that were asked to stop; kill those that do not."""
    until = clock.seconds() + STOP_SECONDS + WORKER_STOP_GRACE_S
    for worker in workers:
        worker.process.join(max(0.0, until - clock.seconds()))
        if worker.process.is_alive():
            worker.kill()
        worker.close()


def next_pause(pause: float, lived: float) -> float:
    """The pause that follows on another where a worker lived so long, all in seconds."""
    return PAUSE_SECONDS if lived >= STEADY_SECONDS else min(MAX_RESTART_DELAY_S, 2 * pause)


def _worker(load: Callable[[], Asgi], at: socket.socket, line: Line, others: Sequence[socket.socket]) -> None:
    """What a worker process does; why it cannot is one line, because the same may hold for each replacement."""
    for sign in SIGNALS:
        signal.signal(sign, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the parent decides
    for other in others:
        other.close()
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
    return f"{type(error).__name__}: {text[:MAX_LOGGED_CHARS]} ({place.filename}:{place.lineno})"
