"""The feeds of the whole site, as pages call them."""

from collections.abc import Iterable

from citepress.contract.kind import Kind
from citepress.contract.page import Link
from citepress.kinds.posts import KIND as POSTS


def site_feeds(kinds: Iterable[Kind]) -> tuple[Link, ...]:
    """Links to the feeds; ``kinds`` are labelled, and those of the newest records have the label of field notes."""
    notes = next((kind.plural for kind in kinds if kind.name == POSTS.name), "Field notes")
    return (
        Link(f"{notes} (RSS)", "/rss.xml"),
        Link(f"{notes} (JSON Feed)", "/feed.json"),
        Link("Changes (Atom)", "/changes.xml"),
    )
