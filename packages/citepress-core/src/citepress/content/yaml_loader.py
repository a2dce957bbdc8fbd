"""YAML as plain values: bounded, every key once, dates left as written, and the place of any value on request.

PyYAML's own constructor knows neither double keys nor bounds, so the values are built here from the events of libyaml.
"""

import math
import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any

import yaml

from citepress.content.text import position, unwanted_in
from citepress.content.value_marks import MAX_VALUE_DEPTH, NODES, LineColumn, Marks, ParseFault
from citepress.content.yaml_reasons import yaml_reason
from citepress.contract.fault import DUPLICATE_KEY
from citepress.contract.refs import Location

_WORDS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,3})?")
_NUMERIC = frozenset("-+.0123456789")

FIRST, LAST = 0, -1
"""Which value counts of a key that is given more than once."""

_unwanted_in_key = lru_cache(maxsize=1024)(unwanted_in)
"""The same for names of members, which every file repeats."""


class YamlFault(ParseFault):
    """The YAML cannot be read."""


def load(text: str, *, nodes: int = NODES, doubled: int | None = None) -> object:
    """The value of a YAML document: mappings, lists, text, numbers, booleans and ``None``. Raises ``YamlFault``.

    ``doubled``: which value of a key counts that is given more than once, ``FIRST`` or ``LAST``.
    """
    return _read(text, nodes, None, doubled=doubled)


def marks(text: str, *, nodes: int = NODES) -> Marks:
    """The location of every value in a YAML document, as far as it can be read."""
    marked = Marks()
    with suppress(YamlFault):
        _read(text, nodes, marked)
    return marked


def _read(text: str, nodes: int, marked: Marks | None, *, doubled: int | None = None) -> object:
    try:
        return _Builder(yaml.CSafeLoader(text).get_event, nodes, marked, doubled=doubled).document()
    except yaml.MarkedYAMLError as error:
        raise YamlFault(*yaml_reason(error, text)) from None
    except yaml.reader.ReaderError as error:
        raise YamlFault(position(text, error.position), f"the YAML cannot be read: {error.reason}") from None


def _mark(event: Any) -> LineColumn:  # noqa: ANN401
    return event.start_mark.line + 1, event.start_mark.column + 1


class _Builder:
    """Builds the value of one document; aliases share their value and count with its whole size."""

    def __init__(self, next_event: Callable[[], Any], nodes: int, marked: Marks | None, *, doubled: int | None) -> None:
        self.next_event = next_event
        self.left = nodes
        self.nodes = nodes
        self.marks = marked
        self.doubled = doubled
        self.anchors: dict[str, tuple[object, int] | None] = {}

    def document(self) -> object:
        self.next_event()
        if isinstance(self.next_event(), yaml.StreamEndEvent):
            return None
        value = self.value(self.next_event(), 0, ())
        self.next_event()
        if not isinstance(rest := self.next_event(), yaml.StreamEndEvent):
            raise YamlFault(_mark(rest), "a second YAML document begins here", "one file holds one document")
        return value

    def value(self, event: Any, depth: int, at: Location) -> object:  # noqa: ANN401  (PyYAML's events are loosely typed)
        if self.marks is not None:
            self.marks.values.setdefault(at, _mark(event))
        if type(event) is yaml.AliasEvent:
            return self.alias(event)
        before = self.left
        self.left -= 1
        if self.left < 0:
            raise self.spent(event)
        if anchor := event.anchor:
            self.anchors[anchor] = None
        if type(event) is yaml.ScalarEvent:
            value: object = _scalar(event)
        elif depth == MAX_VALUE_DEPTH:
            raise YamlFault(_mark(event), f"nested deeper than {MAX_VALUE_DEPTH} levels")
        elif event.tag is not None:
            raise _tagged(event)
        elif type(event) is yaml.SequenceStartEvent:
            value = self.sequence(depth + 1, at)
        else:
            value = self.mapping(depth + 1, at)
        if anchor:
            self.anchors[anchor] = value, before - self.left
        return value

    def sequence(self, depth: int, at: Location) -> list[object]:
        items: list[object] = []
        while type(event := self.next_event()) is not yaml.SequenceEndEvent:
            items.append(self.value(event, depth, (*at, len(items)) if self.marks is not None else at))
        return items

    def mapping(self, depth: int, at: Location) -> dict[str, object]:
        members: dict[str, object] = {}
        while type(event := self.next_event()) is not yaml.MappingEndEvent:
            if type(event) is not yaml.ScalarEvent:
                raise YamlFault(
                    _mark(event),
                    "a key is one word or line of text",
                    "put quotes around a value that begins with [ or {",
                )
            key = event.value
            if key in members and self.doubled is None:
                raise YamlFault(_mark(event), f"the key {key!r} is given twice", "keep one of them", DUPLICATE_KEY)
            if reason := _unwanted_in_key(key):
                raise YamlFault(_mark(event), f"the key {reason}")
            inside = (*at, key) if self.marks is not None else at
            if self.marks is not None:
                self.marks.keys[inside] = _mark(event)
            value = self.value(self.next_event(), depth, inside)
            if self.doubled != FIRST or key not in members:
                members[key] = value
        return members

    def alias(self, event: Any) -> object:  # noqa: ANN401
        anchored = self.anchors.get(event.anchor)
        if anchored is None:
            reason = "refers to itself" if event.anchor in self.anchors else "names no anchor"
            raise YamlFault(_mark(event), f"*{event.anchor} {reason}")
        self.left -= anchored[1]
        if self.left < 0:
            raise self.spent(event)
        return anchored[0]

    def spent(self, event: yaml.Event) -> YamlFault:
        return YamlFault(_mark(event), f"holds more than {self.nodes:,} values, aliases counted in full")


def _scalar(event: yaml.ScalarEvent) -> object:
    text: str = event.value
    if event.tag is not None and event.tag not in ("!", "tag:yaml.org,2002:str"):
        raise _tagged(event)
    if event.implicit[0]:
        return _plain(text)
    if event.style == '"' and (reason := unwanted_in(text)):
        raise YamlFault(_mark(event), f"the text {reason}")
    return text


def _plain(text: str) -> object:
    """A word without quotes: empty, true, false, a decimal number, or text.

    Dates stay text until a field reads them.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMERIC:
        if _INTEGER.fullmatch(text):
            return int(text)
        if len(text) <= 40 and _NUMBER.fullmatch(text) and math.isfinite(number := float(text)):  # noqa: PLR2004
            return number
    return text


def _tagged(event: Any) -> YamlFault:  # noqa: ANN401
    return YamlFault(_mark(event), f"the tag {event.tag} is not supported", "write the value without a tag")
