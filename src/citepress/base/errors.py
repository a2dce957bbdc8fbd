"""The base of every error that a command reports in one sentence."""

from typing import ClassVar


class CitepressError(Exception):
    """A failure that its message explains in full: commands print it without a traceback and leave with ``exit_code``."""

    exit_code: ClassVar[int] = 1
    """1 for what failed, 2 for what was asked wrongly (the two codes of ``docs/operating.md``)."""
