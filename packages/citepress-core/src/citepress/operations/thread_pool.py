"""A small thread pool for operations that search: the search engine releases the GIL while it works."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from citepress.contract.operation import Refusal

THREADS = 2
"""Threads per worker process: more would only compete for the GIL."""
WAITING = 64
"""Running and waiting operations together; beyond it, clients are asked to retry."""
RETRY = 1
T = TypeVar("T")


class SearchThreads:
    """The search threads of one worker process; they start with the first search."""

    def __init__(self, threads: int = THREADS, waiting: int = WAITING) -> None:
        self._threads = ThreadPoolExecutor(threads, "search")
        self._waiting, self._here = waiting, 0

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """The result of ``work(*arguments)``.

        Raises ``Refusal`` (unavailable) where too many wait, and what the work raises.
        """
        if self._here >= self._waiting:
            raise Refusal("unavailable", "Too many searches are under way; ask again in a second.", retry_after=RETRY)
        self._here += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *arguments))
        finally:
            self._here -= 1

    def close(self) -> None:
        """Shut the threads down after running work is finished."""
        self._threads.shutdown(wait=False, cancel_futures=True)
