"""TOML as plain values: bounded, dates as they are written in RFC 3339, and the place of any value on request."""

import re
import tomllib

from citepress.content import toml_marks
from citepress.content.text import position
from citepress.content.value_marks import MAX_VALUE_DEPTH, NODES, LineColumn, Marks, ParseFault, bounded, too_deep
from citepress.contract.fault import BAD_FRONT, DUPLICATE_KEY, FaultCode

DOTS = 1_000
"""Dots of one line: the parser takes the square of the parts of a dotted key."""
_AT = re.compile(r"\s*\(at line (\d+), column (\d+)\)|\s*\(at end of document\)")
_TWICE = ("cannot overwrite a value", "cannot declare", "twice")


def load(text: str, *, nodes: int = NODES, code: FaultCode = BAD_FRONT) -> dict[str, object]:
    """The value of a TOML document: mappings, lists, text, numbers, booleans; dates as text. Raises ``ParseFault``."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > DOTS:
            raise ParseFault((number, 1), f"holds more than {DOTS:,} dots in one line", code=code)
    if (deep := too_deep(text)) >= 0:
        raise ParseFault(position(text, deep), f"nested deeper than {MAX_VALUE_DEPTH} levels", code=code)
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _worded(text, str(error), code) from None
    except ValueError:  # a number of thousands of digits
        raise ParseFault((1, 1), "the TOML cannot be read: a number is too long", code=code) from None
    table = bounded(value, marks(text), code, nodes)
    return table if isinstance(table, dict) else {}


def marks(text: str, *, nodes: int = NODES) -> Marks:  # noqa: ARG001  (as of every format)
    """The locations of keys and values in a TOML document."""
    return toml_marks.marks(text)


def _worded(text: str, message: str, code: FaultCode) -> ParseFault:
    at = _AT.search(message)
    mark: LineColumn = (int(at[1]), int(at[2])) if at and at[1] else position(text, len(text.rstrip("\n")))
    reason = _AT.sub("", message).strip().lower()
    if code is BAD_FRONT and any(words in reason for words in _TWICE):
        return ParseFault(mark, f"the TOML cannot be read: {reason}", "keep one of them", DUPLICATE_KEY)
    return ParseFault(mark, f"the TOML cannot be read: {reason}", _hint(text, mark), code)


def _hint(text: str, mark: LineColumn) -> str:
    """What to write instead, where the line shows that YAML was meant."""
    line = text.split("\n")[mark[0] - 1]
    return (
        "write key = value; text goes in quotes" if re.match(r"\s*[\w-]+\s*(?::|=\s*[^\s\"'\[{0-9+tf-])", line) else ""
    )
