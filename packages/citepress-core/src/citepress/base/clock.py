"""The only clock: everything else is given the moment."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

nanoseconds: Callable[[], int] = time.time_ns
"""Nanoseconds since 1970, for events that come a thousand times a second."""
seconds: Callable[[], float] = time.monotonic
"""Seconds that never go back, for windows and timeouts."""


def now() -> datetime:
    """The current time in UTC, to the second."""
    return datetime.fromtimestamp(int(time.time()), UTC)  # noqa: TID251  (this is the one place)


def unix_now() -> int:
    """The current second since 1970."""
    return int(time.time())  # noqa: TID251  (likewise)


def breathe() -> None:
    """Let a thread that waits for the interpreter run."""
    time.sleep(0)
