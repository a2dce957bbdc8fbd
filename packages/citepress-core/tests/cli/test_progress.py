"""The line that says what a command is doing while somebody watches."""

import os

import pytest
from rich.console import Console

from citepress.base import clock
from citepress.base.cores import is_single_threaded
from citepress.base.steps import step
from citepress.cli import console, progress
from support.alone import alone


def test_the_line_of_a_build_is_drawn_at_its_steps_and_leaves_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def check() -> None:
        reader, terminal = os.openpty()
        os.set_blocking(reader, False)
        with os.fdopen(terminal, "w") as file:
            watched = Console(file=file, force_terminal=True)
            monkeypatch.setattr(console, "err", watched)
            monkeypatch.setattr(progress, "err", watched)
            seconds = 100.0
            monkeypatch.setattr(clock, "seconds", lambda: seconds)
            with progress.building("Reading"):
                assert is_single_threaded()
                assert b"Reading" in os.read(reader, 65_536)
                step("reading", "a.md")
                with pytest.raises(BlockingIOError):  # not at every step
                    os.read(reader, 65_536)
                seconds += 2 * progress.DRAW_PAUSE_S
                step("reading", "a.md")
                assert b"Reading" in os.read(reader, 65_536)

    alone(check)
