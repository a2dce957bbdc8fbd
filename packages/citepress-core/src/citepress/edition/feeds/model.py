"""A feed and its entries, whatever format they are written in."""

from dataclasses import dataclass
from datetime import datetime

RSS_TYPE, ATOM_TYPE, JSON_TYPE = "application/rss+xml", "application/atom+xml", "application/feed+json"


@dataclass(frozen=True, slots=True)
class FeedAuthor:
    """Who wrote something, and the address of theirs that lasts; empty where there is none."""

    name: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry of a feed."""

    id: str
    title: str
    url: str
    summary: str
    published: datetime
    updated: datetime
    words: tuple[str, ...] = ()
    authors: tuple[FeedAuthor, ...] = ()
    content: str = ""
    """The full text as HTML; empty where the summary says everything."""
    license: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed with its entries, the newest first."""

    url: str
    """Its own address."""
    page: str
    """Address of the page that it follows."""
    title: str
    description: str
    language: str
    owner: FeedAuthor
    license: str
    hub: str
    """Its WebSub hub, or empty."""
    updated: datetime
    entries: tuple[FeedEntry, ...]
