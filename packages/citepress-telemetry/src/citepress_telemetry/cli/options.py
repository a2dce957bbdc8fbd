"""What the telemetry commands share: options, the state folder, JSON output."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from citepress.admin.build import Builder, separate_builder
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.cli.console import note, unlogged, waiting_for
from citepress.cli.faults import written
from citepress.contract.fault import Faults
from citepress.settings import Settings, SettingsError, from_environment
from citepress_telemetry.aggregation import BESIDE

State = Annotated[Path | None, Parameter(help="Folder of the state; by default state/ in the content folder.")]
Content = Annotated[Path, Parameter(help="The content folder.")]
Json = Annotated[bool, Parameter(help="Print JSON.")]


class UnbuiltError(CitepressError):
    """There is no edition, and the content has faults."""


@contextmanager
def opened(content: Path, state: Path | None, *, first: bool = False) -> Iterator[Settings]:
    """The settings of a state folder that has an edition; the log is silent meanwhile.

    The folder is there already, unless the command may be the ``first`` one on the archive.
    Raises ``SettingsError`` and ``UnbuiltError``.
    """
    settings = from_environment(content, state=state)
    if not (first or settings.state.is_dir()):
        raise SettingsError(
            f"there is no state folder {settings.state}: the server creates it at its first start; name it with --state"
        )
    with unlogged():
        # A server's edition is only read: the server follows its pointer, and may use another base address.
        if Builder(settings).last() is None:
            _build_beside(settings, content)
        yield settings


@contextmanager
def opened_if_there(content: Path, state: Path | None) -> Iterator[Settings | None]:
    """As ``opened``; ``None`` where no state folder is named and there is none with an edition yet."""
    settings = from_environment(content, state=state)
    if state is None and (not settings.state.is_dir() or Builder(settings).last() is None):
        yield None
        return
    with opened(content, state) as settings:
        yield settings


def _build_beside(settings: Settings, content: Path) -> None:
    """Build an edition into a folder that no server follows."""
    if not content.is_dir():
        raise SettingsError(f"{content} is not a folder; name the content folder with --content")
    try:
        with separate_builder(settings, BESIDE, waiting_for) as builder:
            builder.ensure(clock.now())
    except Faults as faults:
        note(written(faults.faults, "text", records=0, terminal=False).rstrip())
        raise UnbuiltError(
            "there is no edition yet, and the content has faults: fix them, or name the state folder with --state"
        ) from None
