"""``citepress`` with a probe: all of its processes are killed, once, at the payment step that a file names."""

import os
import signal
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from citepress import cli
from citepress.base.clock import unix_now
from citepress_payments import payment_system
from citepress_payments.setup import Host


def main(arguments: Sequence[str]) -> None:
    """Run a command, its clock so many seconds ahead; ``arguments`` are the file, the seconds and the command."""
    arm, later, *command = arguments
    payment_system.Host = partial(Host, lambda: unix_now() + int(later), partial(_die, Path(arm)))  # type: ignore[misc, assignment]
    cli.main(command)


def _die(armed: Path, here: str) -> None:
    """Die here, workers and all, if the file says so."""
    if armed.exists() and armed.read_text("utf-8") == here:
        armed.unlink()
        os.killpg(0, signal.SIGKILL)
