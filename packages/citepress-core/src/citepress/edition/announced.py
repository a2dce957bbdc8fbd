"""What an edition changed, and the addresses whose changes are announced: listed pages, and feeds that name a hub."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from html import unescape
from typing import Any
from urllib.parse import unquote

from citepress.edition.edition import Edition, open_edition
from citepress.edition.pack import open_layers
from citepress.edition.publisher import PublishResult
from citepress.history.edition_journal import JournaledEdition

SITEMAPS = "/sitemaps/"
"""What the paths of the parts of the sitemap begin with."""
_PLACE = re.compile(r"<loc>([^<]*)</loc>")


def announced_pages(edition: Edition) -> dict[str, str]:
    """The digest of every page that a sitemap lists, by path."""
    places = _listed_places(edition, (path for path in edition.paths() if path.startswith(SITEMAPS)))
    paths = [_path_of(edition, place) for place in places]
    return {path: meta["etag"] for path in paths if (meta := edition.meta(path))}


def _listed_places(edition: Edition, shards: Iterable[str]) -> list[str]:
    """The addresses that these parts of the sitemap list, as XML; none where a part is not published."""
    return [place for path in shards for place in _PLACE.findall((edition.body(path) or b"").decode())]


def _path_of(edition: Edition, place: str) -> str:
    return unquote(unescape(place).removeprefix(edition.config.base_url))


def changes_of_edition(printed: PublishResult, former: Mapping[str, Any], moment: datetime) -> JournaledEdition:
    """What an edition that was just made changed; ``former`` is the pointer before it."""
    edition = open_edition(printed.pointer)
    shards = [path for path in printed.replaced or () if path.startswith(SITEMAPS)]
    came, gone = (set[str](), set[str]())
    if shards:
        earlier = Edition(open_layers([printed.pointer.parent / name for name in former["layers"]]))
        now, before = set(_listed_places(edition, shards)), set(_listed_places(earlier, shards))
        came = {_path_of(edition, place) for place in now - before}
        gone = {_path_of(earlier, place) for place in before - now}
    replaced = None if printed.replaced is None else _differing(printed.replaced, edition)
    listed, unlisted = tuple(sorted(came - gone)), tuple(sorted(gone - came))
    return JournaledEdition(moment, printed.digest, str(former.get("digest", "")), replaced, listed, unlisted)


def _differing(replaced: Mapping[str, str], edition: Edition) -> dict[str, str]:
    """Those whose bytes differ now, and not only header fields."""
    metas = ((path, digest, edition.meta(path) or {}) for path, digest in replaced.items())
    return {path: digest for path, digest, meta in metas if meta.get("etag", "") != digest}
