"""The one clock of the house; everything else is handed a moment."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

nanoseconds: Callable[[], int] = time.time_ns
"""Nanoseconds since 1970, for what is stamped a thousand times a second."""
seconds: Callable[[], float] = time.monotonic
"""Seconds that never step backwards, for windows and time-outs."""


def now() -> datetime:
    """The present moment, UTC, to the second."""
    return datetime.fromtimestamp(int(time.time()), UTC)  # noqa: TID251  (this is the one place)


def breathe() -> None:
    """Let another thread go on that waits for the interpreter."""
    time.sleep(0)
