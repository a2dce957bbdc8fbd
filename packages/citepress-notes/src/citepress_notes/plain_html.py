"""Raw HTML in an imported text: comments go, players become links, and nothing is left that a page would refuse."""

import re
from collections import Counter
from collections.abc import Iterator
from html import escape

from citepress.content import raw_html
from citepress.content.embeds import PLAYERS, embedded
from citepress.content.raw_html import Tag

_COMMENT = ("<!--", "-->")
_BLOCK = re.compile(
    r"</?(?:p|div|figure|center|table|tr|td|section|article|aside|header|footer|main|details|ul|ol|li|dl|h[1-6]|iframe|video|audio|embed)\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"(?<!\\)\[[^\[\]\n]{0,500}\](?:\([ \t]*|:[ \t]+)(<[^<>\n]{1,1000}>)(?=[ \t]*(?:\)|[\"'(]|$))", re.MULTILINE
)
"""An address between angle brackets, which may hold spaces, and is no element."""
OBSOLETE = frozenset({"blink", "bgsound", "basefont", "spacer", "noindex", "isindex", "plaintext", "dir", "menu"})
"""Elements that are no longer HTML, whose tags go."""


def without_comments(text: str) -> str:
    """The text without HTML comments."""
    begin, finish = _COMMENT
    if begin not in text:
        return text
    parts: list[str] = []
    at = 0
    while (start := text.find(begin, at)) >= 0:
        end = text.find(finish, start + 4)
        if end < 0:
            break
        parts.append(text[at:start])
        at = end + len(finish)
    return "".join((*parts, text[at:])).replace(begin, "&lt;!--")


def player(name: str, attributes: "dict[str, str]", source: str = "", *, html: bool = False) -> str:
    """The link in place of something that is played or embedded; as HTML where Markdown is not read."""
    url, words = embedded(name, attributes, source)
    if not url:
        return ""
    words = re.sub(r"[\[\]]", " ", words).strip()
    if html:
        return f'<a href="{escape(url)}">{escape(words)}</a>'
    return f"[{words}](<{url}>)" if re.search(r"[\s()<>]", url) else f"[{words}]({url})"


def _in_block(text: str, at: int) -> bool:
    """Whether a place is inside a block of HTML, which ends at an empty line."""
    before = text[text.rfind("\n\n", 0, at) + 1 : at].lstrip()
    match = _BLOCK.match(before)
    return match is not None and not match[0].lower().startswith(tuple(f"<{name}" for name in PLAYERS))


def harmless(text: str, counts: Counter[str]) -> str:
    """The text with HTML that a page passes on; ``counts`` counts the elements that were left out.

    Code has to be out of reach already.
    """
    if "<" not in text:
        return text
    return "".join(_pieces(text, counts))


def _pieces(text: str, counts: Counter[str]) -> Iterator[str]:
    at = 0
    waiting: Tag | None = None
    """The element that goes with its inside until it ends."""
    source = ""
    addresses = {match.start(1) for match in _ADDRESS.finditer(text)} if "](<" in text or "]: <" in text else set()
    tags = [tag for tag in raw_html.tags(text) if tag.start not in addresses]
    last = {tag.name: place for place, tag in enumerate(tags) if tag.closing}
    for place, tag in enumerate(tags):
        if waiting:
            if tag.name == "source" and not source:
                source = tag.attributes.get("src", "")
            if tag.closing and tag.name == waiting.name:
                if waiting.name in PLAYERS:
                    yield player(waiting.name, dict(waiting.attributes), source, html=_in_block(text, waiting.start))
                waiting, at, source = None, tag.end, ""
            continue
        yield text[at : tag.start]
        at = tag.end
        with_inside = tag.name in raw_html.WITH_CONTENT or tag.name in PLAYERS
        if with_inside and not tag.closing:
            counts[tag.name] += 1
            if last.get(tag.name, -1) > place:
                waiting = tag
            elif tag.name in PLAYERS:
                yield player(tag.name, dict(tag.attributes), html=_in_block(text, tag.start))
        else:
            yield _written(tag, text, counts)
    yield text[at:]


def _written(tag: Tag, text: str, counts: Counter[str]) -> str:
    """A tag as it stays."""
    written = text[tag.start : tag.end]
    passed = tag.name in raw_html.PASSED or tag.name in raw_html.HEADINGS or tag.name in raw_html.LAYOUT
    if not passed:
        if tag.name in raw_html.ACTIVE_ELEMENTS or "-" in tag.name or tag.name in OBSOLETE:
            counts[tag.name] += not tag.closing
            return ""
        return escape(written, quote=False)
    if any(name.startswith("on") for name in tag.attributes):
        return raw_html.write_tag(tag, lambda _: True, text)
    return written
