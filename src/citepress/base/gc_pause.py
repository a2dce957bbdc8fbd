"""A rest for the garbage collector while many lasting objects are made at once."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_gc() -> Iterator[None]:
    """Collect nothing inside the block, and count what is alive at its end as lasting.

    What is made there stays for long and holds no cycles: it is freed by its reference counts, and walking its millions
    of objects again and again would cost more than making them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
