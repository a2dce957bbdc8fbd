"""The line that says what a command is doing while somebody watches."""

import os
import select

import pytest
from rich.console import Console

from citepress.base import clock
from citepress.base.cores import is_single_threaded
from citepress.base.steps import step
from citepress.cli import console, progress
from support.alone import alone

MAX_WAIT_S = 10.0  # a terminal passes on what was written a moment later, and in pieces
QUIET_S = 0.2


def read_until(reader: int, text: bytes) -> None:
    read = b""
    while text not in read:
        assert select.select([reader], [], [], MAX_WAIT_S)[0], read
        read += os.read(reader, 65_536)
    while select.select([reader], [], [], QUIET_S)[0]:
        os.read(reader, 65_536)


def test_the_line_of_a_build_is_drawn_at_its_steps_and_leaves_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def check() -> None:
        reader, terminal = os.openpty()
        with os.fdopen(terminal, "w") as file:
            watched = Console(file=file, force_terminal=True)
            monkeypatch.setattr(console, "err", watched)
            monkeypatch.setattr(progress, "err", watched)
            seconds = 100.0
            monkeypatch.setattr(clock, "seconds", lambda: seconds)
            with progress.building("Reading"):
                assert is_single_threaded()
                read_until(reader, b"Reading")
                step("reading", "a.md")
                assert not select.select([reader], [], [], QUIET_S)[0]  # not at every step
                seconds += 2 * progress.DRAW_PAUSE_S
                step("reading", "a.md")
                read_until(reader, b"Reading")

    alone(check)
