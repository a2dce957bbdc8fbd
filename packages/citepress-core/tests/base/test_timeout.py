"""A task that waits too long is told so; others never notice the watch."""

import asyncio
from typing import Any

import pytest

from citepress.base.timeout import TICK, Timeout
from support.waiting import PATIENCE_S


async def _wait(seconds: float, event: asyncio.Event) -> str:
    try:
        with Timeout(seconds):
            await event.wait()
    except TimeoutError:
        return "too long"
    return "in time"


def run(work: Any) -> Any:
    return asyncio.run(asyncio.wait_for(work, PATIENCE_S))


def test_each_waits_as_long_as_it_may() -> None:
    async def work() -> list[str]:
        never, soon = asyncio.Event(), asyncio.Event()
        waiting = [
            asyncio.create_task(_wait(0.0, never)),
            asyncio.create_task(_wait(TICK, never)),
            asyncio.create_task(_wait(60, soon)),
        ]
        results = [await waiting[0], await waiting[1]]
        assert not waiting[2].done()
        soon.set()
        return [*results, await waiting[2]]

    assert run(work()) == ["too long", "too long", "in time"]


def test_a_task_goes_on_after_it_waited_too_long() -> None:
    async def work() -> tuple[str, str, int]:
        first = await _wait(0.0, asyncio.Event())
        await asyncio.sleep(0)
        event = asyncio.Event()
        asyncio.get_running_loop().call_soon(event.set)
        task = asyncio.current_task()
        assert task is not None
        return first, await _wait(60, event), task.cancelling()

    assert run(work()) == ("too long", "in time", 0)


def test_a_task_that_is_cancelled_by_others_is_cancelled() -> None:
    async def work() -> None:
        task = asyncio.create_task(_wait(60, asyncio.Event()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(work())


def test_a_fault_within_is_passed_on() -> None:
    async def work() -> None:
        with pytest.raises(KeyError), Timeout(60):
            raise KeyError("x")

    run(work())


def test_every_loop_has_its_own_watch() -> None:
    async def work() -> str:
        return await _wait(0.0, asyncio.Event())

    assert [run(work()) for _ in range(2)] == ["too long", "too long"]
