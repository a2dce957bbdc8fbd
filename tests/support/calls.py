"""Python-level calls of a piece of work: they repeat exactly, which its time does not."""

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable, Sequence
from types import FrameType
from typing import Any


def calls(work: Callable[[], Awaitable[Any]], room: str = "", beside: str = "") -> int:
    """Calls of the second of two identical requests: of one package alone, or of all but the package ``beside``."""

    async def counted() -> int:
        await work()
        count = 0

        def trace(frame: FrameType, event: str, _argument: object) -> None:
            nonlocal count
            count += event == "call" and room in frame.f_code.co_filename and not (beside and _within(frame, beside))

        gc.collect()
        gc.disable()  # what other tests left to be finalized calls functions too
        sys.setprofile(trace)
        try:
            await work()
        finally:
            sys.setprofile(None)
            gc.enable()
        return count

    return asyncio.run(counted())


def _within(frame: FrameType | None, room: str) -> bool:
    while frame is not None:
        if room in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def calls_within(work: Callable[[], object], rooms: Sequence[str]) -> tuple[int, int]:
    """Calls that a piece of work makes in these parts of the code and from there, and all its calls.

    Those of functions in C are included.
    """
    inside = total = 0

    def trace(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal inside, total
        if event in {"call", "c_call"}:
            total += 1
            inside += any(room in frame.f_code.co_filename for room in rooms)

    sys.setprofile(trace)
    try:
        work()
    finally:
        sys.setprofile(None)
    return inside, total
