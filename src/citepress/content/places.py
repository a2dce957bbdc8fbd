"""Where a value stands in a file: line, column and the text of the line, worked out when a fault needs it."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from citepress.content import yamltext
from citepress.content.files import shown
from citepress.content.text import TextFault, decode, line_of
from citepress.contract.fault import Place
from citepress.contract.refs import Location

FENCE = "---"
READ_AGAIN = 4_194_304
"""Bytes of a file that are read again for the place of a fault."""


@dataclass(frozen=True, slots=True)
class Matter:
    """A file in its two parts; lines count from 1 in the file as a whole."""

    front: str | None
    """The YAML between the ``---`` lines; ``None`` where the file does not begin with one."""
    body: str
    """The text below, without blank lines at its ends."""
    body_line: int
    closed: bool = True


def split(text: str) -> Matter:
    """Front matter and body of a file."""
    if not text.startswith(FENCE) or text[3 : (text + "\n").find("\n")].strip():
        return Matter(None, *_trimmed(text, 1))
    start = text.find("\n") + 1
    if start == 0:
        return Matter("", "", 1, closed=False)
    at = start - 1
    while (at := text.find("\n---", at)) >= 0:
        end = text.find("\n", at + 1)
        if not text[at + 4 : len(text) if end < 0 else end].strip():
            front = text[start : at + 1]
            return Matter(front, *_trimmed(text[end + 1 :] if end >= 0 else "", front.count("\n") + 3))
        at += 4
    return Matter(text[start:], "", 1, closed=False)


def _trimmed(body: str, line: int) -> tuple[str, int]:
    inside = body.lstrip("\n")
    return inside.rstrip(), line + len(body) - len(inside)


_marks = lru_cache(maxsize=2)(yamltext.marks)
"""One file often has many faults."""


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A file of the content folder whose values can be found again."""

    root: Path
    file: str

    def locate(self, location: Location, *, key: bool = False) -> Place:
        """The place of a front-matter value, or of its key; the file as a whole when it cannot be read again."""
        text = self._text()
        front = 1 if (is_page := self.file.endswith(".md")) else 0
        yaml = (split(text).front or "") if is_page else text
        line, column = _marks(yaml).find(location, key=key)
        return self.at(line + front, column, text) if text else Place(shown(self.file))

    def at(self, line: int, column: int, text: str | None = None) -> Place:
        """The place at a line and column."""
        return Place(shown(self.file), line, column, line_of(self._text() if text is None else text, line))

    def _text(self) -> str:
        try:
            with (self.root / self.file).open("rb") as opened:
                return decode(opened.read(READ_AGAIN))
        except (OSError, TextFault):
            return ""
