"""Edits front matter by inserting a few lines; everything else stays byte for byte as its author wrote it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from citepress.base.errors import CitepressError
from citepress.content import yaml_loader
from citepress.content.source_map import FENCE
from citepress.contract.refs import Location

PatchItem = Mapping[str, str]
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
_OTHER_LINES = re.compile("[\x85\u2028\u2029]")
"""Line ends of YAML that no other tool counts."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


class Unpatchable(CitepressError, ValueError):  # noqa: N818  (an outcome for the reviewer)
    """The front matter cannot be edited safely; the message says why."""


@dataclass(slots=True)
class _Member:
    """The position of a top-level value: (line, column) pairs, counted from 0, in the front matter."""

    key: tuple[int, int]
    event: Any
    """The event that begins the value."""
    end: tuple[int, int]
    """Where its last visible character ends."""
    first: Any = None
    """The event that begins its first item, if it is a non-empty sequence."""
    last: tuple[int, int] = (0, 0)
    """Where its last item ends."""
    whole_line: bool = False
    """Whether the last item includes its line end, as a block scalar does."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A file split into parts that join to the same bytes, but for the front matter that a plain note has not yet."""

    first: str
    """The line that opens the front matter."""
    front: tuple[str, ...]
    """The lines of the front matter without their ends."""
    ends: tuple[str, ...]
    close: str
    """The line that closes it."""
    below: str
    """Everything after it."""
    values: Mapping[str, Any]
    """The parsed front matter."""
    line: int
    """The number of the first line of ``below``, counted from 1 in the file as it is."""

    @property
    def newline(self) -> str:
        """How its lines end."""
        return "\r\n" if self.first.endswith("\r\n") else "\n"


def apart(text: str) -> Parts:
    """The parts of a file. Raises ``Unpatchable`` if its front matter cannot be edited."""
    lines: list[str] = _LINE.findall(text)
    close = next((place for place, line in enumerate(lines[1:], 1) if re.fullmatch(r"---\s*", line)), 0)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    if text.startswith((f"{mark}+++", f"{mark}{{")):
        raise Unpatchable("the file has its front matter in TOML or JSON; edit the file by hand")
    if not text.startswith(mark + FENCE):
        fence = FENCE + ("\r\n" if lines[0].endswith("\r\n") else "\n")
        return Parts(mark + fence, (), (), fence, text.removeprefix(mark), {}, 1)
    if not close:
        raise Unpatchable("the file begins with a rule and has no front matter to write into; edit the file by hand")
    front = tuple(line.rstrip("\r\n") for line in lines[1:close])
    ends = tuple(line[len(line.rstrip("\r\n")) :] for line in lines[1:close])
    if any(_OTHER_LINES.search(line) for line in front):
        raise Unpatchable("the front matter contains line separators that editors do not show; edit the file by hand")
    return Parts(lines[0], front, ends, lines[close], "".join(lines[close + 1 :]), _read(front), close + 2)


def edit_file(
    text: str,
    added: Mapping[str, Sequence[PatchItem]],
    replaced: Mapping[str, str | int],
    values: Mapping[Location, Any] | None = None,
    below: str | None = None,
) -> str:
    """The file with items added to lists of its front matter and single values of it replaced.

    ``replaced`` are values of top-level keys, ``values`` those at any location; ``below`` is the text after the front
    matter, if that changes. The result is parsed again and must equal the old front matter plus the changes. Raises
    ``Unpatchable`` if it does not.
    """
    parts = apart(text)
    front, ends = list(parts.front), list(parts.ends)
    expected = dict(parts.values)
    for location, value in (values or {}).items():
        expected = _with(expected, location, value)
        _set(front, ends, location, value, expected)
    for key, items in added.items():
        _add(front, ends, key, items, parts.newline)
    for key, value in replaced.items():
        _replace(front, key, value)
    if _read(front) != _expected(expected, added, replaced):
        raise Unpatchable(
            "the front matter is written in a way that cannot be edited automatically; edit the file by hand"
        )
    matter = "".join(line + end for line, end in zip(front, ends, strict=True))
    return "".join([parts.first, matter, parts.close, parts.below if below is None else below])


def _with(value: Any, location: Location, new: Any) -> Any:  # noqa: ANN401  (YAML is any shape)
    """A value with the one at a location in it replaced."""
    if not location:
        return new
    step, *rest = location
    if isinstance(value, list):
        return [_with(member, tuple(rest), new) if place == step else member for place, member in enumerate(value)]
    return {key: _with(member, tuple(rest), new) if key == step else member for key, member in value.items()}


def _set(front: list[str], ends: list[str], location: Location, value: Any, expected: Mapping[str, Any]) -> None:  # noqa: ANN401
    """Replace one scalar, in the first notation that parses to the expected front matter."""
    node = _node(yaml.compose("\n".join(front) + "\n", Loader=yaml.CSafeLoader), location)
    if not isinstance(node, yaml.ScalarNode):
        raise Unpatchable("the value is written in a way that cannot be changed automatically; edit the file by hand")
    start, end = node.start_mark, node.end_mark
    last, column = (end.line, end.column) if end.column else (end.line - 1, len(front[end.line - 1]))
    before, after = front[start.line][: start.column], front[last][column:]
    for way in _ways(front, node, value):
        lines = f"{before}{way}{after}".split("\n")
        changed = [*front[: start.line], *lines, *front[last + 1 :]]
        if _reads(changed) == expected:
            front[:] = changed
            ends[:] = [*ends[: start.line], *[ends[start.line]] * (len(lines) - 1), ends[last], *ends[last + 1 :]]
            return
    raise Unpatchable("the value is written in a way that cannot be changed automatically; edit the file by hand")


def _ways(front: Sequence[str], node: yaml.ScalarNode, value: Any) -> Iterator[str]:  # noqa: ANN401
    """Notations of a value, the one closest to the present notation first."""
    if not isinstance(value, str):
        yield json.dumps(value)
        return
    if node.style in ("|", ">"):
        start, first = node.start_mark, front[node.start_mark.line + 1]
        indent = first[: len(first) - len(first.lstrip(" "))]
        break_ = "\n" if node.style == "|" else "\n\n"
        text = value.rstrip("\n").replace("\n", break_).split("\n")
        yield "\n".join([front[start.line][start.column :], *(indent + line if line else "" for line in text)])
    if node.style == "'" and "\n" not in value:
        yield "'" + value.replace("'", "''") + "'"
    if node.style == '"':
        yield _quoted(value)
    yield _written(value)
    yield _quoted(value)


def _node(node: Any, location: Location) -> Any:  # noqa: ANN401  (PyYAML's nodes are loosely typed)
    """The node at a location, or ``None``."""
    for step in location:
        if isinstance(node, yaml.MappingNode):
            node = next((value for key, value in node.value if key.value == step), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
        else:
            return None
    return node


def _reads(front: Sequence[str]) -> dict[str, Any] | None:
    try:
        return _read(front)
    except Unpatchable:
        return None


def _read(front: Sequence[str]) -> dict[str, Any]:
    try:
        value = yaml_loader.load("\n".join(front) + "\n")
    except yaml_loader.YamlFault as error:
        raise Unpatchable(f"the front matter cannot be read: {error.message}") from None
    if not isinstance(value, dict):
        raise Unpatchable("the front matter is not a mapping of keys to values")
    return value


def _expected(
    before: Mapping[str, Any], added: Mapping[str, Sequence[PatchItem]], replaced: Mapping[str, str | int]
) -> dict[str, Any]:
    return {
        **before,
        **replaced,
        **{key: [*(before.get(key) or []), *map(dict, items)] for key, items in added.items()},
    }


def _add(front: list[str], ends: list[str], key: str, items: Sequence[PatchItem], newline: str) -> None:
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
        raise Unpatchable(f"{key}: is not a list that items can be added to")


def _add_to_flow(front: list[str], ends: list[str], member: _Member, items: Sequence[PatchItem], newline: str) -> None:
    if member.first is None:
        (line, start), (last, end) = (member.event.start_mark.line, member.event.start_mark.column), member.end
        if line != last:
            raise Unpatchable("an empty list is written over several lines")
        front[line] = front[line][:start].rstrip() + front[line][end:]
        _insert(front, ends, line + 1, _block(items, ""), newline)
        return
    line, column = member.last
    written = "".join(
        ", {" + ", ".join(f"{name}: {_quoted(value)}" for name, value in item.items()) + "}" for item in items
    )
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


def _block(items: Sequence[PatchItem], indent: str) -> list[str]:
    return [
        f"{indent}{'  ' if place else '- '}{name}: {_written(value)}"
        for item in items
        for place, (name, value) in enumerate(item.items())
    ]


def _written(text: str) -> str:
    """The text as YAML: plain if that parses to the same text, quoted otherwise."""
    try:
        if "\n" not in text and yaml_loader.load(f"key: {text}\n") == {"key": text}:
            return text
    except yaml_loader.YamlFault:
        pass
    return _quoted(text)


def _quoted(text: str) -> str:
    return _ESCAPED.sub(lambda escaped: f"\\u{ord(escaped[0]):04x}", json.dumps(text, ensure_ascii=False))


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
        _stretch(
            current, event, depth=len(flows), visible=flow or isinstance(event, yaml.ScalarEvent | yaml.AliasEvent)
        )
        if begins:
            flows.append(bool(event.flow_style))
        elif len(flows) == 1 and current is not None and event is not key:
            key = current = None
    return members


def _stretch(current: _Member | None, event: Any, *, depth: int, visible: bool) -> None:  # noqa: ANN401
    """Extend the current member to the end of a visible event."""
    if current is None or not visible:
        return
    current.end = _end(event)
    if depth > 1:
        current.last = current.end
        current.whole_line = isinstance(event, yaml.ScalarEvent) and event.style in ("|", ">")


def _end(event: Any) -> tuple[int, int]:  # noqa: ANN401
    return event.end_mark.line, event.end_mark.column
