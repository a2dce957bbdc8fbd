"""The site application with a stopwatch: used where an operator reads metrics, so that others do not pay for it."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Sized
from functools import partial
from time import perf_counter
from typing import Protocol, runtime_checkable

from citepress.base import clock
from citepress.contract.limits import Counters, Limit, LimitState
from citepress.http.message import Handler, Receive, Request, Response
from citepress.web.asgi import Task
from citepress.web.site import SiteApp

DOCUMENT, ACTION = 0, 1
BEAT_S = 1.0


class RequestMetrics(Protocol):
    """Where a worker counts."""

    def answered(self, handler: int, method: str, status: int, size: int, seconds: float) -> None:
        """Count an answer."""
        ...

    def spent(self, limit: str, *, allowed: bool) -> None:
        """Count a check of a limit."""
        ...

    def logged(self, level: int) -> None:
        """Count a record of the log."""
        ...

    def set(self, name: str, value: int) -> None:
        """Set a fact of this worker."""
        ...

    def flush(self) -> None:
        """Show the counts to other processes."""
        ...


@runtime_checkable
class Backlog(Protocol):
    """An observer of responses that handles them later."""

    events: Sized
    """What waits."""
    dropped: int
    """What was lost."""

    def __call__(self, request: Request, reply: Response) -> None:
        """Take note of a response."""
        ...


class MeasuredSiteApp(SiteApp):
    """Counts each answer and how long it took to make."""

    metrics: RequestMetrics
    """Set before the first request."""

    def answer(self, request: Request) -> Response:
        """The answer to a request. Raises nothing."""
        began = perf_counter()
        reply = super().answer(request)
        self.metrics.answered(DOCUMENT, request.method, reply.status, len(reply.body), perf_counter() - began)
        return reply

    async def act(self, handler: Handler, request: Request, receive: Receive) -> Response:
        """The answer of an action. Raises nothing but cancellation."""
        began = perf_counter()
        reply = await super().act(handler, request, receive)
        self.metrics.answered(ACTION, request.method, reply.status, len(reply.body), perf_counter() - began)
        return reply


class MeasuredCounters:
    """Counts how often each limit was checked, and how often it refused."""

    def __init__(self, counters: Counters, metrics: RequestMetrics) -> None:
        self._counters, self._metrics = counters, metrics

    def spend(self, limit: Limit, client: str, cost: int = 1) -> LimitState:
        """Take ``cost`` units from the client's window, all or nothing."""
        state = self._counters.spend(limit, client, cost)
        self._metrics.spent(limit.name, allowed=state.allowed)
        return state


class LogCount(logging.Handler):
    """Counts records of the log by level."""

    def __init__(self, metrics: RequestMetrics) -> None:
        super().__init__(logging.WARNING)
        self._metrics = metrics

    def emit(self, record: logging.LogRecord) -> None:
        """Count a record."""
        self._metrics.logged(record.levelno)


async def flush_regularly(metrics: RequestMetrics, gather: Callable[[], None]) -> None:
    """Once a second, gather what is not counted as it happens and show everything; once more at the end."""
    try:
        while True:
            gather()
            metrics.flush()
            await asyncio.sleep(BEAT_S)
    finally:
        gather()
        metrics.flush()


def edition_mark(digest: str) -> int:
    """A number by which workers name the edition that they serve."""
    return int.from_bytes(hashlib.sha256(digest.encode()).digest()[:6])


def measurement(app: SiteApp, metrics: RequestMetrics) -> Task:
    """The task that shows the counts of a worker; from now on the records of its log are counted too."""
    if isinstance(app, MeasuredSiteApp):
        app.metrics = metrics
    logging.getLogger().addHandler(LogCount(metrics))
    shown = 0

    def gather() -> None:
        nonlocal shown
        edition, tap = app.edition, app.tap
        if edition is not None:
            metrics.set("cached_bytes", edition.cached_bytes)
            if (mark := edition_mark(edition.digest)) != shown:
                shown = mark
                metrics.set("edition", mark)
                metrics.set("edition_since", int(clock.now().timestamp()))
        if isinstance(tap, Backlog):
            metrics.set("waiting_events", len(tap.events))
            metrics.set("dropped_events", tap.dropped)

    return partial(flush_regularly, metrics, gather)
