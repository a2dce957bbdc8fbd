"""The one clock of the house; everything else is handed a moment."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The present moment, UTC, to the second."""
    return datetime.fromtimestamp(int(time.time()), UTC)  # noqa: TID251  (this is the one place)


def seconds() -> float:
    """Seconds that never step backwards, for windows and time-outs."""
    return time.monotonic()
