"""Links of a plain note: rewritten to the pages and files they mean, with the author's text kept for messages."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pyromark

from citepress.base.slugs import plain_letters, slug_of_path, slugify
from citepress.content.attachments import is_attachment
from citepress.content.hidden_text import hidden_ranges
from citepress.content.links import scheme
from citepress.content.rewritten import AddressEdit, Rewritten

_NOTE = re.compile(r"[^:?#]+\.md(#.*)?")
_ATTRIBUTE = re.compile(r"""(\b(?:src|href)\s*=\s*)("[^"]*"|'[^']*')""", re.IGNORECASE)
_PARSER = pyromark.Markdown()


def slug_of(path: str) -> str:
    """The slug of a note: that of its path without the ending."""
    return slug_of_path(path.removesuffix(".md"))


def former_slugs(path: str, slug: str) -> tuple[str, ...]:
    """Other slugs by which the note at a path is linked, or was before letters with marks counted."""
    stem, own = path.removesuffix(".md"), slug_of(path)
    former = slugify(stem) if own == slugify(plain_letters(stem)) else ""  # what others may have too leads nowhere
    return tuple(dict.fromkeys(other for other in (own, former) if other and other != slug))


def rewrite_links(body: str, path: str, collection: str) -> Rewritten:
    """The text of the note at a path without what its author hid, with its links led to notes and files."""
    shown = Rewritten.of(body, (AddressEdit(start, end, b"") for start, end in hidden_ranges(body)))
    return shown.with_edits(sorted(_edits(shown.text, path, collection)))


def _edits(body: str, path: str, collection: str) -> Iterator[AddressEdit]:
    """Links to notes replaced by their pages, and links to files made absolute."""
    data = body.encode()
    event: Any  # the parser's own union of dictionaries
    for event, span in pyromark.events_with_range(body):
        if not isinstance(event, dict):
            continue
        start = span["start"]
        opening = event.get("Start")
        link = (opening.get("Link") or opening.get("Image")) if isinstance(opening, dict) else None
        if link and link["link_type"] == "Inline":
            yield from _destination(data[start : span["end"]], link["dest_url"], start, path, collection)
        elif raw := event.get("Html") or event.get("InlineHtml"):
            yield from _attributes(raw, start, path, collection)
    for label, definition in _PARSER.reference_definitions(body).items():
        start, end = definition["span"]["start"], definition["span"]["end"]
        if not label.startswith("^"):
            yield from _destination(data[start:end], definition["dest"], start, path, collection)


def _destination(markup: bytes, href: str, start: int, path: str, collection: str) -> Iterator[AddressEdit]:
    """The edit of a link's destination, which is the last such text in the link's own markup."""
    address = _address(href, path, collection)
    if address == href:
        return
    ends = [match.end() for match in re.finditer(rb"\](?:\(|:)\s*<?" + re.escape(href.encode()), markup)]
    if ends:
        end = start + ends[-1]
        yield AddressEdit(end - len(href.encode()), end, address.encode())


def _attributes(raw: str, start: int, path: str, collection: str) -> Iterator[AddressEdit]:
    """The edits of the addresses in raw HTML."""
    for match in _ATTRIBUTE.finditer(raw):
        href = match[2][1:-1]
        address = _address(href, path, collection)
        if address != href:
            begin = start + len(raw[: match.start(2) + 1].encode())
            yield AddressEdit(begin, begin + len(href.encode()), address.encode())


def _address(href: str, path: str, collection: str) -> str:
    """The public address of the note or file that a link in the note at a path means; other addresses unchanged."""
    if not href or href.startswith(("#", "//", "?")) or scheme(href):
        return href
    target, mark, fragment = href.partition("#")
    place = posixpath.normpath(posixpath.join("/", posixpath.dirname(path), target)).lstrip("/")
    if _NOTE.fullmatch(href):
        return f"/{collection}/{slug_of(unquote(place))}/{mark}{fragment}"
    return f"/{place}{mark}{fragment}" if is_attachment(unquote(place)) and not href.startswith("/") else href
