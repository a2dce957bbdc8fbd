"""Editing front matter by inserting a few lines, so that everything else stays as its author wrote it, byte for byte."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from citepress.content import yamltext
from citepress.content.places import FENCE

Item = Mapping[str, str]
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
_OTHER_LINES = re.compile("[\x85\u2028\u2029]")
"""Line ends of YAML that no other tool counts."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


class Unpatchable(ValueError):  # noqa: N818  (an answer to the reviewer)
    """The front matter cannot be edited safely; the sentence says why."""


@dataclass(slots=True)
class _Member:
    """Where a top-level value stands: (line, column) pairs from 0 in the front matter."""

    key: tuple[int, int]
    event: Any
    """The event that begins the value."""
    end: tuple[int, int]
    """Where its last visible character ends."""
    first: Any = None
    """The event that begins its first item, if it is a sequence that has any."""
    last: tuple[int, int] = (0, 0)
    """Where its last item ends."""
    whole_line: bool = False
    """Whether the last item ends with its line already, as a block of text does."""


def edited(text: str, added: Mapping[str, Sequence[Item]], replaced: Mapping[str, str | int]) -> str:
    """The file with items added to lists of its front matter and the values of single keys replaced.

    Raises ``Unpatchable`` when the file has no front matter or its lists are written in a way that cannot be added to.
    The result is read back: it says what the file said before, and the additions, and nothing else.
    """
    lines: list[str] = _LINE.findall(text)
    close = next((place for place, line in enumerate(lines[1:], 1) if re.fullmatch(r"---\s*", line)), 0)
    if lines and lines[0].removeprefix("\ufeff").startswith(("+++", "{")):
        raise Unpatchable("the file has its front matter in TOML or JSON; edit the file by hand")
    if not close or not lines[0].removeprefix("\ufeff").startswith(FENCE):
        raise Unpatchable("the file has no front matter to write into")
    newline = "\r\n" if lines[0].endswith("\r\n") else "\n"
    front = [line.rstrip("\r\n") for line in lines[1:close]]
    ends = [line[len(line.rstrip("\r\n")) :] for line in lines[1:close]]
    if any(_OTHER_LINES.search(line) for line in front):
        raise Unpatchable("the front matter holds line separators that editors do not show; edit the file by hand")
    before = _read(front)
    for key, items in added.items():
        _add(front, ends, key, items, newline)
    for key, value in replaced.items():
        _replace(front, key, value)
    if _read(front) != _expected(before, added, replaced):
        raise Unpatchable("the front matter is written in a way that cannot be added to by itself; edit the file by hand")
    return "".join([lines[0], *(line + end for line, end in zip(front, ends, strict=True)), *lines[close:]])


def _read(front: Sequence[str]) -> dict[str, Any]:
    try:
        value = yamltext.load("\n".join(front) + "\n")
    except yamltext.YamlFault as error:
        raise Unpatchable(f"the front matter cannot be read: {error.message}") from None
    if not isinstance(value, dict):
        raise Unpatchable("the front matter is no mapping of keys to values")
    return value


def _expected(before: Mapping[str, Any], added: Mapping[str, Sequence[Item]], replaced: Mapping[str, str | int]) -> dict[str, Any]:
    return {**before, **replaced, **{key: [*(before.get(key) or []), *map(dict, items)] for key, items in added.items()}}


def _add(front: list[str], ends: list[str], key: str, items: Sequence[Item], newline: str) -> None:
    member = _members(front).get(key)
    if member is None:
        _insert(front, ends, len(front), [f"{key}:", *_block(items, "")], newline)
    elif isinstance(member.event, yaml.SequenceStartEvent) and member.event.flow_style:
        _add_to_flow(front, ends, member, items, newline)
    elif isinstance(member.event, yaml.SequenceStartEvent):
        line, column = member.first.start_mark.line, member.first.start_mark.column
        indent = front[line][: front[line].rfind("-", 0, column)]
        _insert(front, ends, member.last[0] + (not member.whole_line), _block(items, " " * len(indent)), newline)
    elif isinstance(member.event, yaml.ScalarEvent) and not member.event.value:
        _insert(front, ends, member.key[0] + 1, _block(items, ""), newline)
    else:
        raise Unpatchable(f"{key}: is no list that can be added to")


def _add_to_flow(front: list[str], ends: list[str], member: _Member, items: Sequence[Item], newline: str) -> None:
    if member.first is None:
        (line, start), (last, end) = (member.event.start_mark.line, member.event.start_mark.column), member.end
        if line != last:
            raise Unpatchable("an empty list is written over several lines")
        front[line] = front[line][:start].rstrip() + front[line][end:]
        _insert(front, ends, line + 1, _block(items, ""), newline)
        return
    line, column = member.last
    written = "".join(", {" + ", ".join(f"{name}: {_quoted(value)}" for name, value in item.items()) + "}" for item in items)
    front[line] = front[line][:column] + written + front[line][column:]


def _replace(front: list[str], key: str, value: str | int) -> None:
    event = _members(front)[key].event
    start, end = event.start_mark, event.end_mark
    if start.line != end.line:
        raise Unpatchable(f"{key}: is written over several lines")
    front[start.line] = front[start.line][: start.column] + str(value) + front[start.line][end.column :]


def _insert(front: list[str], ends: list[str], at: int, lines: Sequence[str], newline: str) -> None:
    front[at:at] = lines
    ends[at:at] = [newline] * len(lines)


def _block(items: Sequence[Item], indent: str) -> list[str]:
    return [
        f"{indent}{'  ' if place else '- '}{name}: {_written(value)}" for item in items for place, (name, value) in enumerate(item.items())
    ]


def _written(text: str) -> str:
    """The text as YAML: plain where that reads back the same, quoted otherwise."""
    try:
        if "\n" not in text and yamltext.load(f"key: {text}\n") == {"key": text}:
            return text
    except yamltext.YamlFault:
        pass
    return _quoted(text)


def _quoted(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _members(front: Sequence[str]) -> dict[str, _Member]:
    """Every top-level member by its key."""
    members: dict[str, _Member] = {}
    flows: list[bool] = []
    current: _Member | None = None
    key: Any = None
    event: Any  # PyYAML's events are loosely typed
    for event in yaml.parse("\n".join(front) + "\n", Loader=yaml.CSafeLoader):
        begins = isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent)
        closes = isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent)
        flow = flows.pop() if closes else False
        if len(flows) == 1 and not closes:
            if key is None:
                key = event
            else:
                current = members[key.value] = _Member((key.start_mark.line, key.start_mark.column), event, _end(event))
        elif len(flows) == 2 and current is not None and current.first is None and not closes:  # noqa: PLR2004  (inside the value)
            current.first = event
        _stretch(current, event, depth=len(flows), visible=flow or isinstance(event, yaml.ScalarEvent | yaml.AliasEvent))
        if begins:
            flows.append(bool(event.flow_style))
        elif len(flows) == 1 and current is not None and event is not key:
            key = current = None
    return members


def _stretch(current: _Member | None, event: Any, *, depth: int, visible: bool) -> None:  # noqa: ANN401
    """Let the present member reach to the end of an event that takes room."""
    if current is None or not visible:
        return
    current.end = _end(event)
    if depth > 1:
        current.last = current.end
        current.whole_line = isinstance(event, yaml.ScalarEvent) and event.style in ("|", ">")


def _end(event: Any) -> tuple[int, int]:  # noqa: ANN401
    return event.end_mark.line, event.end_mark.column
