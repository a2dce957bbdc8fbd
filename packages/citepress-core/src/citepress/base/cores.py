"""How many processes are worth starting, whether any may be forked, and whether one runs."""

import os
from pathlib import Path


def usable_cores() -> int:
    """The cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def is_single_threaded() -> bool:
    """Whether a fork copies no other thread, not even one of a library; ``False`` where the system cannot tell.

    A lock that another thread holds at a fork would stay locked in the copy for ever.
    """
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def is_running(process: int) -> bool:
    """Whether a process of this number runs."""
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
