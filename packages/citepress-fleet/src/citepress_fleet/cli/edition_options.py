"""The options of ``citepress serve`` for a server that takes its edition from an object store."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from cyclopts import Parameter

from citepress.admin.edition_provider import EditionProvider, EditionUpdates

if TYPE_CHECKING:
    from citepress.settings import Settings
    from citepress.stores.sql.database import Database


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class EditionOptions(EditionProvider):
    """Where the edition comes from, if not from a content folder, and which editions are taken."""

    option: ClassVar[str] = "--edition"
    variable: ClassVar[str] = "EDITION"

    edition: Annotated[
        str | None,
        Parameter(help="Serve from an object store: TARGET, or TARGET@NUMBER for one edition."),
    ] = None
    settings: Annotated[Path | None, Parameter(help="Settings of a server without a content folder.")] = None
    allow_unsigned: Annotated[bool, Parameter(help="Take unsigned editions.")] = False
    allow_older: Annotated[bool, Parameter(help="Take an edition older than the one served.")] = False

    @property
    def is_chosen(self) -> bool:
        """Whether an object store is named."""
        return self.edition is not None

    def server(self, settings: "Settings", database: "Database") -> EditionUpdates:
        """What follows the object store. Raises ``CitepressError``."""
        # What it imports costs start-up time.
        server: EditionUpdates = import_module("citepress_fleet.cli.edition_server").EditionServer(
            settings, database, self
        )
        return server

    @classmethod
    def followed(cls, settings: "Settings") -> Path:
        """The pointer to the edition of ``CITEPRESS_EDITION``. Raises ``CitepressError``."""
        pointed: Path = import_module("citepress_fleet.asgi_following").followed(settings)
        return pointed
