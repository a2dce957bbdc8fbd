"""Raw HTML in a text: the subset that is passed on, tag by tag, in one canonical form.

Everything else goes or becomes text.

What is written here is made of names and values of our own lists and of escaped text, so nothing else can come
through. A page's HTML is cleaned once more as a whole by nh3; these lists are its lists too.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape, unescape
from typing import NamedTuple

from citepress.base.word_lists import word_list
from citepress.content.embeds import embedded_video

PASSED: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(word_list("citepress", "html elements passed on"), frozenset[str]()),
    "a": frozenset({"href", "title"}),
    "details": frozenset({"open"}),
    "img": frozenset({"src", "alt", "title", "width", "height"}),
    "td": frozenset({"colspan", "rowspan"}),
    "th": frozenset({"colspan", "rowspan"}),
    "time": frozenset({"datetime"}),
}
"""Elements that are passed on, and their attributes."""
RENAMED = {"tt": "code", "strike": "s", "acronym": "abbr"}
"""Former names of elements that are passed on."""
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
"""Become strong paragraphs: the headings of a page are those of its Markdown, which have anchors."""
LAYOUT = frozenset(word_list("citepress", "html layout elements"))
"""Elements whose tags go and whose text stays, which takes nothing from a reader."""
ACTIVE_ELEMENTS = frozenset(word_list("citepress", "html active elements"))
"""Elements that run, load or ask for something: their tags go."""
WITH_CONTENT = frozenset(word_list("citepress", "html elements dropped with their content"))
"""Those of them whose inside goes too."""
NUMBERS = frozenset({"width", "height", "colspan", "rowspan"})
ADDRESSES = {"a": "href", "img": "src"}
"""The attribute that holds an address."""
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*)"
    r"(?P<rest>(?:\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*)\s*/?>"
)
_ATTRIBUTE = re.compile(r"([A-Za-z_:][A-Za-z0-9_.:-]*)(?:\s*=\s*([^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?")
_ASIDE = re.compile(r"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<![A-Za-z][^>]*(?:>|\Z)", re.DOTALL)
"""Comments, instructions and declarations, which readers do not see."""


class Tag(NamedTuple):
    """A tag as it was written."""

    name: str
    """In small letters, under its present name."""
    closing: bool
    attributes: Mapping[str, str]
    """In small letters, with their characters."""
    start: int
    end: int


def tags(text: str) -> Iterator[Tag]:
    """Every tag of a piece of raw HTML, comments apart."""
    aside = [match.span() for match in _ASIDE.finditer(text)]
    for match in _TAG.finditer(text):
        if not any(start <= match.start() < end for start, end in aside):
            name = match["name"].lower()
            yield Tag(RENAMED.get(name, name), bool(match["close"]), _attributes(match["rest"]), *match.span())


def _attributes(rest: str) -> dict[str, str]:
    """Attributes by name; the first of a name counts, as in browsers."""
    attributes: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(rest):
        bare = value[1:-1] if value[:1] in ("'", '"') else value
        attributes.setdefault(name.lower(), unescape(bare))
    return attributes


def find_refused(text: str) -> str:
    """What of a piece of raw HTML a reader will miss, or see as text: the first tag of the kind, or a handler.

    Else nothing.
    """
    for tag in tags(text):
        if tag.closing and tag.name in ACTIVE_ELEMENTS:
            continue  # the tag that begins it is reported
        if embedded_video(tag.name, tag.attributes)[0]:
            continue
        if tag.name in ACTIVE_ELEMENTS:
            return f"<{tag.name}> is left out"
        if tag.name not in PASSED and tag.name not in HEADINGS and tag.name not in LAYOUT:
            return f"<{tag.name}> is not HTML and is shown as text"
        handler = next((name for name in tag.attributes if name.startswith("on")), "")
        if handler:
            return f"the attribute {handler} is left out"
    return ""


def canonical(text: str, safe: Callable[[str], bool]) -> str:
    """A piece of raw HTML as it is passed on; ``safe`` tells which addresses may stand.

    What it gives it leaves as it is.
    """
    parts: list[str] = []
    at = 0
    waiting = ""
    """The element whose inside is left out until it ends."""
    for tag in tags(text):
        if waiting:
            if tag.closing and tag.name == waiting:
                waiting, at = "", tag.end
            continue
        parts += (_words(text[at : tag.start]), write_tag(tag, safe, text))
        at = tag.end
        if tag.name in WITH_CONTENT and not tag.closing:
            waiting = tag.name
    return "".join(parts) if waiting else "".join((*parts, _words(text[at:])))


def without_tags(text: str) -> str:
    """The words that a piece of raw HTML leaves where there are no tags: those that a page shows."""
    return unescape(_TAG.sub("", canonical(text, lambda _: False)))


def removed_ranges(pieces: Sequence[tuple[str, int, int]]) -> list[tuple[int, int]]:
    """Where a text goes with an element: from the tag that begins it to the end of the next that closes it, in order.

    ``pieces`` are the raw HTML among the words of a text, each with its range; an empty one is a block, which ends
    the search.
    """
    ends: dict[str, int] = {}
    ranges: list[tuple[int, int]] = []
    for text, start, end in reversed(pieces):
        first = next(tags(text), None)
        if not text:
            ends = {}
        elif first and first.closing:
            ends[first.name] = end
        elif first and first.name in WITH_CONTENT and first.name in ends:
            ranges.append((start, ends[first.name]))
    apart: list[tuple[int, int]] = []
    for start, end in reversed(ranges):
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    return apart


def _words(text: str) -> str:
    """What stands between tags: no comment, and no bracket that could begin a tag."""
    return _ASIDE.sub("", text).replace("<", "&lt;")


def write_tag(tag: Tag, safe: Callable[[str], bool], text: str) -> str:
    """A tag as it is passed on; nothing for one that goes; its own text for what is no HTML.

    A link stands in for a video.
    """
    if tag.name in HEADINGS:
        return "</strong></p>" if tag.closing else "<p><strong>"
    url, words = ("", "") if tag.closing else embedded_video(tag.name, tag.attributes)
    if url and safe(url):
        return f'<a href="{escape(url)}">{escape(words)}</a>'
    if tag.name in LAYOUT or tag.name in ACTIVE_ELEMENTS or tag.name in WITH_CONTENT:
        return ""
    allowed = PASSED.get(tag.name)
    if allowed is None:
        return text[tag.start : tag.end].replace("<", "&lt;")
    if tag.closing:
        return f"</{tag.name}>"
    attributes = [
        f' {name}="{escape(value)}"' if value or name == "alt" else f" {name}"
        for name, value in _passed_attributes(tag, allowed, safe)
    ]
    return f"<{tag.name}{''.join(attributes)}>"


def _passed_attributes(tag: Tag, allowed: frozenset[str], safe: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    address = ADDRESSES.get(tag.name)
    for name, value in tag.attributes.items():
        if (
            name not in allowed
            or (name == address and not safe(value))
            or (name in NUMBERS and not re.fullmatch(r"[1-9][0-9]{0,4}", value))
        ):
            continue
        yield name, " ".join(value.split()) if name != address else value.strip()
