"""``citepress`` and ``python -m citepress``: while the commands are imported, Ctrl-C ends the process at once."""

import signal
from importlib import import_module


def main() -> None:
    """Run one command and leave with its exit code."""
    if (before := signal.getsignal(signal.SIGINT)) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    commands = import_module("citepress.cli")
    signal.signal(signal.SIGINT, before)
    commands.main()


if __name__ == "__main__":
    main()
