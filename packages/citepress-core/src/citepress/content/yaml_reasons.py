"""Why a text is not YAML, where the author's slip is rather than where the parser gave up, and what to write."""

from contextlib import suppress
from typing import Any

import yaml

from citepress.content.text import line_of
from citepress.content.value_hints import TYPOGRAPHIC_QUOTES
from citepress.content.value_marks import LineColumn

_OPENED = {
    "while scanning a quoted scalar": "quote",
    "while parsing a flow sequence": "[",
    "while parsing a flow mapping": "{",
}
"""What the parser was in, and what opens it."""
_CLOSED_BY = {"quote": "the same quote", "[": "]", "{": "}"}
_HINTS = {
    "alphabetic or numeric character": "put quotes around a value that begins with * or &",
    "unknown escape character": "write two backslashes for one, or put '…' around the value",
    "expected <document start>": "begin every key at the start of its line",
    "expected '-' indicator": "begin each item of a list with `- `, or each line of a mapping with its key",
}
Reason = tuple[LineColumn, str, str]
"""Place, message and hint."""


def yaml_reason(error: yaml.MarkedYAMLError, text: str) -> Reason:
    """The reason for the author."""
    problem = error.problem or "the text is not YAML"
    mark = error.problem_mark or error.context_mark
    at = _place(mark) if mark else (1, 1)
    opened = _OPENED.get(error.context or "")
    if opened and error.context_mark and error.context_mark.line != at[0] - 1:
        hint = f"close it with {_CLOSED_BY[opened]}"
        return _place(error.context_mark), f"the {opened} that opens here is not closed", hint
    line = line_of(text, at[0])
    character = line[at[1] - 1 : at[1]]
    if "tab character" in problem or character == "\t":
        return at, "the line is indented with a tab", "indent it with spaces"
    if "cannot start any token" in problem:
        return at, f"a value cannot begin with {character}", "put quotes around it"
    if "expected key" in problem and (quoted := _quoted_before(text, mark)):
        return _after_quotes(quoted, at)
    if "mapping values are not allowed" in problem:
        return _colon(text, line, at)
    context = f" ({error.context})" if error.context else ""
    hint = next((hint for words, hint in _HINTS.items() if words in problem), "look at the line above too")
    return at, f"the YAML cannot be read: {problem}{context}", hint


def _place(mark: Any) -> LineColumn:  # noqa: ANN401  (PyYAML's marks are loosely typed)
    return mark.line + 1, mark.column + 1


def _quoted_before(text: str, mark: Any) -> Any:  # noqa: ANN401
    """The value in quotes that ends on the line of a mark, before it; nothing where none does."""
    last: Any = None
    with suppress(yaml.YAMLError):
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            last = event
    is_quoted = isinstance(last, yaml.ScalarEvent) and last.style in ("'", '"')
    return last if is_quoted and last.end_mark.line == mark.line else None


def _after_quotes(quoted: Any, at: LineColumn) -> Reason:  # noqa: ANN401
    """What follows a value in quotes, which therefore end too early or too late."""
    if quoted.start_mark.line != quoted.end_mark.line:
        return _place(quoted.start_mark), "the quote that opens here is not closed on its line", "close it"
    mark = quoted.style
    hint = "write '' for an apostrophe" if mark == "'" else 'write \\" for a quote'
    other = '"…"' if mark == "'" else "'…'"
    return at, "the value goes on behind its quotes", f"{hint} inside of the quotes, or put {other} around the value"


def _colon(text: str, line: str, at: LineColumn) -> Reason:
    """A colon where no key can be: in a value, or behind a line that is no key with its value."""
    value = line.partition(":")[2].strip()
    if value[:1] and value[0] in TYPOGRAPHIC_QUOTES:
        column = line.index(value) + 1
        return (at[0], column), f"{value[0]} is a typographic quote, which quotes nothing here", 'write "…"'
    above = line_of(text, at[0] - 1).rstrip()
    if line.find(":") == at[1] - 1 and above and ": " not in above and above[-1] != ":":
        hint = "write a space after the colon" if ":" in above else "a key and its value are written `key: value`"
        return (at[0] - 1, 1), "the line is not a key with its value", hint
    return at, "a colon with a space behind it is in a value", 'put quotes around a value that holds ": "'
