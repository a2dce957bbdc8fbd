"""Pictures that an extension draws for a site: those that stand for its pages where these are shared, and its icons."""

from typing import NamedTuple, Protocol

from citepress.contract.page import Page
from citepress.contract.site import Publication
from citepress.hooks import provided


class Picture(NamedTuple):
    """A picture that stands for a page."""

    path: str
    media_type: str
    width: int
    height: int


class Pictures(Protocol):
    """Draws the pictures of one site."""

    def of_page(self, page: Page) -> Picture | None:
        """The picture that stands for a page; ``None`` where there is none."""
        ...

    def icon(self, name: str, svg: bytes) -> bytes:
        """The icon of this name, drawn from the publication's own SVG; empty where that cannot be drawn."""
        ...


def pictures_of(site: Publication) -> Pictures | None:
    """What draws the pictures of a site; ``None`` where nothing does. Raises ``ExtensionError``."""
    given: Pictures | None = provided("pictures", site)
    return given
