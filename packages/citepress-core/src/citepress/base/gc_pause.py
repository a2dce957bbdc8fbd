"""Pauses garbage collection while many long-lived objects are created, and makes it rare while many are used up."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

RARELY = (10_000, 20, 100)
"""Objects between two collections of the youngest, and how many of these come before one of those that are older."""

MAX_COLLECTED_OBJECTS = 200_000
"""Objects of a block that are looked through for cycles before they are exempt: as many as an edit makes, in some
milliseconds. A whole build makes millions."""


@contextmanager
def paused_gc() -> Iterator[None]:
    """Collect nothing inside the block, and exempt what is alive at its end from later collections.

    What is created there is long-lived and without cycles: reference counts free it, and walking its millions of
    objects again and again would cost more than creating them. Where they are few, cycles among them are freed first:
    what is exempt is never freed, and a server that follows many edits would grow with each.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if gc.get_count()[0] < MAX_COLLECTED_OBJECTS:
            gc.collect()
        gc.freeze()
        if was_on:
            gc.enable()


@contextmanager
def rare_gc() -> Iterator[None]:
    """Collect seldom inside the block, where objects come and go by the thousand and few of them are in cycles.

    Every collection walks what is alive at its moment, so that fewer of them cost less, and what they free later is
    some megabytes.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
