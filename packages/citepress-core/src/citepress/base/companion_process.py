"""Keeps another process running beside the workers, for as long as the service runs."""

import gc
import logging
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from ctypes import c_double
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import RawValue
from typing import TypeAlias

from citepress.base import clock

STOP_SECONDS = 5.0
"""A process that has not ended by then is killed."""
RESTART_S = 5.0
"""Seconds after which a process is started again that died."""
LOOK_S = 1.0
"""Seconds between two checks that the parent and the child are alive."""
HUNG_SECONDS = 10.0
"""A worker or companion that has not reported for so long is replaced: it was stopped, or its interpreter is stuck."""
CompanionWork: TypeAlias = Callable[[threading.Event], None]
"""Works until the event is set; it is pickled for the process."""
log = logging.getLogger(__name__)


class CompanionProcess:
    """Starts the process, and starts it again when it dies or hangs."""

    def __init__(self, name: str, work: CompanionWork, niceness: int = 0) -> None:
        """``niceness`` is how far the process steps back behind others that want the processor."""
        self._name, self._work, self._niceness = name, work, niceness
        self._stop = threading.Event()
        self._beat = RawValue(c_double)
        """When the process reported last, by ``clock.seconds``; 0 before the first time, because a spawn takes long."""
        self._process: BaseProcess | None = None
        self._thread = threading.Thread(target=self._keep, name=self._name, daemon=True)

    def start(self) -> None:
        """Begin. Call this before other threads and the workers are started: the process is made as theirs are."""
        # Where that is a fork it begins with everything that is imported, which saves a second of the processor while
        # the service starts, and most of its memory.
        self._process = self._started(None)
        self._thread.start()

    def stop(self) -> None:
        """End the process, within five seconds."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _started(self, method: str | None) -> BaseProcess:
        name = f"citepress-{self._name}"
        arguments = (pickle.dumps(self._work), os.getpid(), self._niceness, self._beat)
        self._beat.value = 0
        process: BaseProcess = get_context(method).Process(target=_run, args=arguments, name=name, daemon=True)  # type: ignore[attr-defined]  # every context has it
        process.start()
        return process

    def _keep(self) -> None:
        while self._process is not None:
            looked = clock.seconds()
            while self._process.is_alive() and not self._stop.wait(LOOK_S):
                looked = self._look(self._process, looked)
            if self._stop.is_set():
                _end(self._process)
                return
            log.error("the %s ended with code %s and is started again", self._name, self._process.exitcode)
            if self._stop.wait(RESTART_S):
                return
            # A fork would now copy the locks of threads that build and watch.
            self._process = self._started("spawn")

    def _look(self, process: BaseProcess, looked: float) -> float:
        """Kill the process if it hangs, and return the time; ``looked`` is when this was done before."""
        now = clock.seconds()
        if now - looked > HUNG_SECONDS / 2 and self._beat.value:
            self._beat.value = now  # this process did not run either, so silence says nothing of the other
        elif self._beat.value and now - self._beat.value > HUNG_SECONDS:
            log.error("the %s has not reported for %.0f s and is ended", self._name, HUNG_SECONDS)
            process.kill()
            process.join()
        return now


def _end(process: BaseProcess) -> None:
    process.terminate()
    process.join(STOP_SECONDS)
    if process.is_alive():
        process.kill()
        process.join()


def _run(pickled: bytes, parent: int, niceness: int, beat: c_double) -> None:
    """What the process does; it ends with its parent, however that ended.

    ``pickled`` is the work: it is read here, because reading it imports most of the package where the process was
    spawned, and a process that steps back must not take the processor for that while the service runs.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the parent decides whether the service reloads or ends
    os.nice(niceness)
    gc.freeze()  # a collection would touch, and so copy, everything that a fork shares with its parent
    threading.Thread(target=_follow, args=(parent, stop, beat), name="parent", daemon=True).start()
    work: CompanionWork = pickle.loads(pickled)  # noqa: S301  (written by the parent)
    work(stop)


def _follow(parent: int, stop: threading.Event, beat: c_double) -> None:
    """Report every second, also while the work is ending, and stop it when the parent has ended."""
    while True:
        beat.value = clock.seconds()
        if os.getppid() != parent:
            stop.set()
        time.sleep(LOOK_S)
