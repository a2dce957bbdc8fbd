"""What commands write to people: plain lines, coloured only on a terminal, and progress only where someone watches."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from citepress.base.logs import configure_logs

Folder = Annotated[Path, Parameter(name="--content", help="The content folder.")]
"""The content folder of a command: its last argument, or the option, the current folder when left out."""
StateOption = Annotated[Path | None, Parameter(help="Folder of the state; state/ in the content folder when left out.")]
Json = Annotated[bool, Parameter(help="Print JSON.")]
out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)
_log: logging.Logger | None = None
"""Where lines go instead, if they are logged."""


def log_as_json() -> None:
    """From now on, write lines for people as records of a JSON log."""
    global _log  # noqa: PLW0603  (one console for the process)
    configure_logs(as_json=True)
    _log = logging.getLogger("citepress")


def say(text: str) -> None:
    """A line to standard output, as it is."""
    if _log:
        _log.info(text)
        return
    out.print(text, markup=False)
    out.file.flush()  # a service writes to a file or a pipe, whose buffer would hold it back


def note(text: str) -> None:
    """A line to standard error that is not a fault."""
    if _log:
        _log.info(text)
        return
    err.print(text, markup=False)


def warn(text: str) -> None:
    """A line to standard error that asks for attention, although the command goes on."""
    if _log:
        _log.warning(text)
        return
    note(text)


def is_watched() -> bool:
    """Whether somebody reads standard error while the command runs."""
    return err.is_terminal and _log is None


def answer(text: str, document: object, *, as_json: bool) -> None:
    """What a command has to say: as lines for people, or as one JSON document."""
    if as_json:
        write((json.dumps(document, indent=2, ensure_ascii=False, default=str) + "\n").encode())
    else:
        say(text)


def waiting_for(holder: str) -> None:
    """A line that says which process is in the way."""
    note(f"Waiting for {holder}, which builds in the same folder.")


def complain(text: str) -> None:
    """A fault, to standard error."""
    if _log:
        _log.error(text)
        return
    err.print(f"citepress: {text}", markup=False, style="bold red" if err.is_terminal else None)


def is_content(folder: Path) -> bool:
    """Whether a folder is there to be read; complains where it is not."""
    if not folder.is_dir():
        complain(f"{folder} is not a folder; name the folder that holds the content")
    return folder.is_dir()


@contextmanager
def unlogged() -> Iterator[None]:
    """Keep the log silent where a command reports the same failure itself, in one sentence."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def write(data: bytes) -> None:
    """Bytes to standard output, for documents."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
