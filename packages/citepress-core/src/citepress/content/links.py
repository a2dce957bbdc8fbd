"""What the text of a record links to inside the archive, and what no form would pass through."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from citepress.content import raw_html
from citepress.content.external_links import ExternalLink, ExternalLinks
from citepress.content.nesting import DepthBound
from citepress.content.parsed_text import events_of

LINKS = 5_000
"""Links of one text that are followed."""
UNSAFE = frozenset({"javascript", "vbscript", "data", "file", "blob"})
"""URL schemes that a page must not carry."""
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")


class BodyLink(NamedTuple):
    """A link or image of a text; the offset counts bytes of its UTF-8 form."""

    href: str
    offset: int
    alt: str | None = None
    """The alternative text of an image; ``None`` for a link."""


class ChangedHtml(NamedTuple):
    """Raw HTML that is not passed on as it is."""

    offset: int
    """Bytes of the text before it."""
    reason: str
    """What becomes of it."""


class Inspected(NamedTuple):
    """The links and the raw HTML of one text."""

    links: tuple[BodyLink, ...]
    """Links that may lead into the archive: without a scheme, or with http."""
    raw: tuple[ChangedHtml, ...]
    """Raw HTML that is not passed on as it is, in the order of the text."""
    unsafe: tuple[BodyLink, ...]
    """Links with a scheme that runs or embeds something."""
    external: tuple[ExternalLink, ...] = ()
    """Links to other sites, each address once."""
    depth: int = 0
    """No element of the text is inside so many others."""


def inspect(markdown: str) -> Inspected:
    """Links and raw HTML of a Markdown text, each in the order of the text."""
    links: list[BodyLink] = []
    raw: list[ChangedHtml] = []
    unsafe: list[BodyLink] = []
    external, depth = ExternalLinks(), DepthBound()
    for piece in _events(markdown, external, depth):
        if isinstance(piece, ChangedHtml):
            raw.append(piece)
        elif len(links) < LINKS:
            (unsafe if scheme(piece.href) in UNSAFE else links).append(piece)
    return Inspected(tuple(links), tuple(raw), tuple(unsafe), external.links, depth.value)


def scheme(href: str) -> str:
    """The scheme of a link as a browser reads it, or nothing."""
    # Browsers drop spaces and control characters from a scheme before they read it.
    match = _SCHEME.match(href if href.isprintable() else "".join(c for c in href[:80] if c > " "))
    return match[1].lower() if match else ""


def place_in(body: str, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of a byte offset in a text."""
    before = body.encode()[:offset].decode("utf-8", "ignore")
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _raw(text: str, offset: int) -> Iterator[BodyLink | ChangedHtml]:
    """Links and images of raw HTML, and what of it is not passed on."""
    if reason := raw_html.find_refused(text):
        yield ChangedHtml(offset, reason)
    for tag in raw_html.tags(text):
        name = raw_html.ADDRESSES.get(tag.name)
        if name and not tag.closing and (href := tag.attributes.get(name)):
            at = offset + len(text[: tag.start].encode())
            yield BodyLink(href, at, tag.attributes.get("alt", "").strip() if tag.name == "img" else None)


def _events(markdown: str, external: ExternalLinks, depth: DepthBound) -> Iterator[BodyLink | ChangedHtml]:
    """Links and images, and the raw HTML that is not passed on; an image comes when its alternative text is known."""
    images: list[tuple[str, int]] = []
    """Images that are open; one can be in the text of another."""
    alt: list[str] = []
    for edge, name, data, at, _ in events_of(markdown):
        if name == "Text":
            external.text(data)
            alt += (data,) if images else ()
            continue
        depth.add(edge or name, data)
        if name == "Image":
            external.image(1 if edge == "Start" else -1)
            if edge == "Start":
                images.append((data["dest_url"], at))
            elif images:
                yield BodyLink(*images.pop(), "".join(alt).strip())
                alt = alt if images else []
            continue
        _gather(edge, name, data, external)
        if name in ("Html", "InlineHtml"):
            yield from _raw(data, at)
        elif name == "Link" and edge == "Start" and data["link_type"] != "Email":
            yield BodyLink(data["dest_url"], at)
        elif name == "Code" and images:
            alt.append(data)


def _gather(edge: str, name: str, data: Any, external: ExternalLinks) -> None:  # noqa: ANN401  (the parser's own union)
    """Hand an event that is neither text nor image to the links to other sites."""
    if name == "Link" and edge == "Start":
        external.open(data["dest_url"])
    elif name == "Link":
        external.close()
    elif name == "CodeBlock":
        external.verbatim(1 if edge == "Start" else -1)
    elif name in ("Code", "InlineMath", "DisplayMath"):
        external.code(data)
    elif name in ("Html", "InlineHtml"):
        external.html(data)
    else:
        external.mark()
