"""Where a server takes its edition from: a content folder, or what an extension declares in its place.

``citepress serve`` reads the options before the package is imported, so nothing is imported here at run time.
"""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from citepress.extension import provider

if TYPE_CHECKING:
    from citepress.admin.build import BuildResult
    from citepress.settings import Settings
    from citepress.stores.sql.database import Database


class EditionUpdates(Protocol):
    """What gives the workers their edition: a content folder that is built, or a store that is followed."""

    def first(self) -> "BuildResult | None":
        """The edition to begin with."""
        ...

    def follow(self) -> None:
        """Keep it current from now on, in threads."""
        ...

    def reload(self) -> None:
        """Make the newest edition now."""
        ...

    def stop(self) -> None:
        """End that."""
        ...

    def description(self) -> str:
        """What is served, for the line that is printed at the start."""
        ...


class EditionProvider:
    """The options of ``serve`` for an edition from elsewhere; of this class itself, there are none.

    An extension derives a frozen dataclass from it, with a member for each option.
    """

    option: ClassVar[str] = ""
    """The option that takes the place of a content folder."""
    variable: ClassVar[str] = ""
    """The variable that does so for ``citepress.asgi:application``, after ``CITEPRESS_``."""

    @property
    def is_chosen(self) -> bool:
        """Whether the options name such an edition."""
        return False

    def server(self, settings: "Settings", database: "Database") -> EditionUpdates:
        """What follows it for ``serve``. Raises ``CitepressError``."""
        raise NotImplementedError

    @classmethod
    def followed(cls, settings: "Settings") -> Path:
        """The pointer file of the edition that the environment names, kept current. Raises ``CitepressError``."""
        raise NotImplementedError


def edition_provider() -> type[EditionProvider]:
    """The options that an extension adds. Raises ``ExtensionError`` where two do."""
    return cast("type[EditionProvider] | None", provider("edition_servers")) or EditionProvider
