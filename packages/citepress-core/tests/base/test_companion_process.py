"""A process beside the workers is replaced when it dies or hangs, with a line in the log."""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from citepress.base import companion_process
from citepress.base.companion_process import CompanionProcess

MAX_WAITS = 600


def note_itself(at: Path, stop: threading.Event) -> None:
    """The work: write down which process this is."""
    with at.open("a") as notes:
        notes.write(f"{os.getpid()}\n")
    stop.wait()


def processes(at: Path, count: int) -> list[int]:
    """The processes that have worked, once there are so many."""
    for _ in range(MAX_WAITS):
        pids = at.read_text().split() if at.exists() else []
        if len(pids) >= count:
            return [int(pid) for pid in pids]
        time.sleep(0.1)
    raise AssertionError(f"{count} processes were expected: {pids}")


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a running companion notes its process."""
    for name, seconds in (("LOOK_S", 0.1), ("RESTART_S", 0.1), ("HUNG_SECONDS", 3.0)):
        monkeypatch.setattr(companion_process, name, seconds)
    companion = CompanionProcess("clerk", partial(note_itself, tmp_path / "notes"))
    companion.start()
    yield tmp_path / "notes"
    companion.stop()


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
def test_a_companion_that_was_killed_or_stopped_is_replaced_and_the_log_says_so(
    notes: Path, caplog: pytest.LogCaptureFixture, sign: signal.Signals
) -> None:
    caplog.set_level(logging.ERROR)
    (former,) = processes(notes, 1)
    time.sleep(0.5)  # let it report once
    os.kill(former, sign)
    assert processes(notes, 2)[1] != former
    ended = "the clerk ended with code -9 and is started again"
    silent = "the clerk has not reported for 3 s and is ended"
    assert caplog.messages == ([ended] if sign == signal.SIGKILL else [silent, ended])
