"""Words of a text that its author hid: comments of Markdown, which no page, feed or index may hold."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyromark


@dataclass(frozen=True, slots=True)
class TextRule:
    """Words of a text that a tool does not show."""

    shown: str
    tools: str
    begins: re.Pattern[bytes]
    ends: re.Pattern[bytes]
    to_the_end: bool = False
    """Whether it hides the rest of the text where it is not closed."""


HTML_COMMENT = TextRule("a comment of HTML", "any", re.compile(rb"(?<!\\)<!--"), re.compile(b"-->"))
LINK_COMMENT = TextRule(
    "`[//]: # (hidden)`",
    "any",
    re.compile(rb"^ {0,3}\[(?://|comment)\]:[ \t]*(?:#|<>)[ \t]*", re.MULTILINE | re.IGNORECASE),
    re.compile(rb"(?=\n|\Z)"),
)
_MARKDOWN_SIGNS = (b"<!--", b"[//]:")
_IN_BLOCK = re.compile(rb"<!--(?:.*?-->|.*\Z)", re.DOTALL)


class HiddenRange(NamedTuple):
    """Bytes of a text that are hidden."""

    start: int
    end: int


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
    ranges = [*blocks, *_ranges(bytes(words), (HTML_COMMENT, LINK_COMMENT))]
    return without_ranges(text, tuple(_whole_lines(prose, _joined(ranges))))


def _comments_in_blocks(text: str) -> Iterator[HiddenRange]:
    data = text.encode()
    event: Any  # the parser's own union of dictionaries
    for event, span in pyromark.events_with_range(text):
        if isinstance(event, dict) and event.get("Start") == "HtmlBlock":
            for match in _IN_BLOCK.finditer(data, span["start"], span["end"]):
                yield HiddenRange(*match.span())


def ranges_of(prose: bytes, rules: Iterable[TextRule]) -> tuple[HiddenRange, ...]:
    """What these rules hide in a text without its code, in order."""
    return tuple(_whole_lines(prose, _joined(_ranges(prose, rules))))


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


def without_ranges(text: str, ranges: tuple[HiddenRange, ...]) -> str:
    """The text without these parts."""
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
