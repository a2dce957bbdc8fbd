"""Strict JSON (RFC 8259; I-JSON, RFC 7493): every name of an object once, bounded size and depth, no extensions."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import orjson

from citepress.base import fast_json
from citepress.base.errors import CitepressError

MAX_JSON_DEPTH = 254
"""Objects and arrays inside one another."""
MAX_VALUES = 1000
"""Values that the body of a request may hold; an empty object or array counts as two."""
MAX_DUPLICATES = 10
"""Repeated names that are reported of one document."""
Location: TypeAlias = tuple[str | int, ...]
"""The names and places that lead to a value from the root."""
_HIDDEN_COLON = b"\\u003"
"""With what a string begins to write a colon as an escape."""
_OPENERS = b",[{"
"""Every value begins the text or follows one of these."""


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


def loads(body: bytes, *, max_values: int | None = MAX_VALUES) -> Any:  # noqa: ANN401  (JSON is any shape)
    """The value of a JSON text; ``max_values`` is ``None`` for texts that no client can send.

    Raises ``JsonError``, and ``DuplicateNameError`` where names are repeated; nothing else.

    The fast decoder keeps the last of two members and says nothing. But what it has read is written again with one
    colon for each member that is left, so only a text with more colons than that, or with escaped ones, is read a
    second time, slowly.
    """
    # Counted in the bytes, before anything is decoded: a text of 250 KB can hold 120,000 values, which take a decoder
    # a hundred times as long as the same bytes in one string. No text has more values than bytes.
    if max_values is not None and len(body) > max_values and count_values(body, max_values) > max_values:
        raise JsonError(f"holds more than {max_values:,} values")
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
        raise JsonError(f"is nested deeper than {MAX_JSON_DEPTH} levels") from None
    if _HIDDEN_COLON not in body and body.count(b":") == written.count(b":"):
        return value
    # Numbers stay text, whatever their length.
    members = json.loads(body, object_pairs_hook=_Object, parse_int=str, parse_float=str)
    if duplicates := tuple(islice(_duplicates(members), MAX_DUPLICATES)):
        raise DuplicateNameError(duplicates)
    return value


def count_values(text: bytes, max_values: int) -> int:
    """A bound on the values of a JSON text: at most ``max_values`` where the text holds no more than that.

    An empty object or array counts as two.
    """
    openers = len(text) - len(text.translate(None, _OPENERS))
    if openers >= max_values:
        # Some of them may be text. Each value takes four quotes at most (with its name), so the split is bounded too.
        most = 4 * max_values + 4
        parts = text.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"', most)
        if len(parts) > most:
            return max_values + 1
        outside = b"".join(parts[::2])
        openers = len(outside) - len(outside.translate(None, _OPENERS))
    return min(openers, max_values) + 1


def unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An ``object_pairs_hook`` for callers that need no location of a name. Raises ``DuplicateNameError``."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise DuplicateNameError(tuple((name,) for name in _repeated(pairs)))
    return members


def _duplicates(value: _Object | list[Any], at: Location = ()) -> Iterator[Location]:
    """Where names are repeated in a value of bounded depth, in the order of its text."""
    if isinstance(value, _Object):
        yield from ((*at, name) for name in _repeated(value.members))
    for step, inner in value.members if isinstance(value, _Object) else enumerate(value):
        if isinstance(inner, _Object | list):
            yield from _duplicates(inner, (*at, step))


def _repeated(members: list[tuple[str, Any]]) -> Iterator[str]:
    """Every name that is there more than once, once."""
    return (name for name, count in Counter(name for name, _ in members).items() if count > 1)
