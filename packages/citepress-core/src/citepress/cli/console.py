"""What commands write to people: plain lines, coloured only on a terminal, and progress only where someone watches."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from citepress.base.logs import configure_logs

Folder = Annotated[Path, Parameter(name="--content", help="The content folder.")]
"""The content folder of a command: its last argument, or the option, the current folder when left out."""
StateOption = Annotated[Path | None, Parameter(help="Folder of the state; by default state/ in the content folder.")]
Json = Annotated[bool, Parameter(help="Print JSON.")]
out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)
_log: logging.Logger | None = None
"""Where lines go instead, if they are logged."""
_quiet = False
"""Whether only faults are written to people."""


def log_as_json() -> None:
    """From now on, write lines for people as records of a JSON log."""
    global _log  # noqa: PLW0603  (one console for the process)
    configure_logs(as_json=True)
    _log = logging.getLogger("citepress")


@contextmanager
def speaking(*, quiet: bool, verbose: bool) -> Iterator[None]:
    """Inside, write nothing to people but faults, or also what is worked on; documents and JSON are written always."""
    global _quiet  # noqa: PLW0603  (one console for the process)
    _quiet = quiet
    try:
        if not verbose:
            yield
            return
        steps = import_module("citepress.base.steps")  # which short commands are spared
        with steps.listening(lambda doing, what: note(f"{doing} {what}")):
            yield
    finally:
        _quiet = False


def is_quiet() -> bool:
    """Whether only faults are to be written."""
    return _quiet


def say(text: str) -> None:
    """A line to standard output, as it is."""
    if _quiet:
        return
    if _log:
        _log.info(text)
        return
    out.print(text, markup=False)
    out.file.flush()  # a service writes to a file or a pipe, whose buffer would hold it back


def note(text: str) -> None:
    """A line to standard error that is not a fault."""
    if not _quiet:
        report(text, logging.INFO)


def warn(text: str) -> None:
    """A line to standard error that asks for attention, although the command goes on."""
    if not _quiet:
        report(text, logging.WARNING)


def is_watched() -> bool:
    """Whether somebody reads standard error while the command runs."""
    return err.is_terminal and _log is None and not _quiet


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
    """A fault in a sentence, to standard error."""
    report(text if _log else f"citepress: {text}", style="bold red" if err.is_terminal else None)


def report(text: str, level: int = logging.ERROR, style: str | None = None) -> None:
    """Lines to standard error as they are, whoever is quiet; the level is that of the log."""
    if _log:
        _log.log(level, text)
    else:
        err.print(text, markup=False, style=style)


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
