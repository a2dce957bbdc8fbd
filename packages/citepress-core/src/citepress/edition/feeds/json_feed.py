"""JSON Feed 1.1, with full texts."""

from html import escape

from citepress.base.canonical import json_bytes
from citepress.base.timestamps import UNKNOWN, rfc3339
from citepress.contract.citation import license_url
from citepress.edition.feeds.model import Feed, FeedAuthor, FeedEntry


def json_feed(feed: Feed) -> bytes:
    """A feed as JSON Feed."""
    members: dict[str, object] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.page,
        "feed_url": feed.url,
        "description": feed.description or feed.title,
        "language": feed.language,
        "authors": [_author(feed.owner)],
        "_license": _license(feed.license),
    }
    if feed.hub:
        members["hubs"] = [{"type": "WebSub", "url": feed.hub}]
    members["items"] = [_item(entry, feed.language) for entry in feed.entries]
    return json_bytes(members)


def _item(post: FeedEntry, language: str) -> dict[str, object]:
    return {
        "id": post.id,
        "url": post.url,
        "title": post.title,
        "summary": post.summary,
        "content_html": post.content or f"<p>{escape(post.summary, quote=False)}</p>",
        **({"date_published": rfc3339(post.published)} if post.published != UNKNOWN else {}),
        **({"date_modified": rfc3339(post.updated)} if post.updated != UNKNOWN else {}),
        "tags": list(post.words),
        "language": post.language or language,
        **({"authors": [_author(author) for author in post.authors]} if post.authors else {}),
        "_license": _license(post.license),
    }


def _author(author: FeedAuthor) -> dict[str, str]:
    return {"name": author.name} | ({"url": author.url} if author.url else {})


def _license(licence: str) -> dict[str, str]:
    """The licence as an extension of JSON Feed, whose name begins with an underscore."""
    address = license_url(licence)
    return {"name": licence, **({"url": address} if address else {})}
