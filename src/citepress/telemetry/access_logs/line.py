"""One request as a log tells it, and the readings that formats share: times, targets, escapes."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

from citepress.telemetry.capture.tap import AGENT_BYTES, FIELD_BYTES, TARGET_BYTES

MOST_BYTES = 2**53
NONE = b"-"
"""How logs write what is not there."""
STAMP = re.compile(rb"(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d):([0-5]\d):([0-5]\d|60) ([+-]\d{4})")
"""The time of common logs: day and hour, minute, second, zone."""
REMEMBERED = 4096
MONTHS = {name: place for place, name in enumerate(b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
ESCAPE = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,12})?")
FORMS = {
    b"text/html": "html", b"text/markdown": "markdown", b"application/json": "json", b"text/plain": "text", b"application/xml": "xml",
    b"text/xml": "xml",
}  # fmt: skip
"""Representations by media type; what ends in +json and +xml counts with them."""


class Line(NamedTuple):
    """A request of a log."""

    ts: int
    """Milliseconds since 1970."""
    client: str
    """Address, or whatever the log says."""
    method: str
    target: bytes
    """Path as it was sent; where the request line could not be read, that line."""
    query: bytes
    status: int
    size: int
    """Bytes sent."""
    referer: bytes
    agent: bytes
    form: str = ""
    """Representation that was sent, where the log tells the Content-Type."""
    host: str = ""
    """Host that was asked, in lower case and without port; empty where the log does not tell."""


Parser: TypeAlias = Callable[[bytes], Line | None]
"""Reads a line without its end; ``None`` for one that is malformed. Raises nothing."""
_hours: dict[bytes, int | None] = {}
"""Seconds since 1970 of hours that were read lately, by day, hour and zone as they are written."""


def asked(request: bytes) -> tuple[str, bytes, bytes]:
    """Method, path and query of a request line; one that cannot be read is its own path, which fits nothing; an empty one is a hyphen."""
    method, _, rest = request.partition(b" ")
    target, mark, _ = rest.rpartition(b" HTTP/")
    return parts(method, target if mark else rest) if rest else ("", request[:TARGET_BYTES] or NONE, b"")


def parts(method: bytes, target: bytes) -> tuple[str, bytes, bytes]:
    """Method, path and query, cut where the tap cuts them."""
    path, _, query = target.partition(b"?")
    return method.decode("latin-1"), path[:TARGET_BYTES], query[:FIELD_BYTES]


def said(field: bytes, most: int = FIELD_BYTES) -> bytes:
    """A header field of a log; a hyphen stands for none."""
    return b"" if field == NONE else field[:most]


def agent(field: bytes) -> bytes:
    """A User-Agent of a log."""
    return said(field, AGENT_BYTES)


def unescaped(field: bytes) -> bytes:
    """A quoted field without the escapes of Apache and nginx."""
    if b"\\" not in field:
        return field
    return ESCAPE.sub(lambda found: bytes([int(found[1], 16)]) if found[1] else found[2], field)


def stamped(hour: bytes, minute: bytes, second: bytes, zone: bytes) -> int | None:
    """Milliseconds of a time as common logs write it; ``None`` for a day that is none."""
    key = hour + zone
    if key not in _hours:
        if len(_hours) >= REMEMBERED:
            _hours.clear()
        _hours[key] = _hour(hour, zone)
    found = _hours[key]
    return None if found is None else (found + int(minute) * 60 + int(second)) * 1000


def moment(value: object) -> int | None:
    """Milliseconds of a time: RFC 3339, the form of common logs, or seconds, milli-, micro- or nanoseconds since 1970."""
    if isinstance(value, str):
        if (found := STAMP.fullmatch(value.encode("utf-8", "replace"))) is not None:
            return stamped(*found.groups())
        if not NUMBER.fullmatch(value):
            return _rfc3339(value)
        value = float(value)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 1e20:  # noqa: PLR2004  (beyond nanoseconds)
        return None
    number = float(value)
    while number >= 1e11:  # noqa: PLR2004  (seconds until the year 5138)
        number /= 1000
    return round(number * 1000)


def form_of(kind: bytes) -> str:
    """The representation that a Content-Type names; empty for none, ``other`` for one that has no name here."""
    media = kind.partition(b";")[0].strip().lower()
    if not media or media == b"-":
        return ""
    if media.endswith((b"+json", b"ndjson")):
        return "json"
    return "xml" if media.endswith(b"+xml") else FORMS.get(media, "other")


def host_of(text: str) -> str:
    """A host without port, in lower case."""
    name = text.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name if name.count(":") > 1 else name.partition(":")[0]


def _rfc3339(text: str) -> int | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if found.tzinfo is None else round(found.timestamp() * 1000)


def _hour(hour: bytes, zone: bytes) -> int | None:
    month = MONTHS.get(hour[3:6])
    if month is None:
        return None
    try:
        found = datetime(int(hour[7:11]), month, int(hour[:2]), int(hour[12:14]), tzinfo=UTC)
    except ValueError:
        return None
    away = (int(zone[1:3]) * 60 + int(zone[3:5])) * 60
    return int(found.timestamp()) + (away if zone[:1] == b"-" else -away)
