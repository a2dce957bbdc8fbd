"""Locates values in a file (line, column and text of the line) when a fault needs it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from citepress.content import json_loader, toml_loader, yaml_loader
from citepress.content.files import is_markdown, printable_path
from citepress.content.text import TextFault, decode, line_of, without_controls
from citepress.content.value_marks import Marks
from citepress.contract.fault import Span
from citepress.contract.refs import Location

FENCE = "---"
READ_AGAIN = 4_194_304
"""Bytes of a file that are read again for the place of a fault."""


@dataclass(frozen=True, slots=True)
class FrontMatterFormat:
    """A syntax of front matter: how it is parsed, and how its values are located."""

    name: str
    fence: str
    """The line above and below it; empty where it has none."""
    load: Callable[..., object]
    """The value of a text; takes ``nodes``, the most values. Raises ``ParseFault``."""
    marks: Callable[..., Marks]
    """The location of every value in a text."""

    @property
    def above(self) -> int:
        """Lines of the file above its text."""
        return 1 if self.fence else 0


YAML = FrontMatterFormat("YAML", FENCE, yaml_loader.load, yaml_loader.marks)
TOML = FrontMatterFormat("TOML", "+++", toml_loader.load, toml_loader.marks)
JSON = FrontMatterFormat("JSON", "", json_loader.load, json_loader.marks)


_NAMED = re.compile(r"---(?:ya?ml|toml|json|jsonc?5?|js|javascript|coffee|cson)|;;;(?:json)?")
"""A first line that names the language of the front matter, as gray-matter and Eleventy read it."""
_LANGUAGES = {"toml": replace(TOML, fence=FENCE), "json": replace(JSON, fence=FENCE)}
"""What is none of these is read as YAML, of which JSON is a part; it is never published as text."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file in its two parts; lines count from 1 in the file as a whole."""

    front: str | None
    """The text of the front matter; ``None`` where the file does not begin with one."""
    body: str
    """The text below, without blank lines at its ends."""
    body_line: int
    closed: bool = True
    format: FrontMatterFormat = YAML
    """How the front matter is written."""


def split(text: str) -> FrontMatter:
    """Front matter and body of a file.

    Front matter is YAML between ``---``, TOML between ``+++``, a JSON object, or what a language behind the first
    fence says (``---json``).
    """
    if text.startswith("{") and (end := json_loader.extent(text)):
        body, line = trimmed(text[end:], text.count("\n", 0, end) + 1)
        return FrontMatter(text[:end], body, line, format=JSON)
    first = text.partition("\n")[0].rstrip()
    form = next((form for form in (YAML, TOML) if form.fence == first), None)
    if form is None and _NAMED.fullmatch(first):
        form = replace(JSON, fence=";;;") if first[0] == ";" else _LANGUAGES.get(first.removeprefix(FENCE), YAML)
    return _fenced(text, form) if form else FrontMatter(None, *trimmed(text, 1))


def _fenced(text: str, form: FrontMatterFormat) -> FrontMatter:
    start = text.find("\n") + 1
    if start == 0:
        return FrontMatter("", "", 1, closed=False, format=form)
    at, width = start - 1, len(form.fence) + 1
    while (at := text.find(f"\n{form.fence}", at)) >= 0:
        end = text.find("\n", at + 1)
        if not text[at + width : len(text) if end < 0 else end].strip():
            front = text[start : at + 1]
            return FrontMatter(front, *trimmed(text[end + 1 :] if end >= 0 else "", front.count("\n") + 3), format=form)
        at += width
    return FrontMatter(text[start:], "", 1, closed=False, format=form)


def trimmed(body: str, line: int) -> tuple[str, int]:
    """A text that begins on a line without blank lines at its ends, and the line on which it then begins."""
    inside = body.lstrip("\n")
    return inside.rstrip(), line + len(body) - len(inside)


@lru_cache(maxsize=2)
def _marks(form: FrontMatterFormat, text: str) -> Marks:
    """The location of every value; cached, because one file often has many faults."""
    return form.marks(text)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the content folder whose values can be found again."""

    root: Path
    file: str

    def split(self, text: str) -> FrontMatter:
        """The front matter and text that its words are."""
        return split(text)

    def alias_place(self, _alias: str, place: int) -> Location:
        """Where its alias of this place in the list is written."""
        return "aliases", place

    def locate(self, location: Location, *, key: bool = False) -> Span:
        """The place of a front-matter value, or of its key; the file as a whole when it cannot be read again."""
        text = self._text()
        matter = self.split(text) if is_markdown(self.file) else None
        form, front, above = (
            (matter.format, matter.front, matter.format.above)
            if matter and matter.front
            else (YAML, "" if matter else text, 0)
        )
        line, column = _marks(form, front).find(location, key=key)
        return self.at(line + above, column, text) if text else Span(printable_path(self.file))

    @property
    def matter(self) -> FrontMatter:
        """Its front matter and text as they are written, read again."""
        return self.split(self._text())

    def at(self, line: int, column: int, text: str | None = None) -> Span:
        """The place at a line and column."""
        return Span(printable_path(self.file), line, column, line_of(self._text() if text is None else text, line))

    def _text(self) -> str:
        try:
            with (self.root / self.file).open("rb") as opened:
                return decode(without_controls(opened.read(READ_AGAIN))[0])
        except (OSError, TextFault):
            return ""
