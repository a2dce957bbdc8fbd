"""Pauses garbage collection while many long-lived objects are created."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_gc() -> Iterator[None]:
    """Collect nothing inside the block, and exempt what is alive at its end from later collections.

    What is created there is long-lived and without cycles: reference counts free it, and walking its millions of
    objects again and again would cost more than creating them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
