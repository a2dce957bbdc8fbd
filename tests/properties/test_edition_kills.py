"""A build that is killed at any moment leaves the former edition served, and the next build correct."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.edition.edition import open_edition, pointer
from citepress.settings import Settings
from support.compared_editions import MOMENT, assert_same, with_history
from support.random_edits import Author

pytestmark = pytest.mark.long

KILLS = 25


def processor_seconds(act: Callable[[], object]) -> float:
    """What an act takes of the processor, in a process of its own that leaves nothing behind but files."""
    before = os.times()
    ended(act, 0.0)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def ended(act: Callable[[], object], after: float) -> bool:
    """Whether a process that does this lived to its end; it is killed after so many seconds of its processor time."""
    child = os.fork()
    if not child:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process where it is, as SIGKILL does
        signal.setitimer(signal.ITIMER_PROF, after)
        try:
            act()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFEXITED(status)


@pytest.mark.parametrize("whole", [True, False], ids=["build", "change"])
def test_a_killed_build_leaves_the_former_edition_and_the_next_one_correct(tmp_path: Path, *, whole: bool) -> None:
    dice = random.Random(whole)  # noqa: S311  (moments, not secrets)
    root, state = tmp_path / "archive", tmp_path / "state"
    author, settings = Author(root, 7), Settings(root, state)
    builder = Builder(settings)
    builder.build(MOMENT)
    edited = root / f"content/{min(author.records)}.md"

    def build() -> None:
        (Builder(settings) if whole else builder).build(MOMENT, () if whole else [edited])

    def edit() -> None:
        edited.write_text(f"{edited.read_text()}\nA sentence more at {time.monotonic_ns()}.\n")
        if whole:
            author.settings()

    edit()
    longest = processor_seconds(build)
    killed = 0
    for _ in range(KILLS):
        former = open_edition(pointer(state)).digest
        edit()
        lived = ended(build, max(0.001, dice.random() * longest))
        killed += not lived
        served = open_edition(pointer(state))
        assert lived or served.digest == former or served.body("/index.md")
        assert all(served.body(path) is not None for path in served.paths())
    build()
    fresh = Builder(Settings(root, with_history(state, tmp_path / "fresh"))).build(MOMENT)
    assert_same(open_edition(pointer(state)), open_edition(fresh.pointer))

    assert not list((state / "edition").glob("*.part"))
    assert killed
