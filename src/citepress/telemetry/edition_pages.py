"""What telemetry reads of an edition: its address and its pages."""

from collections.abc import Iterator

from citepress.edition.edition import Edition
from citepress.edition.page_catalog import read_page_entries
from citepress.edition.site_config import SiteConfig
from citepress.telemetry.ports import MaterialRow


def referer_prefix(config: SiteConfig) -> bytes:
    """The site's own address, as a Referer would begin with it."""
    return f"{config.base_url}/".encode()


def material_rows(edition: Edition) -> Iterator[MaterialRow]:
    """The pages of an edition as the stores name them; the stores assign the ids."""
    for entry in read_page_entries(edition):
        html, markdown, json = (form in entry.forms for form in ("html", "markdown", "json"))
        yield MaterialRow(0, entry.canonical, entry.kind, entry.published, html, markdown, json, current=True)
