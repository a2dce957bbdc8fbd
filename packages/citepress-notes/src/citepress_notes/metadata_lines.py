"""Lines above a text that are its front matter, as Pelican and MultiMarkdown write it (``Title: …``)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from citepress.content.source_map import FrontMatter, FrontMatterFormat, split, trimmed
from citepress.content.value_marks import NODES, Marks
from citepress_notes.lenient_values import words

MAX_METADATA_LINES = 60
_LINE = re.compile(r"([A-Za-z][\w -]{0,60}):(?:[ \t]+(.*)|[ \t]*)$")
_MORE = re.compile(r"^(?: {4,}|\t)(\S.*)$")
_FENCE = re.compile(r"(?:-{3}|\.{3})[ \t]*$")
"""A line that may stand above or below them."""


class _MetadataLine(NamedTuple):
    number: int
    """From 1."""
    key: str
    """In lower case."""
    value: str
    column: int
    """Of the value, from 1."""
    last: int
    """The number of the last line of the value."""


def split_note(text: str, *, metadata: bool) -> FrontMatter:
    """Front matter and body of a file; where the tool of the folder has them (``metadata``), such lines too."""
    matter = split(text)
    if metadata and (matter.front is None or not matter.closed) and (end := extent(text)):
        return FrontMatter(text[:end], *trimmed(text[end:], text.count("\n", 0, end) + 1), format=METADATA_LINES)
    return matter


def extent(text: str) -> int:
    """The characters of a text that are such lines; 0 where it begins with none."""
    lines = text.split("\n", MAX_METADATA_LINES + 1)
    last = max((line.last for line in _lines(text)), default=0)
    below = 0 < last < len(lines) and _FENCE.match(lines[last])
    return min(len(text), sum(len(line) + 1 for line in lines[: last + bool(below)]))


def load(text: str, *, nodes: int = NODES) -> dict[str, object]:  # noqa: ARG001  (as of every format)
    """The members that the lines name, by keys in lower case; of a key that is given twice, all values count."""
    members: dict[str, Any] = {}
    for line in _lines(text):
        members[line.key] = f"{members[line.key]}, {line.value}" if members.get(line.key) else line.value
    return with_lists(members)


def marks(text: str, *, nodes: int = NODES) -> Marks:  # noqa: ARG001  (as of every format)
    """The location of every key and value."""
    marked = Marks()
    for line in _lines(text):
        marked.keys.setdefault((line.key,), (line.number, 1))
        marked.values.setdefault((line.key,), (line.number, line.column))
    return marked


def with_lists(members: Mapping[str, Any]) -> dict[str, Any]:
    """Members with tags and authors as lists, and with the category as one topic, whatever spaces it has."""
    listed = dict(members)
    for key in ("tags", "authors"):
        if isinstance(listed.get(key), str):
            listed[key] = [word.strip() for word in re.split("[,;]", listed[key]) if word.strip()]
    if category := words(listed.pop("category", None)):
        listed["categories"] = [category]
    return listed


def _lines(text: str) -> Iterator[_MetadataLine]:
    """The lines above a text, each with the indented ones that go on with its value."""
    current: _MetadataLine | None = None
    for number, line in enumerate(text.split("\n", MAX_METADATA_LINES)[:MAX_METADATA_LINES], 1):
        match, more = _LINE.match(line), _MORE.match(line)
        if match:
            if current:
                yield current
            current = _MetadataLine(
                number, match[1].strip().lower(), (match[2] or "").strip(), max(match.start(2), 0) + 1, number
            )
        elif more and current:
            current = current._replace(value=f"{current.value} {more[1].strip()}".strip(), last=number)
        elif current or (line.strip() and not _FENCE.match(line)):
            break
    if current:
        yield current


METADATA_LINES = FrontMatterFormat("metadata lines", "", load, marks)
