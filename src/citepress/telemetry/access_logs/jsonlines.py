"""JSON lines: one object a request, under the names that nginx's logs usually have, or under those that the publisher maps."""

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from citepress.telemetry.access_logs.line import MOST_BYTES, Line, Parser, agent, asked, form_of, host_of, moment, parts, said

NAMES: Mapping[str, tuple[str, ...]] = {
    "time": ("time_iso8601", "time_local", "msec", "time", "timestamp", "@timestamp", "ts"),
    "client": ("remote_addr", "client_ip", "clientip", "remote_ip", "client"),
    "request": ("request",),
    "method": ("request_method", "method"),
    "target": ("request_uri", "uri", "url", "path"),
    "query": ("args", "query_string"),
    "status": ("status", "response"),
    "bytes": ("body_bytes_sent", "bytes_sent", "bytes", "size"),
    "referer": ("http_referer", "referer", "referrer"),
    "agent": ("http_user_agent", "user_agent", "agent"),
    "content_type": ("sent_http_content_type", "content_type"),
    "host": ("host", "http_host", "server_name"),
}
"""What is read of a line, and the names that it goes by; the first that the line has is taken."""
LONGEST = 8_192
MOST_STATUS = 999
Object = Mapping[str, Any]


def jsonlines(fields: Mapping[str, str]) -> Parser:
    """A parser for these names; ``fields`` are the publisher's own by ours, a dot leading into an object (``http.status``)."""
    names = {one: ((fields[one],) if one in fields else usual) for one, usual in NAMES.items()}
    own = frozenset(fields.values())

    def parse(line: bytes) -> Line | None:
        found = read(line)
        return None if found is None else _line(found, lambda one: _value(found, names[one], own))

    return parse


def read(line: bytes) -> dict[str, Any] | None:
    """The object of a line."""
    try:
        found = orjson.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def text(value: object) -> bytes:
    """A text or number as bytes; of a list the first; nothing of anything else."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, int) and not isinstance(value, bool):
        return b"%d" % value
    return value[:LONGEST].encode("utf-8", "replace") if isinstance(value, str) else b""


def whole(value: object, most: int) -> int | None:
    """A whole number that is not negative, written as number or text; a larger one is the largest."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 20:  # noqa: PLR2004  (digits of 64 bits)
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return min(value, most) if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def made(  # noqa: PLR0913  (the fields of a request)
    ts: int | None, client: object, status: object, size: object, ask: tuple[str, bytes, bytes], *, referer: object, ua: object,
    kind: object, host: object,
) -> Line | None:  # fmt: skip
    """A request from the values of an object; ``None`` where time, status or request are not there."""
    code = whole(status, MOST_STATUS)
    if ts is None or code is None or not ask[1]:
        return None
    return Line(
        ts, text(client).decode("utf-8", "replace"), *ask, code, whole(size, MOST_BYTES) or 0, said(text(referer)), agent(text(ua)),
        form_of(text(kind)), host_of(text(host).decode("utf-8", "replace")),
    )  # fmt: skip


def _line(found: Object, value: Callable[[str], object]) -> Line | None:
    request = text(value("request")) if not isinstance(found.get("request"), dict) else b""
    ask = asked(request) if request else parts(text(value("method")), text(value("target")))
    if not ask[2] and (query := said(text(value("query")))):
        ask = (*ask[:2], query)
    return made(
        moment(value("time")), value("client"), value("status"), value("bytes"), ask,
        referer=value("referer"), ua=value("agent"), kind=value("content_type"), host=value("host"),
    )  # fmt: skip


def _value(found: Object, names: tuple[str, ...], own: frozenset[str]) -> object:
    for name in names:
        if name in found:
            return found[name]
        if name in own and "." in name:
            return _inner(found, name)
    return None


def _inner(found: object, name: str) -> object:
    for step in name.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    return found
