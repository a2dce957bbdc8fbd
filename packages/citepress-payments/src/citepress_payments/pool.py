"""Settlements in a bounded number of threads: requests for the same payment share one, and no request can end it."""

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

from citepress_payments.limits import SETTLEMENTS_AT_ONCE, SETTLEMENTS_QUEUED
from citepress_payments.outcomes import Outcome


class Pool:
    """Runs the work of settling; what is begun is finished whether anybody waits or not."""

    def __init__(self, workers: int = SETTLEMENTS_AT_ONCE, queued: int = SETTLEMENTS_QUEUED) -> None:
        self._threads = ThreadPoolExecutor(workers, "settlement")
        self._most = workers + queued
        self._lock = Lock()
        self._running: dict[Hashable, Future[Outcome]] = {}

    def start(self, same: Hashable, work: Callable[[], Outcome]) -> Future[Outcome] | None:
        """The future of this work, shared with whoever asked for the ``same`` before.

        ``None`` where the pool is full.
        """
        with self._lock:
            # A client that resends while the first request runs gets the same outcome, not a second settlement.
            if running := self._running.get(same):
                return running
            # A queue without end would hold requests longer than their clients wait.
            if len(self._running) >= self._most:
                return None
            future = self._running[same] = self._threads.submit(work)
        # Outside of the lock: a future that is done already calls back at once, and the callback takes the lock.
        future.add_done_callback(lambda _: self._done(same))
        return future

    def close(self) -> None:
        """Begin nothing any more, and wait for what runs."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _done(self, same: Hashable) -> None:
        with self._lock:
            self._running.pop(same, None)
