"""The text form of a JSON object: one ``name: value`` line a member, so that everything in the object can be read from it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

SHORT = 200
"""Characters of a list of words that still stand on one line."""
_LINE = re.compile(rf"(?!none\Z)[^\n]{{1,{SHORT}}}")
"""A list of words on one line; ``none`` stands for an empty one."""
_BOOLEANS = {True: "true", False: "false"}
NOTHING: Mapping[str, Any] = {"none": True}
"""What an object without members is shown as."""
STEP = 2
"""Spaces by which a nested member is indented."""


def outline(members: Mapping[str, Any], last: str = "") -> str:
    """The members in order; the one called ``last`` is Markdown and stands at the end, after an empty line, as it is.

    Words of a list share a line, or have a ``- `` line each when they are long; objects of a list begin with ``- ``;
    further lines of a text are indented below its first.
    """
    lines: list[str] = []
    _object(lines, members, 0, last)
    if last in members:
        lines += ["", members[last]]
    return "\n".join(lines)


def _object(lines: list[str], members: Mapping[str, Any], depth: int, last: str = "") -> None:
    margin = " " * depth
    for name, value in members.items():
        kind = type(value)
        if kind is str:
            if name != last:
                lines.append(f"{margin}{name}: {value}" if "\n" not in value else f"{margin}{name}: {_folded(value, depth)}")
        elif kind is list:
            if value and type(value[0]) is str and _LINE.fullmatch(joined := ", ".join(value)) and joined.count(",") < len(value):
                lines.append(f"{margin}{name}: {joined}")
            else:
                _list(lines, name, value, depth)
        elif kind is dict:
            lines.append(f"{margin}{name}:" if value else f"{margin}{name}: none")
            _object(lines, value, depth + STEP)
        else:
            lines.append(f"{margin}{name}: {value if kind is int else _BOOLEANS[value] if kind is bool else _word(value)}")


def _list(lines: list[str], name: str, items: Sequence[Any], depth: int) -> None:
    margin = " " * depth
    if not items:
        lines.append(f"{margin}{name}: none")
        return
    if type(items[0]) is dict:
        lines.append(f"{margin}{name}:")
        for item in items:
            start = len(lines)
            _object(lines, item or NOTHING, depth + STEP)
            lines[start] = f"{margin}- {lines[start][depth + STEP :]}"
        return
    words = [_word(item) for item in items]
    if type(items[0]) is not str and _LINE.fullmatch(joined := ", ".join(words)):
        lines.append(f"{margin}{name}: {joined}")
        return
    lines.append(f"{margin}{name}:")
    lines.extend(f"{margin}- {_folded(word, depth)}" for word in words)


def _folded(text: str, depth: int) -> str:
    """A text of several lines, all but the first one indented below it."""
    return text.replace("\n", "\n" + " " * (depth + STEP))


def _word(value: object) -> str:
    """A value on one line, as JSON writes it; a text as it is."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()
