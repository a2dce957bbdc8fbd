"""Front matter in the notation of one tool: lines of Pelican and Logseq, and fences of Hexo."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from citepress.content import json_loader
from citepress.content.source_map import YAML, FrontMatter, FrontMatterFormat, split, trimmed
from citepress.content.value_marks import NODES, Marks, ParseFault
from citepress.contract.fault import DUPLICATE_KEY
from citepress_notes.lenient_values import words
from citepress_notes.script_front import FIRST_LINES, SCRIPT

MAX_METADATA_LINES = 60
_LINE = re.compile(r"([A-Za-z][\w -]{0,60}):(?:[ \t]+(.*)|[ \t]*)$")
_PAGE_PROPERTIES = re.compile(
    r"\s*(?!- (?:[^\n]*\n[ \t]+){0,20}template::)(?:- )?(?:[ \t]*[A-Za-z][\w.-]{0,60}::[^\n]*(?:\n|\Z)){1,60}"
)
_PROPERTY = re.compile(r"^(?:- )?[ \t]*([A-Za-z][\w.-]{0,60})::([^\n]*)", re.MULTILINE)
LISTED = ("tags", "alias", "aliases", "authors")
"""Properties whose values are lists."""
_HEXO_FENCED = re.compile(
    r"(?P<begin>(?P<mark>[-;])(?P=mark){2,})[ \t]*\n(?P<front>.{0,20000}?\n)(?P<end>(?P=begin))[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_HEXO_OPEN = re.compile(r"(?P<begin>)(?P<front>.{1,20000}?\n)(?P<end>-{3,}|;{3,})[ \t]*(?:\n|\Z)", re.DOTALL)
_HEXO_KEY = re.compile(r"\s*(?:\"[^\"\n]{1,60}\"|[\w-]{1,60})[ \t]*:(?:\s|$)")
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


def split_note(text: str, *, metadata: str) -> FrontMatter:
    """Front matter and body of a file, in the usual notation or in that of the tool ``metadata``."""
    matter = split(text)
    if matter.front is not None and text.partition("\n")[0].rstrip() in FIRST_LINES:
        return replace(matter, format=SCRIPT)
    if matter.front is not None and matter.closed and not (metadata == "hexo" and text.startswith(";;;")):
        return matter
    if metadata == "hexo":
        return _of_hexo(text) or matter
    if metadata == "logseq" and (match := _PAGE_PROPERTIES.match(text)):
        return FrontMatter(match[0], *trimmed(text[match.end() :], match[0].count("\n") + 1), format=PROPERTIES)
    if metadata == "pelican" and (end := extent(text)):
        return FrontMatter(text[:end], *trimmed(text[end:], text.count("\n", 0, end) + 1), format=METADATA_LINES)
    return matter


def read_leniently(text: str, metadata: str) -> tuple[Mapping[str, Any] | None, str]:
    """Front matter and text of a file; ``None`` for a front matter that cannot be read."""
    matter = split_note(text.lstrip("\ufeff\n"), metadata=metadata)
    if matter.front is None:
        return {}, matter.body
    try:
        members = matter.format.load(matter.front)
    except ParseFault:
        return None, matter.body
    return (members if isinstance(members, dict) else {}) if matter.closed else None, matter.body


def _of_hexo(text: str) -> FrontMatter | None:
    """Front matter without an opening line, or between longer fences; before ``;;;`` it is JSON without braces."""
    match = _HEXO_FENCED.match(text) or _HEXO_OPEN.match(text)
    if match is None or not _HEXO_KEY.match(match["front"]):
        return None
    form = _BARE_JSON if match["end"][0] == ";" else YAML
    form = form if match["begin"] else replace(form, fence="")
    try:
        if not isinstance(form.load(match["front"]), dict):
            return None
    except ParseFault as error:
        if error.code is not DUPLICATE_KEY:
            return None
    return FrontMatter(match["front"], *trimmed(text[match.end() :], match[0].count("\n") + 1), format=form)


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


def _properties(text: str, *, nodes: int = NODES) -> dict[str, object]:  # noqa: ARG001  (as of every format)
    """The properties of a page of Logseq, by keys in lower case."""
    members: dict[str, object] = {}
    for match in _PROPERTY.finditer(text):
        value = re.sub(r"\[\[|\]\]", "", (match[2] or "").strip())
        listed = [part.strip().lstrip("#") for part in value.split(",") if part.strip()]
        members[match[1].lower()] = listed if match[1].lower() in LISTED else value
    return members


def _property_marks(text: str, *, nodes: int = NODES) -> Marks:  # noqa: ARG001
    marked = Marks()
    for number, line in enumerate(text.split("\n"), 1):
        if match := _PROPERTY.match(line):
            marked.keys.setdefault((match[1].lower(),), (number, match.start(1) + 1))
            marked.values.setdefault((match[1].lower(),), (number, max(match.start(2), 0) + 1))
    return marked


METADATA_LINES = FrontMatterFormat("metadata lines", "", load, marks)
PROPERTIES = FrontMatterFormat("properties", "", _properties, _property_marks)
_BARE_JSON = FrontMatterFormat(
    "JSON",
    ";;;",
    lambda text, **more: json_loader.load(f"{{{text}}}", **more),
    lambda text: json_loader.marks(f"{{{text}}}"),
)
