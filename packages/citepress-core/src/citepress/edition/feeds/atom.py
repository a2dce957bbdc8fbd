"""Atom (RFC 4287): written, and read again where another format is asked for."""

from collections.abc import Iterable
from datetime import datetime

from lxml import etree

from citepress.base.timestamps import UNKNOWN, rfc3339
from citepress.contract.citation import license_url
from citepress.edition.feeds.model import ATOM_TYPE, Feed, FeedAuthor, FeedEntry
from citepress.edition.feeds.xml import ATOM, atom_link, xml_bytes, xml_text

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_ROOT = f"{{{ATOM}}}feed"


def atom(feed: Feed) -> bytes:
    """A feed as Atom."""
    root = etree.Element(_ROOT, {_LANGUAGE: feed.language}, nsmap={None: ATOM})  # type: ignore[dict-item]  # the default namespace
    _text(root, "id", feed.url)
    _text(root, "title", feed.title)
    if feed.description:
        _text(root, "subtitle", feed.description)
    _text(root, "updated", rfc3339(feed.updated))
    _people(root, [feed.owner])
    _licensed(root, feed.license)
    atom_link(root, feed.url, "self", ATOM_TYPE)
    atom_link(root, feed.page, "alternate", "text/html")
    if feed.hub:
        atom_link(root, feed.hub, "hub")
    for entry in feed.entries:
        _entry(root, entry)
    return xml_bytes(root)


def feed_of(document: bytes) -> Feed | None:
    """The feed that ``atom`` wrote; ``None`` where it wrote another document."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    root = etree.fromstring(document, parser)
    if root.tag != _ROOT:
        return None
    return Feed(
        _said(root, "id"),
        _href(root, "alternate"),
        _said(root, "title"),
        _said(root, "subtitle"),
        root.get(_LANGUAGE, ""),
        _authors(root)[0],
        _said(root, "rights"),
        _href(root, "hub"),
        datetime.fromisoformat(_said(root, "updated")),
        tuple(map(_entry_of, root.iterfind(f"{{{ATOM}}}entry"))),
    )


def _entry(root: etree._Element, post: FeedEntry) -> None:
    entry = etree.SubElement(root, f"{{{ATOM}}}entry")
    _text(entry, "id", post.id)
    _text(entry, "title", post.title)
    atom_link(entry, post.url, "alternate", "text/html")
    if post.published != UNKNOWN:
        _text(entry, "published", rfc3339(post.published))
    _text(entry, "updated", rfc3339(post.updated))
    _people(entry, post.authors)
    for word in post.words:
        etree.SubElement(entry, f"{{{ATOM}}}category", term=xml_text(word))
    _text(entry, "summary", post.summary)
    if post.content:
        _text(entry, "content", post.content, type="html", **{_LANGUAGE: post.language})
    if post.license:
        _licensed(entry, post.license)


def _entry_of(entry: etree._Element) -> FeedEntry:
    content = entry.find(f"{{{ATOM}}}content")
    return FeedEntry(
        _said(entry, "id"),
        _said(entry, "title"),
        _href(entry, "alternate"),
        _said(entry, "summary"),
        datetime.fromisoformat(_said(entry, "published") or UNKNOWN.isoformat()),
        datetime.fromisoformat(_said(entry, "updated")),
        tuple(category.get("term", "") for category in entry.iterfind(f"{{{ATOM}}}category")),
        _authors(entry),
        (content.text or "") if content is not None else "",
        _said(entry, "rights"),
        content.get(_LANGUAGE, "") if content is not None else "",
    )


def _text(parent: etree._Element, name: str, text: str, **attributes: str) -> None:
    etree.SubElement(parent, f"{{{ATOM}}}{name}", attributes).text = xml_text(text)


def _said(parent: etree._Element, name: str) -> str:
    return parent.findtext(f"{{{ATOM}}}{name}") or ""


def _href(parent: etree._Element, rel: str) -> str:
    links = parent.iterfind(f"{{{ATOM}}}link")
    return next((link.get("href", "") for link in links if link.get("rel") == rel), "")


def _people(parent: etree._Element, authors: Iterable[FeedAuthor]) -> None:
    for author in authors:
        person = etree.SubElement(parent, f"{{{ATOM}}}author")
        _text(person, "name", author.name)
        if author.url:
            _text(person, "uri", author.url)


def _authors(parent: etree._Element) -> tuple[FeedAuthor, ...]:
    people = parent.iterfind(f"{{{ATOM}}}author")
    return tuple(FeedAuthor(_said(person, "name"), _said(person, "uri")) for person in people)


def _licensed(parent: etree._Element, licence: str) -> None:
    """The licence in words, and as a link where it has an address (RFC 4946)."""
    _text(parent, "rights", licence)
    if address := license_url(licence):
        atom_link(parent, address, "license")
