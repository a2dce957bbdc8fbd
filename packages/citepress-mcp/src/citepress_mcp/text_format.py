"""The text form of a JSON object: one ``name: value`` line per member, without loss of content."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

MAX_LINE_LIST_CHARS = 200
"""Maximum length of a list of words on one line."""
_BOOLEANS = {True: "true", False: "false"}
NO_TEXT: Mapping[str, Any] = {"none": True}
"""The text of an object without members."""
NO_VALUE = "none"
"""The text of a list without items; a list of just this word takes a line of its own."""
STEP = "  "
"""The indentation of a nested member."""


def as_text(members: Mapping[str, Any], last: str = "") -> str:
    """The members in order; the one called ``last`` is Markdown and stands at the end, after an empty line, as it is.

    Words of a list share a line, or have a ``- `` line each when they are long; objects of a list begin with ``- ``;
    further lines of a text are indented below its first.
    """
    lines: list[str] = []
    if last not in members:
        add(lines, members)
    else:
        add(lines, {name: value for name, value in members.items() if name != last})
        lines += ["", members[last]]
    return "\n".join(lines)


def add(lines: list[str], members: Mapping[str, Any], margin: str = "") -> None:
    """Add the lines of an object, each behind this margin."""
    for name, value in members.items():
        kind = type(value)
        if kind is str:
            lines.append(
                f"{margin}{name}: {value}" if "\n" not in value else f"{margin}{name}: {_folded(value, margin)}"
            )
        elif kind is list:
            words = ", ".join(value) if value and type(value[0]) is str else ""
            if (
                0 < len(words) <= MAX_LINE_LIST_CHARS
                and words.count(",") < len(value)
                and "\n" not in words
                and words != NO_VALUE
            ):
                lines.append(f"{margin}{name}: {words}")
            else:
                _list(lines, name, value, margin)
        elif kind is dict:
            lines.append(f"{margin}{name}:" if value else f"{margin}{name}: none")
            add(lines, value, margin + STEP)
        elif value is None:
            lines.append(f"{margin}{name}: null")
        else:
            lines.append(
                f"{margin}{name}: {value if kind is int else _BOOLEANS[value] if kind is bool else _word(value)}"
            )


def _list(lines: list[str], name: str, items: Sequence[Any], margin: str) -> None:
    if not items:
        lines.append(f"{margin}{name}: none")
        return
    if type(items[0]) is dict:
        lines.append(f"{margin}{name}:")
        inner = margin + STEP
        for item in items:
            start = len(lines)
            add(lines, item or NO_TEXT, inner)
            lines[start] = f"{margin}- {lines[start][len(inner) :]}"
        return
    words = [_word(item) for item in items]
    joined = ", ".join(words)
    if type(items[0]) is not str and len(joined) <= MAX_LINE_LIST_CHARS and "\n" not in joined:
        lines.append(f"{margin}{name}: {joined}")
        return
    lines.append(f"{margin}{name}:")
    lines.extend(f"{margin}- {_folded(word, margin)}" for word in words)


def _folded(text: str, margin: str) -> str:
    """A text of several lines, all but the first one indented below it."""
    return text.replace("\n", f"\n{margin}{STEP}")


def _word(value: object) -> str:
    """A value on one line, as JSON writes it; a text as it is."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()
