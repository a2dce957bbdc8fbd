"""JSON lines: one object a request, under the usual names of nginx logs or those that the publisher maps."""

from collections.abc import Callable, Mapping
from typing import Any

from citepress.base import fast_json
from citepress_telemetry.access_logs.line import (
    MAX_LOGGED_BYTES,
    Line,
    Parser,
    agent,
    form_of,
    header_value,
    host_of,
    member_names,
    moment,
    parse_request_line,
    parts,
)

FIELD_NAMES = member_names("jsonlines")
"""What is read from a line, and its possible names; the first one present is taken."""
MAX_VALUE_CHARS = 8_192
MAX_STATUS = 999
Object = Mapping[str, Any]


def jsonlines(fields: Mapping[str, str]) -> Parser:
    """A parser for these names.

    ``fields`` maps our names to the publisher's; a dot leads into an object (``http.status``).
    """
    names = {member: (fields[member],) if member in fields else usual for member, usual in FIELD_NAMES.items()}
    own = frozenset(fields.values())

    def parse(line: bytes) -> Line | None:
        record = read_object(line)
        return None if record is None else _line(record, lambda member: _value(record, names[member], own))

    return parse


def read_object(line: bytes) -> dict[str, Any] | None:
    """The object of a line."""
    try:
        record = fast_json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def text(value: object) -> bytes:
    """A text or number as bytes; of a list the first; empty for anything else."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, int) and not isinstance(value, bool):
        return b"%d" % value
    return value[:MAX_VALUE_CHARS].encode("utf-8", "replace") if isinstance(value, str) else b""


def whole(value: object, most: int) -> int | None:
    """A whole number, written as number or text, at most ``most``; ``None`` for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 20:  # noqa: PLR2004  (digits of 64 bits)
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return min(value, most) if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def line_of(  # noqa: PLR0913  (the fields of a request)
    ts: int | None,
    client: object,
    status: object,
    size: object,
    ask: tuple[str, bytes, bytes],
    *,
    referer: object,
    ua: object,
    kind: object,
    host: object,
) -> Line | None:
    """A line from the values of an object; ``None`` without time, status or request."""
    code = whole(status, MAX_STATUS)
    if ts is None or code is None or not ask[1]:
        return None
    return Line(
        ts,
        text(client).decode("utf-8", "replace"),
        *ask,
        code,
        whole(size, MAX_LOGGED_BYTES) or 0,
        header_value(text(referer)),
        agent(text(ua)),
        form_of(text(kind)),
        host_of(text(host).decode("utf-8", "replace")),
    )


def _line(record: Object, value: Callable[[str], object]) -> Line | None:
    request = text(value("request")) if not isinstance(record.get("request"), dict) else b""
    ask = parse_request_line(request) if request else parts(text(value("method")), text(value("target")))
    if not ask[2] and (query := header_value(text(value("query")))):
        ask = (*ask[:2], query)
    return line_of(
        moment(value("time")),
        value("client"),
        value("status"),
        value("bytes"),
        ask,
        referer=value("referer"),
        ua=value("agent"),
        kind=value("content_type"),
        host=value("host"),
    )


def _value(record: Object, names: tuple[str, ...], own: frozenset[str]) -> object:
    for name in names:
        if name in record:
            return record[name]
        if name in own and "." in name:
            return _inner(record, name)
    return None


def _inner(node: object, name: str) -> object:
    for step in name.split("."):
        node = node.get(step) if isinstance(node, dict) else None
    return node
