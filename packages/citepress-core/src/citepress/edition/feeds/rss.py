"""RSS 2.0, with full texts and the Dublin Core."""

import re
from html import escape

from lxml import etree

from citepress.base.timestamps import UNKNOWN, http_date
from citepress.contract.citation import license_url
from citepress.edition.feeds.model import RSS_TYPE, Feed, FeedEntry
from citepress.edition.feeds.xml import ATOM, atom_link, xml_bytes, xml_text

_CONTENT = "http://purl.org/rss/1.0/modules/content/"
_DC = "http://purl.org/dc/elements/1.1/"
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
"""What begins a tag for a reader that takes a text for HTML."""


def rss(feed: Feed) -> bytes:
    """A feed as RSS."""
    root = etree.Element("rss", version="2.0", nsmap={"atom": ATOM, "content": _CONTENT, "dc": _DC})
    channel = etree.SubElement(root, "channel")
    head = {
        "title": feed.title,
        "link": feed.page,
        "description": feed.description or feed.title,
        "language": feed.language,
        "copyright": _terms(feed.license),
        "lastBuildDate": http_date(feed.updated),
    }
    for name, text in head.items():
        etree.SubElement(channel, name).text = _plain(text)
    atom_link(channel, feed.url, "self", RSS_TYPE)
    if feed.hub:
        atom_link(channel, feed.hub, "hub")
    for entry in feed.entries:
        _item(channel, entry, feed.owner.name)
    return xml_bytes(root)


def _item(channel: etree._Element, post: FeedEntry, owner: str) -> None:
    item = etree.SubElement(channel, "item")
    etree.SubElement(item, "title").text = _plain(post.title)
    etree.SubElement(item, "link").text = post.url
    leads = "true" if post.id.partition("#")[0] == post.url else "false"
    etree.SubElement(item, "guid", isPermaLink=leads).text = post.id
    if post.published != UNKNOWN:
        etree.SubElement(item, "pubDate").text = http_date(post.published)
    etree.SubElement(item, "description").text = xml_text(escape(post.summary, quote=False))
    if post.content:
        etree.SubElement(item, f"{{{_CONTENT}}}encoded").text = xml_text(post.content)
    for word in post.words:
        etree.SubElement(item, "category").text = _plain(word)
    for name in [author.name for author in post.authors] or [owner]:
        etree.SubElement(item, f"{{{_DC}}}creator").text = _plain(name)
    etree.SubElement(item, f"{{{_DC}}}rights").text = _plain(_terms(post.license))


def _plain(text: str) -> str:
    """A text in which no reader finds a tag: RSS leaves open whether it is HTML, and readers differ."""
    return xml_text(_TAG.sub("&lt;", text) if "<" in text else text)


def _terms(licence: str) -> str:
    """A licence with its address, where it has one."""
    return " ".join(dict.fromkeys(part for part in (licence, license_url(licence)) if part))
