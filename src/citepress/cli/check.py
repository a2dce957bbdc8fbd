"""``citepress check``: every fault of a content folder in one run."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from citepress.app import Builder
from citepress.base import clock
from citepress.cli.external import external_faults
from citepress.cli.faults import written
from citepress.contract.fault import Fault, Level
from citepress.settings import from_environment

Format = Literal["text", "json", "sarif", "github"]


def check(
    folder: Path = Path(),
    /,
    *,
    format: Format = "text",  # noqa: A002
    links: Literal["local", "external"] = "local",
    drafts: bool = False,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Check a content folder: every fault at once, sorted by file.

    Parameters
    ----------
    folder
        The content folder.
    format
        How faults are written: text, json, sarif (2.1.0) or github (annotations).
    links
        Also ask external sources whether they answer; local checks only links inside the archive.
    drafts
        Check drafts too.
    json
        The same as --format json.
    """
    archive, found = Builder(from_environment(folder, drafts=drafts)).check(clock.now())
    faults: tuple[Fault, ...] = found
    if archive and links == "external":
        faults = tuple(sorted((*found, *external_faults(archive)), key=lambda fault: fault.key))
    records = len(archive.entries) if archive else 0
    sys.stdout.write(written(faults, "json" if json else format, records=records, terminal=sys.stdout.isatty()))
    return 1 if any(fault.code.level is Level.ERROR for fault in faults) else 0
