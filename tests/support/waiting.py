"""How tests wait: for a condition rather than for a time, and long enough for a busy machine."""

import asyncio
import time
from collections.abc import Callable

PATIENCE_S = 120.0
"""The longest wait for anything that a test expects; only a test that fails ever waits this long."""
TURNS = 25


def until(holds: Callable[[], object]) -> bool:
    """Whether a condition becomes true."""
    end, pause = time.monotonic() + PATIENCE_S, 0.02
    while not (true := holds()) and time.monotonic() < end:
        time.sleep(pause)
        pause = min(0.5, pause * 1.3)  # a limit on requests must not end what only takes long
    return bool(true)


async def until_async(holds: Callable[[], object]) -> bool:
    """Whether a condition becomes true while this event loop runs."""
    end = time.monotonic() + PATIENCE_S
    while not (true := holds()) and time.monotonic() < end:  # noqa: ASYNC110  (nothing here sets an event)
        await asyncio.sleep(0.01)
    return bool(true)


async def turns_of_the_loop() -> None:
    """Let everything run that is ready: a number of turns, because a time may pass without a single one."""
    for _ in range(TURNS):
        await asyncio.sleep(0.002)
