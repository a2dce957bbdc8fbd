"""``citepress`` and ``python -m citepress``: while the commands are imported, Ctrl-C ends the process at once."""

# Built into the interpreter: to import ``signal`` takes long enough to be interrupted.
import _signal as signal
import sys

INTERRUPTED = 128 + signal.SIGINT
"""The exit code of shells for what Ctrl-C ended."""


def main() -> None:
    """Run one command and leave with its exit code."""
    if (before := signal.getsignal(signal.SIGINT)) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    commands = __import__("citepress.cli", fromlist=["main"])
    signal.signal(signal.SIGINT, before)
    sys.unraisablehook = _send_again
    try:
        commands.main()
    except (KeyboardInterrupt, Exception) as error:
        # One that comes while an error is told, or that pydantic wraps because it builds a model.
        if KeyboardInterrupt.__name__ not in f"{type(error).__name__} {error}":
            raise
        raise SystemExit(INTERRUPTED) from None


def _send_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Interrupt where a library has lost an interrupt that came in the middle of its work; tell of other errors."""
    if unraisable.exc_type is KeyboardInterrupt:
        signal.raise_signal(signal.SIGINT)
    else:
        sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    main()
