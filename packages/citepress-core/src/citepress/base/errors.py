"""The two bases of every exception of citepress: errors that explain themselves, and control flow."""

from typing import ClassVar


class CitepressError(Exception):
    """An error that its message explains: commands print it without a traceback and exit with ``exit_code``."""

    exit_code: ClassVar[int] = 1
    """1 for a failure, 2 for wrong usage (``docs/reference/commands.md``)."""


class ControlFlow(Exception):  # noqa: N818  (no error: nothing is wrong)
    """An outcome that ends a call early and that its caller handles by name; it never reaches a command.

    It is not a ``CitepressError``, so that a handler of errors does not take an outcome for a failure.
    """
