"""Rate limits counted in memory, for one worker."""

import math
from collections.abc import Callable
from threading import Lock

from citepress.base import clock
from citepress.contract.limits import Limit, LimitState

MAX_CLIENTS = 200_000
"""Most clients stored for each limit; beyond it those with the oldest windows are dropped."""
ROUNDING = 1e-6
"""Seconds that a sum of timestamps may be off: without it a window of 60 s may have 61 left for one moment."""
SWEEP = 2
"""Finished windows dropped for each new one, so that memory shrinks as fast as it grew."""


class LocalCounters:
    """Fixed windows that begin with a client's first request; safe to share between threads."""

    def __init__(self, seconds: Callable[[], float] = clock.seconds, most: int = MAX_CLIENTS) -> None:
        self._seconds = seconds
        self._most = most
        self._lock = Lock()
        self._windows: dict[str, dict[str, tuple[float, int]]] = {}
        """For each limit, by client: the window's end and what it has spent, in the order in which the windows
        began."""

    def spend(self, limit: Limit, client: str, cost: int = 1) -> LimitState:
        """Take ``cost`` units from the client's window, all or nothing."""
        with self._lock:
            now = self._seconds()
            windows = self._windows.get(limit.name)
            if windows is None:
                windows = self._windows[limit.name] = {}
            window = windows.get(client)
            if window is None or window[0] <= now:
                window = self._begin(windows, client, now, limit.window)
            end, spent = window
            allowed = spent + cost <= limit.quota
            if allowed:
                spent += cost
                windows[client] = (end, spent)
            return LimitState(allowed, limit.quota - spent, max(1, math.ceil(end - now - ROUNDING)))

    def _begin(self, windows: dict[str, tuple[float, int]], client: str, now: float, length: int) -> tuple[float, int]:
        # Taken out and put in again at the end, so that the dictionary stays in the order of the windows' ends.
        windows.pop(client, None)
        for _ in range(SWEEP):
            oldest = next(iter(windows), None)
            # At the limit the oldest window goes although it has not ended: memory is bounded even under an attack from
            # many addresses.
            if oldest is None or (windows[oldest][0] > now and len(windows) < self._most):
                break
            del windows[oldest]
        windows[client] = window = (now + length, 0)
        return window
