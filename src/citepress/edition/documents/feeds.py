"""The feeds: RSS and JSON Feed of new field notes, Atom of significant changes, Atom of a topic; all bounded, newest first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from html import escape

from lxml import etree

from citepress.archive.model import Change, Entry
from citepress.base.canonical import json_bytes
from citepress.base.media import FEED_JSON, FEED_XML
from citepress.base.text import sentence
from citepress.base.timestamps import rfc3339
from citepress.contract.document import SLUG, Document, Output, Section
from citepress.edition.forms.absolute import html_elsewhere
from citepress.edition.render_context import RenderContext
from citepress.kinds.parts import UNEXPLAINED

MOST = 50
ATOM = "http://www.w3.org/2005/Atom"
CONTENT = "http://purl.org/rss/1.0/modules/content/"


@dataclass(frozen=True, slots=True)
class _Post:
    """An entry of a feed."""

    id: str
    title: str
    url: str
    summary: str
    published: datetime
    updated: datetime
    words: tuple[str, ...] = ()


def _newest(desk: RenderContext) -> tuple[Entry, ...]:
    return desk.archive.collections["posts"][:MOST]


def _post(entry: Entry) -> _Post:
    record = entry.record
    words = (*record.topics, *record.tags)
    return _Post(record.canonical_url, record.title, record.canonical_url, record.summary, record.published_at, record.updated_at, words)


def _content(desk: RenderContext, entry: Entry) -> str:
    """The whole text of a record as HTML that is safe in any reader, with whole links."""
    known = desk.memo.setdefault("content", {})
    if entry.record.id not in known:
        text = entry.record.body_markdown.strip()
        known[entry.record.id] = html_elsewhere(text, desk, entry.path) if text else f"<p>{escape(entry.record.summary, quote=False)}</p>"
    found: str = known[entry.record.id]
    return found


def _change(desk: RenderContext, change: Change) -> _Post:
    """A change has an id of its own, so that one record's changes stay apart."""
    url = desk.url(change.path)
    note = change.note or UNEXPLAINED
    summary = f"{sentence(note)} {sentence(f'Credit: {change.credit}')}" if change.credit else note
    title = f"{change.change.capitalize()}: {change.title}"
    return _Post(f"{url}#{change.id}", title, url, summary, change.moment, change.moment, (change.change,))


def _links(desk: RenderContext, path: str) -> tuple[str, ...]:
    """Link fields of a feed: itself, and the WebSub hub where the publisher has one."""
    hub = (f'<{desk.site.hub}>; rel="hub"',) if desk.site.hub else ()
    return (f'<{desk.url(path)}>; rel="self"', *hub)


def _atom(desk: RenderContext, path: str, page: str, title: str, posts: Sequence[_Post]) -> Output:
    feed = etree.Element(f"{{{ATOM}}}feed", nsmap={None: ATOM})  # type: ignore[dict-item]  # the default namespace
    updated = max((post.updated for post in posts), default=desk.archive.as_of)
    _text(feed, "id", desk.url(path))
    _text(feed, "title", title)
    _text(feed, "updated", rfc3339(updated))
    _text(etree.SubElement(feed, f"{{{ATOM}}}author"), "name", desk.archive.owner.name)
    _link(feed, desk.url(path), "self", "application/atom+xml")
    _link(feed, desk.url(page), "alternate", "text/html")
    if desk.site.hub:
        _link(feed, desk.site.hub, "hub")
    for post in posts:
        entry = etree.SubElement(feed, f"{{{ATOM}}}entry")
        _text(entry, "id", post.id)
        _text(entry, "title", post.title)
        _link(entry, post.url, "alternate", "text/html")
        _text(entry, "published", rfc3339(post.published))
        _text(entry, "updated", rfc3339(post.updated))
        for word in post.words:
            etree.SubElement(entry, f"{{{ATOM}}}category", term=word)
        _text(entry, "summary", post.summary)
    return Output(_bytes(feed), modified=updated, links=_links(desk, path))


def _text(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, f"{{{ATOM}}}{name}").text = _xml_text(text)


def _link(parent: etree._Element, href: str, rel: str, media: str = "") -> None:
    members = {"rel": rel, "href": href, **({"type": media} if media else {})}
    etree.SubElement(parent, f"{{{ATOM}}}link", members)


def _xml_text(text: str) -> str:
    """The text without characters that XML 1.0 cannot hold."""
    return "".join(c for c in text if c in "\t\n\r" or (ord(c) >= 32 and not 0xD800 <= ord(c) <= 0xDFFF and ord(c) not in (0xFFFE, 0xFFFF)))  # noqa: PLR2004


def _bytes(root: etree._Element) -> bytes:
    etree.indent(root)
    written: bytes = etree.tostring(root, xml_declaration=True, encoding="utf-8")
    return written + b"\n"


def _rss(desk: RenderContext) -> Iterable[Output]:
    root = etree.Element("rss", version="2.0", nsmap={"atom": ATOM, "content": CONTENT})
    channel = etree.SubElement(root, "channel")
    posts = list(map(_post, _newest(desk)))
    updated = max((post.updated for post in posts), default=desk.archive.as_of)
    head = {
        "title": desk.site.title,
        "link": desk.url("/"),
        "description": desk.site.description or desk.site.title,
        "language": desk.site.language,
        "lastBuildDate": format_datetime(updated, usegmt=True),
    }
    for name, text in head.items():
        etree.SubElement(channel, name).text = _xml_text(text)
    _link(channel, desk.url("/rss.xml"), "self", "application/rss+xml")
    if desk.site.hub:
        _link(channel, desk.site.hub, "hub")
    for post, entry in zip(posts, _newest(desk), strict=True):
        item = etree.SubElement(channel, "item")
        etree.SubElement(item, "title").text = _xml_text(post.title)
        etree.SubElement(item, "link").text = post.url
        etree.SubElement(item, "guid", isPermaLink="true").text = post.id
        etree.SubElement(item, "pubDate").text = format_datetime(post.published, usegmt=True)
        etree.SubElement(item, "description").text = _xml_text(escape(post.summary, quote=False))
        etree.SubElement(item, f"{{{CONTENT}}}encoded").text = _xml_text(_content(desk, entry))
        for word in post.words:
            etree.SubElement(item, "category").text = _xml_text(word)
    return [Output(_bytes(root), modified=updated, links=_links(desk, "/rss.xml"))]


def _json_feed(desk: RenderContext) -> Iterable[Output]:
    site, posts = desk.site, list(map(_post, _newest(desk)))
    feed: dict[str, object] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": site.title,
        "home_page_url": desk.url("/"),
        "feed_url": desk.url("/feed.json"),
        "description": site.description or site.title,
        "language": site.language,
        "authors": [{"name": desk.archive.owner.name, "url": desk.url("/owner-profile/")}],
    }
    if site.hub:
        feed["hubs"] = [{"type": "WebSub", "url": site.hub}]
    feed["items"] = [
        {
            "id": post.id,
            "url": post.url,
            "title": post.title,
            "summary": post.summary,
            "content_html": _content(desk, entry),
            "date_published": rfc3339(post.published),
            "date_modified": rfc3339(post.updated),
            "tags": list(post.words),
            "language": entry.record.language,
        }
        for post, entry in zip(posts, _newest(desk), strict=True)
    ]
    updated = max((post.updated for post in posts), default=desk.archive.as_of)
    return [Output(json_bytes(feed), modified=updated, links=_links(desk, "/feed.json"))]


def _changes(desk: RenderContext) -> Iterable[Output]:
    posts = [_change(desk, change) for change in desk.archive.changes[:MOST]]
    return [_atom(desk, "/changes.xml", "/", f"{desk.site.title}: significant changes", posts)]


def _topics(desk: RenderContext) -> Iterator[Output]:
    for hub in sorted(desk.archive.collections["topics"], key=lambda entry: entry.record.slug):
        if getattr(hub.record, "feed", False):
            slug = hub.record.slug
            newest = sorted(desk.archive.topics.get(slug, ()), key=lambda e: (e.record.updated_at, e.record.id), reverse=True)[:MOST]
            output = _atom(desk, f"/feeds/{slug}.xml", hub.path, f"{desk.site.title}: {hub.record.title}", list(map(_post, newest)))
            yield Output(output.body, {"slug": slug}, output.modified, output.links)


ALL = (
    Document[RenderContext]("rss", "/rss.xml", FEED_XML, Section.DISCOVERY, "RSS of recent field notes.", _rss),
    Document[RenderContext](
        "json_feed", "/feed.json", FEED_JSON, Section.DISCOVERY, "JSON Feed 1.1 of recent field notes.", _json_feed, "JsonFeedDocument",
        resource=0.6,
    ),
    Document[RenderContext](
        "changes_feed", "/changes.xml", FEED_XML, Section.DISCOVERY, "Atom feed of significant changes.", _changes,
        resource=0.6,
    ),
    Document[RenderContext](
        "topic_feed", "/feeds/{slug}.xml", FEED_XML, Section.DISCOVERY, "A bounded Atom feed of one topic hub.",
        _topics, parameters=(SLUG,),
    ),
)  # fmt: skip
