"""Searching beside the event loop: others go on meanwhile, few at once, and whoever finds no room is told."""

import asyncio
import time
from threading import Event

import pytest

from citepress.contract.operation import Refusal
from citepress.operations.thread_pool import SearchThreads
from support.waiting import PATIENCE_S


def test_the_event_loop_goes_on_while_searches_run() -> None:
    async def scene() -> tuple[list[int], int]:
        threads, ticks, go = SearchThreads(2), 0, Event()
        searches = [asyncio.ensure_future(threads.run(lambda n=n: (go.wait(PATIENCE_S), n)[1])) for n in range(6)]
        while ticks < 50:
            await asyncio.sleep(0)
            ticks += 1
        go.set()
        return await asyncio.gather(*searches), ticks

    assert asyncio.run(scene()) == ([0, 1, 2, 3, 4, 5], 50)


def test_no_more_wait_than_there_is_room_for() -> None:
    async def scene() -> None:
        threads, go = SearchThreads(1, 2), Event()
        waiting = [asyncio.ensure_future(threads.run(go.wait, PATIENCE_S)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refusal) as refused:
            await threads.run(time.monotonic)
        assert (refused.value.code, refused.value.retry_after) == ("unavailable", 1)
        go.set()
        assert await asyncio.gather(*waiting) == [True, True]
        assert await threads.run(str, 5) == "5"

    asyncio.run(scene())


def test_whoever_leaves_makes_room() -> None:
    async def scene() -> None:
        threads, go = SearchThreads(1, 2), Event()
        first, gone = (asyncio.ensure_future(threads.run(go.wait, PATIENCE_S)) for _ in range(2))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.wait([gone])
        later = asyncio.ensure_future(threads.run(str, 1))
        await asyncio.sleep(0)
        go.set()
        assert (await first, await later) == (True, "1")

    asyncio.run(scene())


def test_what_a_search_raises_is_raised_to_its_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(SearchThreads().run(lambda: 1 // 0))
