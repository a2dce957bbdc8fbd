"""The options of ``citepress serve`` for a server that takes its edition from an object store."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class EditionOptions:
    """Where the edition comes from, if not from a content folder, and which editions are taken."""

    edition: Annotated[
        str | None,
        Parameter(help="Serve what was published to this object store: TARGET, or TARGET@NUMBER for one edition."),
    ] = None
    settings: Annotated[
        Path | None, Parameter(help="TOML file with the settings of a server that has no content folder.")
    ] = None
    allow_unsigned: Annotated[bool, Parameter(negative=(), help="Take editions that are not signed.")] = False
    allow_older: Annotated[
        bool, Parameter(negative=(), help="Take an edition that is older than the one that was served.")
    ] = False


FOLDER = EditionOptions()
"""The edition is made from a content folder."""
