"""Garbage collection is as it was behind the work that it rests for, even where that fails."""

import gc
import weakref

import pytest

from citepress.base.gc_pause import RARELY, paused_gc, rare_gc


def _fail(*, collects: bool, threshold: tuple[int, ...]) -> None:
    assert gc.isenabled() is collects
    assert gc.get_threshold() == threshold
    raise LookupError


def test_collections_are_rare_inside_the_block_alone() -> None:
    usual = gc.get_threshold()
    assert usual != RARELY
    with pytest.raises(LookupError), rare_gc():
        _fail(collects=True, threshold=RARELY)
    assert gc.get_threshold() == usual


def test_nothing_is_collected_inside_the_block_alone() -> None:
    with pytest.raises(LookupError), paused_gc():
        _fail(collects=False, threshold=gc.get_threshold())
    assert gc.isenabled()


class Knot:
    """What refers to itself, as an object in a cycle does."""

    def __init__(self) -> None:
        self.itself = self


def test_cycles_of_a_short_block_are_freed_and_what_is_alive_is_exempt() -> None:
    exempt = gc.get_freeze_count()
    with paused_gc():
        gone, alive = weakref.ref(Knot()), Knot()
        assert gone() is not None
    assert gone() is None
    assert gc.get_freeze_count() > exempt
    assert all(alive is not looked_through for looked_through in gc.get_objects())
