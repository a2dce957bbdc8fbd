"""The addresses whose changes are announced: pages that a sitemap lists, and feeds that name a hub."""

import re
from collections.abc import Iterable
from html import unescape
from urllib.parse import unquote

from citepress.edition.edition import Edition
from citepress.edition.feeds.derived import feed_paths

SITEMAPS = "/sitemaps/"
"""What the paths of the parts of the sitemap begin with."""
_PLACE = re.compile(r"<loc>([^<]*)</loc>")


def announced_pages(edition: Edition) -> dict[str, str]:
    """The digest of every page that a sitemap lists, by path."""
    paths = listed_pages(edition, (path for path in edition.paths() if path.startswith(SITEMAPS)))
    return {path: meta["etag"] for path in paths if (meta := edition.meta(path))}


def announced_feeds(edition: Edition) -> dict[str, str]:
    """The digest of every feed that names the hub, by path; further formats have that of what they are made of."""
    metas = ((path, edition.meta(path) or {}) for path in edition.paths())
    return {
        feed: meta["etag"]
        for path, meta in metas
        if any(link.endswith('rel="hub"') for link in meta.get("links", ()))
        for feed in (path, *feed_paths(path))
    }


def listed_pages(edition: Edition, shards: Iterable[str]) -> list[str]:
    """The pages that these parts of the sitemap list, as paths; none where a part is not published."""
    bodies = (edition.body(path) or b"" for path in shards)
    addresses = (unescape(place) for body in bodies for place in _PLACE.findall(body.decode()))
    return [unquote(address.removeprefix(edition.config.base_url)) for address in addresses]
