"""Garbage collection is as it was behind the work that it rests for, even where that fails."""

import gc

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
