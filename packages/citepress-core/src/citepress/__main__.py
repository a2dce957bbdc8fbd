"""``citepress`` and ``python -m citepress``: while the commands are imported, Ctrl-C ends the process at once."""

import signal
from importlib import import_module

INTERRUPTED = 128 + signal.SIGINT
"""The exit code of shells for what Ctrl-C ended."""


def main() -> None:
    """Run one command and leave with its exit code."""
    if (before := signal.getsignal(signal.SIGINT)) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    commands = import_module("citepress.cli")
    signal.signal(signal.SIGINT, before)
    try:
        commands.main()
    except Exception as error:
        if KeyboardInterrupt.__name__ not in str(error):  # pydantic wraps one that comes while it builds a model
            raise
        raise SystemExit(INTERRUPTED) from None


if __name__ == "__main__":
    main()
