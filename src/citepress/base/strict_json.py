"""Strict JSON (RFC 8259; I-JSON, RFC 7493): every name of an object once, bounded depth, no extensions."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import orjson

from citepress.base import fast_json
from citepress.base.errors import CitepressError

DEPTH = 254
"""Objects and arrays inside one another."""
MOST_DUPLICATES = 10
"""Repeated names that are reported of one document."""
Location: TypeAlias = tuple[str | int, ...]
"""The names and places that lead to a value from the root."""
_HIDDEN_COLON = b"\\u003"
"""With what a string begins to write a colon as an escape."""


class JsonError(CitepressError, ValueError):
    """The bytes are not JSON in UTF-8, or are nested too deeply; the message completes "the body …"."""


class DuplicateNameError(JsonError):
    """An object has a name more than once; ``locations`` lists the first ones."""

    def __init__(self, locations: tuple[Location, ...]) -> None:
        super().__init__("names a member of an object more than once")
        self.locations = locations


@dataclass(frozen=True, slots=True)
class _Object:
    """An object with every member as it is written."""

    members: list[tuple[str, object]]


class _Step(NamedTuple):
    """A place in a document: a step from the one above.

    Siblings share what is above them, so that depth costs nothing.
    """

    above: "_Step | None"
    name: str | int


def loads(body: bytes) -> Any:  # noqa: ANN401  (JSON is any shape)
    """The value of a JSON text.

    Raises ``JsonError``, and ``DuplicateNameError`` where names are repeated; nothing else.

    The fast decoder keeps the last of two members and says nothing. But what it has read is written again with one
    colon for each member that is left, so only a text with more colons than that, or with escaped ones, is read a
    second time, slowly.
    """
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        cause = fast_json.cause_of(error)
        raise (cause if isinstance(cause, MemoryError) else JsonError("is not JSON")) from None
    if not isinstance(value, dict | list):
        return value
    try:
        written = orjson.dumps(value)
    except orjson.JSONEncodeError:
        raise JsonError(f"is nested deeper than {DEPTH} levels") from None
    if _HIDDEN_COLON not in body and body.count(b":") == written.count(b":"):
        return value
    if duplicates := _duplicates(body):
        raise DuplicateNameError(duplicates)
    return value


def unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An ``object_pairs_hook`` for callers that need no location of a name. Raises ``DuplicateNameError``."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise DuplicateNameError(tuple((name,) for name in _repeated(pairs)))
    return members


def _duplicates(body: bytes) -> tuple[Location, ...]:
    """Where names are repeated in a text that is known to be JSON of bounded depth.

    Numbers stay text, whatever their length.
    """
    value = json.loads(body, object_pairs_hook=_Object, parse_int=str, parse_float=str)
    locations: list[Location] = []
    waiting: list[tuple[_Step | None, object]] = [(None, value)]
    while waiting and len(locations) < MOST_DUPLICATES:
        step, here = waiting.pop()
        if isinstance(here, _Object):
            locations.extend(_location(_Step(step, name)) for name in _repeated(here.members))
        waiting.extend((_Step(step, name), inner) for name, inner in _inner(here) if isinstance(inner, _Object | list))
    return tuple(locations[:MOST_DUPLICATES])


def _location(step: _Step | None) -> Location:
    names: list[str | int] = []
    while step is not None:
        names.append(step.name)
        step = step.above
    return tuple(reversed(names))


def _repeated(members: list[tuple[str, Any]]) -> Iterator[str]:
    """Every name that is there more than once, once."""
    counts: dict[str, int] = {}
    for name, _ in members:
        counts[name] = counts.get(name, 0) + 1
    return (name for name, count in counts.items() if count > 1)


def _inner(value: object) -> Iterator[tuple[str | int, object]]:
    if isinstance(value, _Object):
        yield from reversed(value.members)
    elif isinstance(value, list):
        yield from reversed(list(enumerate(value)))
