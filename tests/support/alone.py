"""Checks in a process of one thread."""

import os
import traceback
from collections.abc import Callable

from citepress.base.cores import is_single_threaded


def alone(check: Callable[[], None]) -> None:
    """Check this in a process of one thread, which the run of tests is not: from others none is forked."""
    child = os.fork()
    if not child:
        try:
            assert is_single_threaded()
            check()
        except BaseException:  # noqa: BLE001  (it must not go on as a second run of tests)
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def has_children() -> bool:
    """Whether a process that this one forked has not been waited for."""
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
