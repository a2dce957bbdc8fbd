"""Running text in Markdown, made safe and fitted to its page before any form writes it."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from citepress.content import raw_html
from citepress.content.commonmark import PARSER
from citepress.content.parsed_text import LARGE, MAX_HELD_TEXTS, events_of

MAX_CLEANED_DEPTH = 6
PASSES = 8
"""How often text that came out of a block of HTML is read again, before every sharp bracket is taken as text."""
Place = Callable[[str], str]
"""Maps a destination to the address that is written."""
Mark = Callable[[str], str]
"""Gives what follows a link to a destination, mostly nothing."""
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_SAFE = ("http:", "https:", "mailto:")
_PLAIN = ("/", "https://", "http://", "#")
"""Beginnings that are safe at a glance."""
_IGNORED = re.compile(r"[\x00-\x20\x7f]+")
"""What browsers drop from an address: it must not hide a scheme from us."""
_HOLDING = frozenset({"Heading", "Link", "Image"})
_HTML = frozenset({"HtmlBlock", "Html", "InlineHtml"})
_REFERENCES = ("Reference", "Collapsed", "Shortcut")


class _Edit(NamedTuple):
    """Bytes to put in place of a range of the source."""

    start: int
    end: int
    put: bytes


class _Event(NamedTuple):
    """An event of a text (``parsed_text``), by the names of its parts."""

    edge: str
    name: str
    data: Any
    start: int
    end: int


def safe(href: str) -> bool:
    """Whether a destination is relative, or of a scheme that a page may link to."""
    if href.startswith(_PLAIN):
        return True
    scheme = _SCHEME.match(_IGNORED.sub("", href))
    return scheme is None or scheme[0].lower() in _SAFE


def destination(url: str) -> str:
    """A destination as Markdown writes it between parentheses."""
    if " " in url or "(" in url or ")" in url or "<" in url or ">" in url:
        return f"<{url.replace('<', '%3C').replace('>', '%3E')}>"
    return url


def sanitize(markdown: str, level: int, place: Place, mark: Mark | None = None, *, every: bool = True) -> str:
    """The same text with its headings beginning at ``level``, raw HTML made harmless and every destination placed.

    Destinations of unsafe schemes become empty. Text that needs no change is returned as it is. ``mark`` gives what
    follows a link to a destination, or where not ``every`` link is marked, what takes the place of missing words.
    """
    markdown, events = _without_html(markdown)
    marks = tuple(_marks(events, mark, every=every)) if mark else ()
    return _edited(markdown, (*_headings(events, markdown.encode(), level), *_links(events, markdown, place), *marks))


def whole(markdown: str, place: Place, mark: Mark | None = None) -> str:
    """The same text with raw HTML made harmless and every destination placed; its headings stay as they are.

    ``mark`` gives the words of links to a destination that have none.
    """
    if "<" not in markdown and "](" not in markdown and "]:" not in markdown:
        return markdown
    markdown, events = _without_html(markdown)
    marks = _marks(events, mark, every=False) if mark else ()
    return _edited(markdown, (*_links(events, markdown, place), *marks))


def _without_html(markdown: str) -> tuple[str, Sequence[_Event]]:
    """The text without raw HTML that is not allowed, and its events; the content of HTML blocks is read as Markdown."""
    return _tamed(markdown) if len(markdown) > LARGE else _held(markdown)


@lru_cache(maxsize=MAX_HELD_TEXTS)
def _held(markdown: str) -> tuple[str, Sequence[_Event]]:
    return _tamed(markdown)


def _tamed(markdown: str) -> tuple[str, Sequence[_Event]]:
    for _ in range(PASSES):
        events = tuple(_events(markdown))
        edits = tuple(_raw(events, markdown.encode()))
        if not edits:
            return markdown, events
        markdown = _edited(markdown, edits)
    markdown = markdown.replace("<", "&lt;")
    return markdown, tuple(_events(markdown))


def _edited(markdown: str, edits: Sequence[_Edit]) -> str:
    if not edits:
        return markdown
    source = markdown.encode()
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits):
        parts += (source[at : edit.start], edit.put)
        at = edit.end
    return b"".join((*parts, source[at:])).decode()


def _events(markdown: str) -> Iterator[_Event]:
    """The events of raw HTML, headings, links and images, and of what is inside these."""
    inside = 0
    for event in events_of(markdown):
        name = event[1]
        if name in _HOLDING:
            inside += 1 if event[0] == "Start" else -1
        elif not inside and name not in _HTML:
            continue
        yield _Event(*event)


def _raw(events: Sequence[_Event], source: bytes) -> Iterator[_Edit]:
    """Raw HTML becomes the part of it that is passed on; a comment goes, and what runs goes with its inside."""
    done = -1
    for place, event in enumerate(events):
        if event.start < done or event.edge == "End" or event.name not in ("HtmlBlock", "InlineHtml"):
            continue
        text = source[event.start : event.end].decode()
        done = event.end
        if event.name == "InlineHtml" and (end := _inside(events, place, text)):
            done = end
            yield _Edit(event.start, end, raw_html.canonical(text, safe).encode())
            continue
        put = raw_html.canonical(text, safe)
        if event.name == "HtmlBlock" and not put.strip():
            put = "\n"
        if put != text:
            yield _Edit(event.start, event.end, put.encode())


def _inside(events: Sequence[_Event], place: int, text: str) -> int:
    """Where an element ends that goes with its inside, by the tags that follow in its paragraph; 0 for any other."""
    first = next(raw_html.tags(text), None)
    if first is None or first.closing or first.name not in raw_html.WITH_CONTENT:
        return 0
    for event in islice(events, place + 1, None):
        if event.name == "HtmlBlock":
            return 0
        if event.name == "InlineHtml" and any(
            tag.closing and tag.name == first.name for tag in raw_html.tags(event.data)
        ):
            return event.end
    return 0


def _placed_html(event: _Event, source: bytes, place: Place) -> Iterator[_Edit]:
    """The addresses of raw HTML in its canonical form, each placed."""
    text = source[event.start : event.end].decode()
    for tag in raw_html.tags(text):
        name = raw_html.ADDRESSES.get(tag.name)
        url = tag.attributes.get(name, "") if name and not tag.closing else ""
        placed = _placed(url, place)
        if url and placed != url:
            begin = event.start + len(text[: tag.start].encode())
            put = raw_html.write_tag(tag._replace(attributes={**tag.attributes, str(name): placed}), safe, text)
            yield _Edit(begin, begin + len(text[tag.start : tag.end].encode()), put.encode())


def _headings(events: Sequence[_Event], source: bytes, level: int) -> Iterator[_Edit]:
    """Headings begin at ``level`` and go no more than one step down at a time."""
    starts = [place for place, event in enumerate(events) if event.name == "Heading" and event.edge == "Start"]
    if not starts:
        return
    depths = [int(events[place].data["level"][1]) for place in starts]
    highest = min(depths)
    last = level - 1
    for place, depth in zip(starts, depths, strict=True):
        wanted = min(depth - highest + level, last + 1, MAX_CLEANED_DEPTH)
        last = wanted
        if wanted != depth:
            yield from _heading(events, place, source, wanted)


def _heading(events: Sequence[_Event], place: int, source: bytes, wanted: int) -> Iterator[_Edit]:
    start, end = events[place].start, events[place].end
    marks = re.match(rb" {0,3}#{1,6}(?=[ \t\r\n]|$)", source[start:end])
    if marks:
        yield _Edit(start, start + marks.end(), b"#" * wanted)
        return
    last = start
    for event in events[place + 1 :]:
        if event.edge == "End" and event.name == "Heading":
            break
        last = max(last, event.end)
        if event.name in ("SoftBreak", "HardBreak"):
            yield _Edit(event.start, event.end, b" ")
    yield _Edit(start, start, b"#" * wanted + b" ")
    yield _Edit(last, end, b"\n")


def _links(events: Sequence[_Event], markdown: str, place: Place) -> Iterator[_Edit]:
    opened: list[tuple[_Event, int]] = []
    """Open links and images, each with the end of its text as far as it is read."""
    referred = False
    source = markdown.encode() if "<" in markdown else b""
    for event in events:
        if event.name in ("Html", "InlineHtml"):
            yield from _placed_html(event, source, place)
        if event.name in ("Link", "Image") and event.edge == "Start":
            opened.append((event, event.start + (2 if event.name == "Image" else 1)))
        elif event.name in ("Link", "Image"):
            start, text_end = opened.pop()
            yield from _link(start, text_end, place)
            referred |= start.data["link_type"] in _REFERENCES
        if opened and event.edge != "Start":
            start, text_end = opened[-1]
            opened[-1] = (start, max(text_end, event.end))
    if referred:
        yield from _definitions(markdown, place)


def _marks(events: Sequence[_Event], mark: Mark, *, every: bool) -> Iterator[_Edit]:
    """What follows links, where ``every`` one is marked; of one without words it is the words."""
    for place, event in enumerate(events):
        if event.name == "Link" and event.edge == "Start" and (put := mark(event.data["dest_url"])):
            wordless = event.data["link_type"] == "Inline" and events[place + 1].edge == "End"
            at = event.start + 1 if wordless else event.end
            if wordless or every:
                yield _Edit(at, at, put.encode() if wordless else f" {put}".encode())


def _link(link: _Event, text_end: int, place: Place) -> Iterator[_Edit]:
    url, title = link.data["dest_url"], link.data["title"]
    if link.data["link_type"] == "Autolink" and not safe(url):
        yield _Edit(link.start, link.start + 1, b"&lt;")
    if link.data["link_type"] == "Inline" and (placed := _placed(url, place)) != url:
        yield _Edit(text_end, link.end, f"]({destination(placed)}{_title(title)})".encode())


def _definitions(markdown: str, place: Place) -> Iterator[_Edit]:
    for label, definition in PARSER.reference_definitions(markdown).items():
        placed = _placed(definition["dest"], place)
        if not label.startswith("^") and placed != definition["dest"]:
            span = definition["span"]
            yield _Edit(
                span["start"],
                span["end"],
                f"[{label}]: {destination(placed) or '<>'}{_title(definition['title'] or '')}".encode(),
            )


def _placed(url: str, place: Place) -> str:
    return place(url) if safe(url) else ""


def _title(title: str) -> str:
    quoted = title.replace("\\", "\\\\").replace('"', '\\"')
    return f' "{quoted}"' if title else ""
