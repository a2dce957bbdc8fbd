"""Timeouts of tasks, kept by one timer for each event loop: a timer for each task would cost more than its answer."""

import asyncio
from types import TracebackType
from typing import Any

TICK = 0.2
"""Seconds between checks for tasks that wait too long."""


class _Watch:
    """The waiting tasks of one loop, and when each times out."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.due: dict[asyncio.Task[Any], float] = {}
        self.late: set[asyncio.Task[Any]] = set()
        self.awake = False

    def look(self) -> None:
        """Cancel the tasks that are due, and check again while any task waits."""
        now = self.loop.time()
        for task, due in self.due.items():
            if due <= now and task not in self.late:
                self.late.add(task)
                task.cancel()
        self.awake = bool(self.due)
        if self.awake:
            self.loop.call_later(TICK, self.look)


_last: _Watch | None = None


def _watch(loop: asyncio.AbstractEventLoop) -> _Watch:
    """The watch of a loop; a process runs one at a time."""
    global _last  # noqa: PLW0603  (one loop a worker; tests run one after the other)
    if _last is None or _last.loop is not loop:
        _last = _Watch(loop)
    return _last


class Timeout:
    """Within the block the task waits no longer than ``seconds`` (and a tick), or ``TimeoutError`` is raised.

    Blocks do not nest.
    """

    __slots__ = ("_seconds", "_task", "_watch")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        watch = _last if _last is not None and _last.loop is loop else _watch(loop)
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("only a task can run out of patience")
        self._task, self._watch = task, watch
        watch.due[task] = loop.time() + self._seconds
        if not watch.awake:
            watch.awake = True
            loop.call_later(TICK, watch.look)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        task, watch = self._task, self._watch
        del watch.due[task]
        if task in watch.late:
            watch.late.discard(task)
            if task.uncancel() <= 0 and kind is asyncio.CancelledError:
                raise TimeoutError from error
