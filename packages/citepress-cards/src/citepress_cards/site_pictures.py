"""The pictures of one site, as pages and icons name them."""

from citepress.contract.page import Page
from citepress.contract.picture import Picture
from citepress.contract.settings_table import settings_of
from citepress.contract.site import Publication
from citepress.edition.theme import has_serifs, tokens
from citepress_cards.renderer import HEIGHT, WIDTH, card_path, icon, is_drawable
from citepress_cards.settings import CardChoice


class SitePictures:
    """Cards and icons in the theme of a site."""

    def __init__(self, site: Publication) -> None:
        self._serif = has_serifs(site.theme.name)
        self._paper = tokens(site.theme.name)["--paper"]

    def of_page(self, page: Page) -> Picture | None:
        """The card of a page; none where there is no face for its title."""
        if not is_drawable(page.title, serif=self._serif):
            return None
        return Picture(card_path(page.path), "image/png", WIDTH, HEIGHT)

    def icon(self, name: str, svg: bytes) -> bytes:
        """An icon on the paper of the theme."""
        return icon(name, svg, self._paper)


def pictures_of(site: Publication) -> SitePictures | None:
    """The pictures of a site, where they are switched on."""
    return SitePictures(site) if settings_of(site, CardChoice).cards else None
