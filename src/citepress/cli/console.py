"""What commands write to people: plain lines, coloured only on a terminal, and progress only where someone watches."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)


def say(text: str) -> None:
    """A line to standard output, as it is."""
    out.print(text, markup=False)
    out.file.flush()  # a service writes to a file or a pipe, where nothing would show for hours


def note(text: str) -> None:
    """A line to standard error that is no fault."""
    err.print(text, markup=False)


def complain(text: str) -> None:
    """A fault, to standard error."""
    err.print(f"citepress: {text}", markup=False, style="bold red" if err.is_terminal else None)


@contextmanager
def unlogged() -> Iterator[None]:
    """Keep the log silent where a command tells the same failure itself, in one sentence."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def write(data: bytes) -> None:
    """Bytes to standard output, for documents."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
