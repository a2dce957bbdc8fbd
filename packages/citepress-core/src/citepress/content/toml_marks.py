"""Where the keys and values of a TOML document are, down to the items of its lists and inline tables."""

import re
from bisect import bisect_right

from citepress.content.value_marks import MAX_VALUE_DEPTH, LineColumn, Marks
from citepress.contract.refs import Location

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_NAME = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"(\[\[?)[ \t]*({_NAME})[ \t]*\]")
_KEY = re.compile(rf"({_NAME})[ \t]*=[ \t]*")
_PARTS = re.compile(_PART)
_GAP = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SCALAR = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'{3}.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[^,\]}#\n]+', re.DOTALL
)


def marks(text: str) -> Marks:
    """The locations in a document that can be parsed; in any other, of what comes before the mistake at least."""
    return _Reader(text).read()


class _Reader:
    """One pass over a document."""

    def __init__(self, text: str) -> None:
        self._text, self._marks = text, Marks()
        self._lines = [0, *(end.end() for end in re.finditer("\n", text))]
        self._tables: dict[Location, int] = {}
        """The number of the last table of each list of tables."""

    def read(self) -> Marks:
        """The locations of every key and value."""
        here: Location = ()
        at = self._gap(0)
        while at < len(self._text):
            if header := _HEADER.match(self._text, at):
                here = self._table(header)
                self._marks.keys.setdefault(here, self._mark(at))
                at = header.end()
            elif key := _KEY.match(self._text, at):
                at = self._pair(key, here, 0)
            rest = self._text.find("\n", at)
            at = self._gap(rest) if rest >= 0 else len(self._text)
        return self._marks

    def _table(self, header: re.Match[str]) -> Location:
        name: Location = _names(header[2])
        if header[1] == "[":
            return name
        self._tables[name] = self._tables.get(name, -1) + 1
        return (*name, self._tables[name])

    def _pair(self, key: re.Match[str], here: Location, depth: int) -> int:
        """Note a key with its value; give the character after both."""
        location = (*here, *_names(key[1]))
        self._marks.keys.setdefault(location, self._mark(key.start()))
        return self._value(key.end(), location, depth + 1)

    def _value(self, at: int, location: Location, depth: int) -> int:
        """Note a value and what is in it; give the character after it, or its own where it cannot be read."""
        self._marks.values.setdefault(location, self._mark(at))
        opening = self._text[at : at + 1]
        if opening in ("[", "{") and depth <= MAX_VALUE_DEPTH:
            return self._members(at, location, depth)
        scalar = _SCALAR.match(self._text, at)
        return scalar.end() if scalar else at

    def _members(self, at: int, location: Location, depth: int) -> int:
        """Note the items of a list, or the pairs of an inline table."""
        in_list, place = self._text[at] == "[", 0
        at = self._gap(at + 1)
        while self._text[at : at + 1] not in ("]", "}", ""):
            key = None if in_list else _KEY.match(self._text, at)
            if not in_list and key is None:
                return at
            end = self._pair(key, location, depth) if key else self._value(at, (*location, place), depth + 1)
            if end == at:
                return at
            at, place = self._gap(end), place + 1
            if self._text[at : at + 1] == ",":
                at = self._gap(at + 1)
        return at + 1

    def _gap(self, at: int) -> int:
        """The character after blanks and comments."""
        gap = _GAP.match(self._text, at)
        return gap.end() if gap else at

    def _mark(self, at: int) -> LineColumn:
        line = bisect_right(self._lines, at)
        return line, at - self._lines[line - 1] + 1


def _names(key: str) -> tuple[str, ...]:
    """The parts of a dotted key without their quotes."""
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in _PARTS.findall(key))
