"""The feeds: RSS and JSON Feed of new field notes, Atom of significant changes, of a collection and of a topic.

All bounded, newest first; records with their full text, their authors and their licence.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import format_datetime
from functools import partial
from heapq import nlargest
from html import escape
from itertools import islice

from lxml import etree

from citepress.archive.model import Change, Entry
from citepress.base.canonical import json_bytes
from citepress.base.media import FEED_JSON, FEED_XML
from citepress.base.memo import memoized
from citepress.base.text import sentence
from citepress.base.timestamps import rfc3339
from citepress.contract.citation import ORCID, license_url
from citepress.contract.document import SLUG, Document, Output, Section
from citepress.contract.kind import Kind
from citepress.contract.record import Author
from citepress.contract.site import OWNER_PAGE
from citepress.edition.forms.absolute import html_elsewhere
from citepress.edition.render_context import RenderContext
from citepress.kinds.parts import UNEXPLAINED

MOST = 50
LARGEST = 512 * 1024
"""Characters of the texts of one feed; it ends before the entry that would go beyond."""
ATOM = "http://www.w3.org/2005/Atom"
CONTENT = "http://purl.org/rss/1.0/modules/content/"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
DC = "http://purl.org/dc/elements/1.1/"


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
    authors: tuple[Author, ...] = ()
    content: str = ""
    """The full text as HTML; empty where the summary says everything."""
    license: str = ""
    language: str = ""


def _newest(context: RenderContext) -> list[_Post]:
    return _bounded(_post(context, entry) for entry in context.archive.collections["posts"])


def _bounded(posts: Iterable[_Post]) -> list[_Post]:
    """The first posts, as many as a feed may hold; one whose own text is too long has its summary alone."""
    taken: list[_Post] = []
    size = 0
    for post in islice(posts, MOST):
        entry = replace(post, content="") if len(post.content) > LARGEST else post
        size += len(entry.content)
        if size > LARGEST:
            break
        taken.append(entry)
    return taken


def _post(context: RenderContext, entry: Entry) -> _Post:
    record = entry.record
    words = (*record.topics, *record.tags)
    return _Post(
        record.canonical_url,
        record.title,
        record.canonical_url,
        record.summary,
        record.published_at,
        record.updated_at,
        words,
        tuple(author for author in record.authors if author.role == "author"),
        _content(context, entry),
        record.license,
        record.language,
    )


def _author(author: Author) -> dict[str, str]:
    """An author by name and by the address that lasts: the ORCID iD where there is one."""
    address = f"{ORCID}{author.orcid}" if author.orcid else author.url
    return {"name": author.name} | ({"url": address} if address else {})


def _content(context: RenderContext, entry: Entry) -> str:
    """The whole text of a record as HTML that is safe in any reader, with whole links."""
    inputs = (context.site.base_url, context.site.language)
    return memoized(entry.memo, "feed", inputs, partial(_feed_html, context, entry))


def _feed_html(context: RenderContext, entry: Entry) -> str:
    text = entry.record.body_markdown.strip()
    return (
        html_elsewhere(text, context, entry.path, entry.record.sources)
        if text
        else f"<p>{escape(entry.record.summary, quote=False)}</p>"
    )


def _change(context: RenderContext, change: Change) -> _Post:
    """A change has an id of its own, so that one record's changes stay apart."""
    url = context.url(change.path)
    note = change.note or UNEXPLAINED
    summary = f"{sentence(note)} {sentence(f'Credit: {change.credit}')}" if change.credit else note
    title = f"{change.change.capitalize()}: {change.title}"
    return _Post(f"{url}#{change.id}", title, url, summary, change.moment, change.moment, (change.change,))


def _links(context: RenderContext, path: str) -> tuple[str, ...]:
    """Link fields of a feed: itself, and the WebSub hub where the publisher has one."""
    hub = (f'<{context.site.hub}>; rel="hub"',) if context.site.hub else ()
    return (f'<{context.url(path)}>; rel="self"', *hub)


def _atom(context: RenderContext, path: str, page: str, title: str, posts: Sequence[_Post]) -> Output:
    updated = _updated(context, posts)
    return Output(_feed(context, path, page, title, posts), modified=updated, links=_links(context, path))


def _updated(context: RenderContext, posts: Sequence[_Post]) -> datetime:
    """The newest change that a feed tells."""
    return max((post.updated for post in posts), default=context.archive.as_of)


def _feed(context: RenderContext, path: str, page: str, title: str, posts: Sequence[_Post]) -> bytes:
    feed = etree.Element(f"{{{ATOM}}}feed", nsmap={None: ATOM})  # type: ignore[dict-item]  # the default namespace
    _text(feed, "id", context.url(path))
    _text(feed, "title", title)
    _text(feed, "updated", rfc3339(_updated(context, posts)))
    _people(feed, [Author(name=context.archive.owner.name, url=context.url(OWNER_PAGE))])
    _licensed(feed, context.site.license)
    _link(feed, context.url(path), "self", "application/atom+xml")
    _link(feed, context.url(page), "alternate", "text/html")
    if context.site.hub:
        _link(feed, context.site.hub, "hub")
    for post in posts:
        entry = etree.SubElement(feed, f"{{{ATOM}}}entry")
        _text(entry, "id", post.id)
        _text(entry, "title", post.title)
        _link(entry, post.url, "alternate", "text/html")
        _text(entry, "published", rfc3339(post.published))
        _text(entry, "updated", rfc3339(post.updated))
        _people(entry, post.authors)
        for word in post.words:
            etree.SubElement(entry, f"{{{ATOM}}}category", term=_xml_text(word))
        _text(entry, "summary", post.summary)
        if post.content:
            _text(entry, "content", post.content, type="html", **{LANGUAGE: post.language})
        if post.license:
            _licensed(entry, post.license)
    return _bytes(feed)


def _text(parent: etree._Element, name: str, text: str, **attributes: str) -> None:
    etree.SubElement(parent, f"{{{ATOM}}}{name}", attributes).text = _xml_text(text)


def _people(parent: etree._Element, authors: Iterable[Author]) -> None:
    for author in authors:
        person = etree.SubElement(parent, f"{{{ATOM}}}author")
        for name, value in _author(author).items():
            _text(person, "uri" if name == "url" else name, value)


def _licensed(parent: etree._Element, licence: str) -> None:
    """The licence in words, and as a link where it has an address (RFC 4946)."""
    _text(parent, "rights", licence)
    if address := license_url(licence):
        _link(parent, address, "license")


def _link(parent: etree._Element, href: str, rel: str, media: str = "") -> None:
    members = {"rel": rel, "href": href, **({"type": media} if media else {})}
    etree.SubElement(parent, f"{{{ATOM}}}link", members)


_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""Everything but ``Char`` of XML 1.0."""


def _xml_text(text: str) -> str:
    """The text without characters that XML 1.0 cannot hold."""
    return _NOT_XML.sub("", text)


def _bytes(root: etree._Element) -> bytes:
    etree.indent(root)
    written: bytes = etree.tostring(root, xml_declaration=True, encoding="utf-8")
    return written + b"\n"


def _rss(context: RenderContext) -> Iterable[Output]:
    root = etree.Element("rss", version="2.0", nsmap={"atom": ATOM, "content": CONTENT, "dc": DC})
    channel = etree.SubElement(root, "channel")
    posts = _newest(context)
    updated = _updated(context, posts)
    head = {
        "title": context.site.title,
        "link": context.url("/"),
        "description": context.site.description or context.site.title,
        "language": context.site.language,
        "copyright": _terms(context.site.license),
        "lastBuildDate": format_datetime(updated, usegmt=True),
    }
    for name, text in head.items():
        etree.SubElement(channel, name).text = _xml_text(text)
    _link(channel, context.url("/rss.xml"), "self", "application/rss+xml")
    if context.site.hub:
        _link(channel, context.site.hub, "hub")
    for post in posts:
        item = etree.SubElement(channel, "item")
        etree.SubElement(item, "title").text = _xml_text(post.title)
        etree.SubElement(item, "link").text = post.url
        etree.SubElement(item, "guid", isPermaLink="true").text = post.id
        etree.SubElement(item, "pubDate").text = format_datetime(post.published, usegmt=True)
        etree.SubElement(item, "description").text = _xml_text(escape(post.summary, quote=False))
        if post.content:
            etree.SubElement(item, f"{{{CONTENT}}}encoded").text = _xml_text(post.content)
        for word in post.words:
            etree.SubElement(item, "category").text = _xml_text(word)
        for name in [author.name for author in post.authors] or [context.archive.owner.name]:
            etree.SubElement(item, f"{{{DC}}}creator").text = _xml_text(name)
        etree.SubElement(item, f"{{{DC}}}rights").text = _xml_text(_terms(post.license))
    return [Output(_bytes(root), modified=updated, links=_links(context, "/rss.xml"))]


def _terms(licence: str) -> str:
    """A licence with its address, where it has one."""
    return " ".join(dict.fromkeys(part for part in (licence, license_url(licence)) if part))


def _json_license(licence: str) -> dict[str, str]:
    """The licence as an extension of JSON Feed, whose name begins with an underscore."""
    address = license_url(licence)
    return {"name": licence, **({"url": address} if address else {})}


def _json_feed(context: RenderContext) -> Iterable[Output]:
    site, posts = context.site, _newest(context)
    feed: dict[str, object] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": site.title,
        "home_page_url": context.url("/"),
        "feed_url": context.url("/feed.json"),
        "description": site.description or site.title,
        "language": site.language,
        "authors": [{"name": context.archive.owner.name, "url": context.url(OWNER_PAGE)}],
        "_license": _json_license(site.license),
    }
    if site.hub:
        feed["hubs"] = [{"type": "WebSub", "url": site.hub}]
    feed["items"] = [
        {
            "id": post.id,
            "url": post.url,
            "title": post.title,
            "summary": post.summary,
            "content_html": post.content or f"<p>{escape(post.summary, quote=False)}</p>",
            "date_published": rfc3339(post.published),
            "date_modified": rfc3339(post.updated),
            "tags": list(post.words),
            "language": post.language,
            **({"authors": [_author(author) for author in post.authors]} if post.authors else {}),
            "_license": _json_license(post.license),
        }
        for post in posts
    ]
    updated = _updated(context, posts)
    return [Output(json_bytes(feed), modified=updated, links=_links(context, "/feed.json"))]


def _changes(context: RenderContext) -> Iterable[Output]:
    posts = [_change(context, change) for change in context.archive.changes[:MOST]]
    return [_atom(context, "/changes.xml", "/", f"{context.site.title}: significant changes", posts)]


def _last_changed(members: Sequence[Entry]) -> Sequence[Entry]:
    return nlargest(MOST, members, key=lambda entry: (entry.record.updated_at, entry.record.id))


def _topics(context: RenderContext) -> Iterator[Output]:
    for hub in sorted(context.archive.collections["topics"], key=lambda entry: entry.record.slug):
        if getattr(hub.record, "feed", False):
            slug = hub.record.slug
            path, members = f"/feeds/{slug}.xml", context.archive.topics.get(slug, ())
            newest = context.derivations.held(f"feed of {slug}", members, partial(_last_changed, members))
            inputs = [hub.path, hub.record.title, *(entry.digest.hex() for entry in newest)]
            updated = newest[0].record.updated_at if newest else context.archive.as_of
            written = partial(_topic, context, path, hub, newest)
            yield Output(written, {"slug": slug}, updated, _links(context, path), inputs=inputs)


def _topic(context: RenderContext, path: str, hub: Entry, newest: Sequence[Entry]) -> bytes:
    """The feed of a topic hub: its members that changed last."""
    posts = _bounded(_post(context, entry) for entry in newest)
    return _feed(context, path, hub.path, f"{context.site.title}: {hub.record.title}", posts)


def collection_path(kind: Kind) -> str:
    """The feed of a collection."""
    return f"/{kind.name}/feed.xml"


def collection_feed(kind: Kind) -> Document[RenderContext]:
    """The feed of the newest records of a kind, from its one declaration."""
    return Document[RenderContext](
        f"{kind.name.replace('-', '_')}_feed",
        collection_path(kind),
        FEED_XML,
        Section.RECORDS,
        f"Atom feed of the newest {kind.noun()}, with their full text.",
        _collection(kind),
        promised=False,
    )


def _collection(kind: Kind) -> Callable[[RenderContext], Iterable[Output]]:
    def make(context: RenderContext) -> Iterable[Output]:
        posts = _bounded(_post(context, entry) for entry in context.archive.collections[kind.name])
        title = f"{context.site.title}: {context.labelled(kind).noun()}"
        return [_atom(context, collection_path(kind), f"/{kind.name}/", title, posts)]

    return make


ALL = (
    Document[RenderContext]("rss", "/rss.xml", FEED_XML, Section.DISCOVERY, "RSS of recent field notes.", _rss),
    Document[RenderContext](
        "json_feed",
        "/feed.json",
        FEED_JSON,
        Section.DISCOVERY,
        "JSON Feed 1.1 of recent field notes.",
        _json_feed,
        "JsonFeedDocument",
        resource=0.6,
    ),
    Document[RenderContext](
        "changes_feed",
        "/changes.xml",
        FEED_XML,
        Section.DISCOVERY,
        "Atom feed of significant changes.",
        _changes,
        resource=0.6,
    ),
    Document[RenderContext](
        "topic_feed",
        "/feeds/{slug}.xml",
        FEED_XML,
        Section.DISCOVERY,
        "A bounded Atom feed of one topic hub.",
        _topics,
        parameters=(SLUG,),
    ),
)
