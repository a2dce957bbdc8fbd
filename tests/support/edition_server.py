"""``citepress`` as it follows a bucket, with a quicker look at the pointer and a clock so many hours off."""

from collections.abc import Sequence
from datetime import timedelta

from citepress import cli
from citepress.base import clock
from citepress_fleet import following
from citepress_fleet.cli import edition_server as command_following

LOOK_S, LONGEST_S, PATIENCE_S = 0.1, 0.4, 0.5


def main(arguments: Sequence[str]) -> None:
    """Run a command; ``arguments`` are the hours and the command."""
    hours, *command = arguments
    following.POLL_S, following.MAX_RETRY_S = LOOK_S, LONGEST_S
    command_following.PATIENCE_S = PATIENCE_S
    right = clock.now
    clock.now = lambda: right() + timedelta(hours=int(hours))
    cli.main(command)
