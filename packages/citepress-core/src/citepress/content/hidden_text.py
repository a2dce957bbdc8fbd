"""Words of a text that its author hid: comments of HTML and of other tools, which no page, feed or index may hold."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pyromark

from citepress.content.privacy_rules import TEXT_RULES, TextRule

_SIGNS = ("<!--", "%%", "comment", "/*", "{#", "[//]", "COMMENT")
"""What a text holds that has any comment: the others are not parsed."""
_MARKDOWN_SIGNS = (b"<!--", b"[//]:")
_MARKDOWN_RULES = tuple(rule for rule in TEXT_RULES if rule.tools == "any" and not rule.to_the_end)
_HTML_COMMENT = re.compile(rb"<!--(?:.*?-->|.*\Z)", re.DOTALL)


class HiddenRange(NamedTuple):
    """Bytes of a text that are hidden."""

    start: int
    end: int


def hidden_ranges(text: str) -> tuple[HiddenRange, ...]:
    """The hidden parts of a text, in order; what is shown as code is no comment."""
    if not any(sign in text for sign in _SIGNS):
        return ()
    prose = without_code(text)
    return tuple(_whole_lines(prose, _joined(_ranges(prose, TEXT_RULES))))


def may_hold_comments(data: bytes) -> bool:
    """Whether a Markdown text, or JSON with one, holds the sign of a comment."""
    return any(sign in data for sign in _MARKDOWN_SIGNS) or b"[comment]:" in data.lower()


def without_comments(text: str) -> str:
    """The text of an archive, which is Markdown and of no other tool, without its comments."""
    if not may_hold_comments(text.encode()):
        return text
    prose = without_code(text)
    # A block of HTML may begin in a list or a quotation, and its comment then ends with the block at the latest.
    blocks = list(_comments_in_blocks(text))
    words = bytearray(prose)
    for start, end in blocks:
        words[start:end] = bytes(end - start)
    ranges = [*blocks, *_ranges(bytes(words), _MARKDOWN_RULES)]
    return without_hidden(text, tuple(_whole_lines(prose, _joined(ranges))))


def _comments_in_blocks(text: str) -> Iterator[HiddenRange]:
    data = text.encode()
    event: Any  # the parser's own union of dictionaries
    for event, span in pyromark.events_with_range(text):
        if isinstance(event, dict) and event.get("Start") == "HtmlBlock":
            for match in _HTML_COMMENT.finditer(data, span["start"], span["end"]):
                yield HiddenRange(*match.span())


def _ranges(prose: bytes, rules: Iterable[TextRule]) -> list[HiddenRange]:
    """What these rules hide in a text without its code."""
    ranges: list[HiddenRange] = []
    for rule in rules:
        at = 0
        while begin := rule.begins.search(prose, at):
            end = rule.ends.search(prose, begin.end())
            if end is None and not rule.to_the_end:
                break
            at = end.end() if end else len(prose)
            ranges.append(HiddenRange(begin.start(), at))
    return ranges


def without_hidden(text: str, ranges: tuple[HiddenRange, ...] | None = None) -> str:
    """The text without its hidden parts."""
    ranges = hidden_ranges(text) if ranges is None else ranges
    data = text.encode() if ranges else b""
    for start, end in reversed(ranges):
        data = data[:start] + data[end:]
    return data.decode() if ranges else text


def without_code(text: str) -> bytes:
    """The text with its code blanked out; every byte keeps its place."""
    data = bytearray(text.encode())
    event: Any  # the parser's own union of dictionaries
    for event, span in pyromark.events_with_range(text):
        opening = event.get("Start") if isinstance(event, dict) else None
        is_code = isinstance(event, dict) and "Code" in event
        if is_code or (isinstance(opening, dict) and "CodeBlock" in opening):
            data[span["start"] : span["end"]] = b"\0" * (span["end"] - span["start"])
    return bytes(data)


def _joined(ranges: list[HiddenRange]) -> list[HiddenRange]:
    """Ranges apart from each other, in order."""
    joined: list[HiddenRange] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1].end:
            joined[-1] = HiddenRange(joined[-1].start, max(end, joined[-1].end))
        else:
            joined.append(HiddenRange(start, end))
    return joined


def _whole_lines(prose: bytes, ranges: list[HiddenRange]) -> Iterator[HiddenRange]:
    """The ranges; one that takes whole lines takes the last one's end with it, unless it parted two paragraphs."""
    for start, end in ranges:
        line = prose.rfind(b"\n", 0, start) + 1
        alone = not prose[line:start].strip() and prose[end : end + 1] == b"\n"
        above, below = prose[:line].rpartition(b"\n")[0].rpartition(b"\n")[2], prose[end + 1 :].partition(b"\n")[0]
        parts = prose.startswith(b"<!--", start) and above.strip() and below.strip()
        yield HiddenRange(line, end if parts else end + 1) if alone else HiddenRange(start, end)
