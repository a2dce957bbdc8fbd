"""What the commands on telemetry share: their options, the state folder they work on, JSON."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import orjson
from cyclopts import Parameter

from citepress import app
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.cli.console import note, unlogged, write
from citepress.cli.faults import written
from citepress.contract.fault import Faults
from citepress.settings import Settings, SettingsError, from_environment

State = Annotated[Path | None, Parameter(help="Folder of the state store; state/ in the content folder when left out.")]
Content = Annotated[Path, Parameter(help="The content folder.")]
Json = Annotated[bool, Parameter(negative=(), help="As JSON.")]


class UnbuiltError(CitepressError):
    """There is no edition, and the content has faults."""


@contextmanager
def opened(content: Path, state: Path | None) -> Iterator[Settings]:
    """The settings of a state folder that has an edition, made now where there is none; the log is silent meanwhile.

    The edition that stands is taken as it is: the server may have been started with another address. Raises ``UnbuiltError``.
    """
    settings = from_environment(content, state=state)
    with unlogged():
        builder = app.Builder(settings)
        if builder.last() is None:
            if not content.is_dir():
                raise SettingsError(f"{content} is no folder; name the content folder with --content")
            try:
                builder.build(clock.now())
            except Faults as faults:
                note(written(faults.faults, "text", records=0, terminal=False).rstrip())
                raise UnbuiltError(
                    "there is no edition yet, and the content has faults: mend them, or name the state folder with --state"
                ) from None
        yield settings


def document(value: object) -> None:
    """JSON to standard output."""
    write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
