"""RSS and JSON Feed of a collection or topic: not stored, but made of the stored Atom feed when they are asked for."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from citepress.base.media import FEED_JSON, FEED_XML, Media
from citepress.contract.page import Link
from citepress.edition.feeds.atom import feed_of
from citepress.edition.feeds.json_feed import json_feed
from citepress.edition.feeds.model import Feed
from citepress.edition.feeds.rss import rss
from citepress.edition.leaf import Leaf

SHAPE = "JsonFeedDocument"
COLLECTION, TOPIC = "/{collection}/feed.xml", "/feeds/{slug}.xml"
"""Path templates of the feeds that are stored."""
_STORED = re.compile(r"(/[a-z0-9-]+/feed|/feeds/[a-z0-9-]+)\.xml")


@dataclass(frozen=True, slots=True)
class FeedFormat:
    """A format in which a feed can be had."""

    name: str
    label: str
    """As pages call it."""
    ending: str
    """What its path ends in, in place of ``.xml``: the name of the same format of the whole site."""
    media: Media
    write: Callable[[Feed], bytes]
    shape: str = ""

    def path(self, stored: str) -> str:
        """Its path, by that of the Atom feed."""
        return stored.removesuffix(".xml") + self.ending

    def route(self, stored: str) -> str:
        """Its path template, by that of the Atom feed: one for all collections."""
        return self.path(TOPIC if stored == TOPIC else COLLECTION)


FORMATS = (
    FeedFormat("rss", "RSS", "/rss.xml", FEED_XML, rss),
    FeedFormat("json_feed", "JSON Feed", "/feed.json", FEED_JSON, json_feed, SHAPE),
)


def feed_paths(stored: str) -> Iterator[str]:
    """The paths of the other formats of what is stored at a path; none where that is no feed of these."""
    if _STORED.fullmatch(stored):
        yield from (format_.path(stored) for format_ in FORMATS)


def every_format(feeds: Iterable[Link]) -> Iterator[Link]:
    """Links to Atom feeds, each with those to its other formats."""
    for feed in feeds:
        yield feed
        title = feed.text.removesuffix(" (Atom)")
        yield from (
            Link(f"{title} ({each.label})", each.path(feed.href)) for each in FORMATS if _STORED.fullmatch(feed.href)
        )


def stored_path(path: str) -> str:
    """Path of the Atom feed that a path may be another format of; empty where it has no such ending."""
    stored = next((f"{path.removesuffix(each.ending)}.xml" for each in FORMATS if path.endswith(each.ending)), "")
    return stored if _STORED.fullmatch(stored) else ""


def feed_leaf(atom: Leaf, path: str, base_url: str) -> Leaf | None:
    """The leaf of a path that is another format of an Atom feed; ``None`` where there is no such feed."""
    feed = feed_of(bytes(atom.body)) if atom.accepted == FEED_XML.accepted else None
    format_ = next((each for each in FORMATS if each.path(atom.path) == path), None)
    if feed is None or format_ is None:
        return None
    feed = replace(feed, url=base_url + path)
    links = [f'<{feed.url}>; rel="self"', *(link for link in atom.links if not link.endswith('rel="self"'))]
    return replace(
        atom,
        path=path,
        route=format_.route(atom.route),
        kind=format_.media.name,
        type=format_.media.sent,
        body=format_.write(feed),
        accepted=format_.media.accepted,
        links=tuple(links),
    )
