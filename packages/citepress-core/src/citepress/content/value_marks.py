"""What every front-matter parser returns: locations of keys and values, or where and why it failed; and its bounds."""

import math
import re
from collections.abc import Mapping

from citepress.base.errors import CitepressError
from citepress.content.text import unwanted_in
from citepress.contract.fault import BAD_YAML, FaultCode
from citepress.contract.refs import Location

MAX_VALUE_DEPTH = 24
"""Levels of lists and mappings in one text."""
NODES = 50_000
"""Values of one text."""
MAX_NUMBER_DIGITS = 18
"""Digits of a whole number; a longer one is text."""

LineColumn = tuple[int, int]
"""Line and column, both from 1."""


class ParseFault(CitepressError, ValueError):  # noqa: N818  (it becomes a Fault)
    """The text cannot be parsed: fault code, line, column, reason and a hint."""

    def __init__(self, mark: LineColumn, message: str, hint: str = "", code: FaultCode = BAD_YAML) -> None:
        super().__init__(message)
        self.code, self.mark, self.message, self.hint = code, mark, message, hint


class Marks:
    """The locations of the keys and values of one text."""

    def __init__(self) -> None:
        self.values: dict[Location, LineColumn] = {}
        self.keys: dict[Location, LineColumn] = {}

    def find(self, location: Location, *, key: bool = False) -> LineColumn:
        """The place of a value, or of its key; that of the nearest member around it where it has none."""
        while location:
            for table in (self.keys, self.values) if key else (self.values, self.keys):
                if location in table:
                    return table[location]
            location = location[:-1]
        return self.values.get((), (1, 1))


_BRACKETS = re.compile(
    r"""["]{3}(?:[^\\]|\\.)*?["]{3}|[']{3}.*?[']{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\#[^\n]*|[\[{]|[\]}]""", re.DOTALL
)
"""Texts and comments, which may hold any bracket, and the brackets outside of them."""


def too_deep(text: str) -> int:
    """Where a text of TOML or JSON opens more lists and mappings than may be, in characters; -1 where it does not.

    Their parsers call themselves for each, and would take the whole stack of the process.
    """
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth += (bracket[0] in "[{") - (bracket[0] in "]}")
        if depth > MAX_VALUE_DEPTH + 1:  # the header of a table takes two
            return bracket.start()
    return -1


def bounded(value: object, marks: Marks, code: FaultCode, nodes: int = NODES) -> object:
    """The value of another parser as ours gives them: bounded, numbers finite, text clean, everything else as text.

    Raises ``ParseFault`` of this code at the place of the value.
    """
    left = nodes

    def walk(value: object, at: Location, depth: int) -> object:
        nonlocal left
        left -= 1
        if left < 0:
            raise ParseFault(marks.find(at), f"holds more than {nodes:,} values", code=code)
        if depth > MAX_VALUE_DEPTH:
            raise ParseFault(marks.find(at), f"nested deeper than {MAX_VALUE_DEPTH} levels", code=code)
        if isinstance(value, Mapping):
            return {clean(str(key), at): walk(inner, (*at, str(key)), depth + 1) for key, inner in value.items()}
        if isinstance(value, list):
            return [walk(inner, (*at, place), depth + 1) for place, inner in enumerate(value)]
        return clean(value, at) if isinstance(value, str) else _scalar(value)

    def clean(text: str, at: Location) -> str:
        reason = unwanted_in(text) or ("" if _encodes(text) else "holds half a character")
        if reason:
            raise ParseFault(marks.find(at), f"the text {reason}", code=code)
        return text

    return walk(value, (), 0)


def _scalar(value: object) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 10**MAX_NUMBER_DIGITS else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
