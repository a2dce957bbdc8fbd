"""``citepress check``: every fault of a content folder in one run."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.cli.console import Folder
from citepress.cli.external import external_faults
from citepress.cli.faults import written
from citepress.cli.progress import building
from citepress.contract.fault import Level
from citepress.settings import from_environment

FormatOption = Literal["text", "json", "sarif", "github"]


def check(
    folder: Folder = Path(),
    *,
    format: FormatOption = "text",  # noqa: A002
    links: Literal["local", "external"] = "local",
    drafts: bool = False,
    every: Annotated[bool, Parameter(name="--all")] = False,
    json: bool = False,
) -> int:
    """Check a content folder and show every fault, errors first.

    Parameters
    ----------
    folder
        The content folder.
    format
        Output format: text, json, sarif (2.1.0) or github (annotations).
    links
        local, or external: also ask sources whether they answer.
    drafts
        Check drafts too.
    every
        Show each warning instead of folding many of one code.
    json
        Print JSON.
    """
    builder = Builder(from_environment(folder, drafts=drafts))
    with building("Checking"):
        archive, faults = builder.checked(clock.now())
    if archive and links == "external":
        faults = (*faults, *external_faults(archive))
    records = len(archive.entries) if archive else None
    sys.stdout.write(
        written(faults, "json" if json else format, records=records, terminal=sys.stdout.isatty(), every=every)
    )
    return 1 if any(fault.code.level is Level.ERROR for fault in faults) else 0
