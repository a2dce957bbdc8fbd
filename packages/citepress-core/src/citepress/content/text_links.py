"""Links and images of a Markdown text led to where their targets are now; dead ones become their words."""

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from citepress.content import raw_html
from citepress.content.commonmark import PARSER
from citepress.content.rewritten import AddressEdit, apply_edits

_ENDING = re.compile(r"\.(?:md|mdx|json|html?)$")
Relink = Callable[[str, bool], str | None]
"""``(address, is an image) -> address``; ``None`` where the link has to go."""


def relink(text: str, relink: Relink) -> str:
    """The text with each link and image led to its present address, or left as words where there is none."""
    return apply_edits(text, link_edits(text, relink))


def link_edits(text: str, relink: Relink) -> list[AddressEdit]:
    """What ``relink`` puts in place of parts of a text, in order and apart from each other."""
    if "](" not in text and "<" not in text and "]:" not in text and "][" not in text:
        return []
    answers: dict[str, str | None] = {}

    def asked(href: str, image: bool) -> str | None:
        answers[href] = answer = relink(href, image)
        return answer

    apart: list[AddressEdit] = []
    for edit in sorted([*_edits(text, asked), *_definitions(text, answers, relink)]):
        if not apart or edit.start >= apart[-1].end:
            apart.append(edit)
    return apart


def _definitions(text: str, answers: Mapping[str, str | None], relink: Relink) -> Iterator[AddressEdit]:
    """Edits that take definitions of links away that lead nowhere: their addresses would stay in the text."""
    if "]:" not in text:
        return
    data = text.encode()
    for label, definition in PARSER.reference_definitions(text).items():
        href = definition["dest"]
        address = answers[href] if href in answers else relink(href, False)
        if address is None and not label.startswith("^"):
            start, end = definition["span"]["start"], definition["span"]["end"]
            yield AddressEdit(start, end + (data[end : end + 1] == b"\n"), b"")


def _edits(text: str, relink: Relink) -> Iterator[AddressEdit]:
    opened: list[tuple[str, Any, int, int]] = []
    """Open links and images: type, data, start, and the end of their words as far as it is read."""
    event: Any  # the parser's own union of dictionaries
    for event, span in PARSER.events_with_range(text):
        start, end = span["start"], span["end"]
        opening: Any = event.get("Start") if isinstance(event, dict) else None
        sort = next((sort for sort in ("Link", "Image") if sort in opening), "") if isinstance(opening, dict) else ""
        if sort:
            opened.append((sort, opening[sort], start, start + (2 if sort == "Image" else 1)))
        elif isinstance(event, dict) and event.get("End") in ("Link", "Image"):
            sort, link, start, text_end = opened.pop()
            yield from _link(sort, link, (start, text_end, end), relink)
            if opened:
                opened[-1] = (*opened[-1][:3], max(opened[-1][3], end))
        elif opened and not opening:
            opened[-1] = (*opened[-1][:3], max(opened[-1][3], end))
        if isinstance(event, dict) and (raw := event.get("Html") or event.get("InlineHtml")):
            yield from _html(raw, start, relink)


def _link(sort: str, link: Any, places: tuple[int, int, int], relink: Relink) -> Iterator[AddressEdit]:  # noqa: ANN401
    start, text_end, end = places
    href = link["dest_url"]
    if link["link_type"] in ("Autolink", "Email"):
        return
    address = relink(href, sort == "Image")
    if address == href:
        return
    width = 2 if sort == "Image" else 1
    if address is None:
        yield AddressEdit(start, start + width, b"")
        yield AddressEdit(text_end, end, b"")
    else:
        title = link["title"].replace("\\", "\\\\").replace('"', '\\"')
        words = f' "{title}"' if title else ""
        yield AddressEdit(text_end, end, f"]({destination(address)}{words})".encode())


def destination(url: str) -> str:
    """An address between the parentheses of a link."""
    if re.search(r"[\s()<>]", url):
        return f"<{url.replace('<', '%3C').replace('>', '%3E')}>"
    return url


def _html(raw: str, at: int, relink: Relink) -> Iterator[AddressEdit]:
    """Edits of the addresses in raw HTML; a dead image becomes its words, a dead link a link to nowhere."""
    for tag in raw_html.tags(raw):
        name = raw_html.ADDRESSES.get(tag.name, "")
        href = tag.attributes.get(name) if name and not tag.closing else None
        if href is None:
            continue
        address = relink(href.strip(), tag.name == "img")
        if address == href:
            continue
        start, end = (at + len(raw[:place].encode()) for place in (tag.start, tag.end))
        attributes = {**tag.attributes, name: address or ""}
        if address is None:
            put = escape(tag.attributes.get("alt", "")) if tag.name == "img" else "<a>"
        else:
            put = raw_html.write_tag(tag._replace(attributes=attributes), lambda _: True, raw)
        yield AddressEdit(start, end, put.encode())


def local_path(href: str, page: str, base_url: str = "") -> str:
    """The path of this site that a link on a page leads to, in small letters and without slashes at its ends.

    Nothing for an address elsewhere.
    """
    href = href.strip()
    if base_url and (href == base_url or href.startswith(f"{base_url}/")):
        href = href[len(base_url) :] or "/"
    try:
        if not href or href.startswith(("#", "//")) or urlsplit(href).scheme:
            return ""
        path = unquote(urlsplit(urljoin(page, href)).path)
    except ValueError:
        return ""
    return _ENDING.sub("", path).strip("/").lower()
