"""One request as a log records it, and what formats have in common: times, targets, escapes."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.resources import files
from typing import NamedTuple, TypeAlias

from citepress.base import fast_json
from citepress_telemetry.capture.tap import AGENT_BYTES, MAX_NOTED_BYTES, TARGET_BYTES

MAX_LOGGED_BYTES = 2**53
COMMENT = b"#"
"""How lines begin that describe a log and are no requests."""
NO_VALUE = b"-"
"""How logs write an absent value."""
STAMP = re.compile(rb"(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d):([0-5]\d):([0-5]\d|60) ([+-]\d{4})")
"""The time of common logs: day and hour, minute, second, zone."""
MAX_REMEMBERED_LINES = 4096
MONTHS = {name: place for place, name in enumerate(b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
ESCAPE = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,12})?")
LOGGED_FORMS = {
    b"text/html": "html",
    b"text/markdown": "markdown",
    b"application/json": "json",
    b"text/plain": "text",
    b"application/xml": "xml",
    b"text/xml": "xml",
}
SCRIPTS = (b"text/javascript", b"application/javascript", b"application/x-javascript")
"""Representations by media type; +json and +xml are counted with json and xml."""


class Line(NamedTuple):
    """A request of a log."""

    ts: int
    """Milliseconds since 1970."""
    client: str
    """Address, or whatever the log has in its place."""
    method: str
    target: bytes
    """Path as it was sent; the whole request line if that could not be parsed."""
    query: bytes
    status: int
    size: int
    """Bytes sent."""
    referer: bytes
    agent: bytes
    form: str = ""
    """Representation that was sent, if the log has the Content-Type."""
    host: str = ""
    """Requested host, in lower case and without port; empty if the log does not have it."""


def member_names(form: str) -> dict[str, tuple[str, ...]]:
    """What logs of a form call our members: of several names the first that a log has counts."""
    names = fast_json.loads(files(__package__).joinpath("member_names.json").read_bytes())[form]
    return {ours: tuple(theirs) for ours, theirs in names.items()}


Parser: TypeAlias = Callable[[bytes], Line | None]
"""Parses a line without its line end; ``None`` if it is malformed. Never raises."""
_hours: dict[bytes, int | None] = {}
"""Cache of hours in seconds since 1970, by day, hour and zone as they are written."""


def parse_request_line(request: bytes) -> tuple[str, bytes, bytes]:
    """Method, path and query of a request line.

    A line that cannot be parsed becomes the path, which matches no route; an empty line becomes a hyphen.
    """
    method, _, rest = request.partition(b" ")
    target, mark, _ = rest.rpartition(b" HTTP/")
    return parts(method, target if mark else rest) if rest else ("", request[:TARGET_BYTES] or NO_VALUE, b"")


def parts(method: bytes, target: bytes) -> tuple[str, bytes, bytes]:
    """Method, path and query, truncated as the tap does."""
    path, _, query = target.partition(b"?")
    return method.decode("latin-1"), path[:TARGET_BYTES], query[:MAX_NOTED_BYTES]


def header_value(field: bytes, most: int = MAX_NOTED_BYTES) -> bytes:
    """A header field of a log; a hyphen means none."""
    return b"" if field == NO_VALUE else field[:most]


def agent(field: bytes) -> bytes:
    """A User-Agent of a log."""
    return header_value(field, AGENT_BYTES)


def unescaped(field: bytes) -> bytes:
    """A quoted field without the escapes of Apache and nginx."""
    if b"\\" not in field:
        return field
    return ESCAPE.sub(lambda match: bytes([int(match[1], 16)]) if match[1] else match[2], field)


def stamped(hour: bytes, minute: bytes, second: bytes, zone: bytes) -> int | None:
    """Milliseconds of a time in the common log format; ``None`` for an impossible day."""
    key = hour + zone
    if key not in _hours:
        if len(_hours) >= MAX_REMEMBERED_LINES:
            _hours.clear()
        _hours[key] = _hour(hour, zone)
    start = _hours[key]
    return None if start is None else (start + int(minute) * 60 + int(second)) * 1000


def moment(value: object) -> int | None:
    """Milliseconds of a time: RFC 3339, the common log format, or (milli-, micro-, nano-) seconds since 1970."""
    if isinstance(value, str):
        if (match := STAMP.fullmatch(value.encode("utf-8", "replace"))) is not None:
            return stamped(*match.groups())
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
    """The representation of a Content-Type; empty without one, ``other`` for an unknown one."""
    media = kind.partition(b";")[0].strip().lower()
    if not media or media == b"-":
        return ""
    if media.endswith((b"+json", b"ndjson")):
        return "json"
    if media.startswith((b"image/", b"font/")) or media in (b"text/css", *SCRIPTS):
        return "file"
    return "xml" if media.endswith(b"+xml") else LOGGED_FORMS.get(media, "other")


def host_of(text: str) -> str:
    """A host in lower case, without port."""
    name = text.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name if name.count(":") > 1 else name.partition(":")[0]


def _rfc3339(text: str) -> int | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if time.tzinfo is None else round(time.timestamp() * 1000)


def _hour(hour: bytes, zone: bytes) -> int | None:
    month = MONTHS.get(hour[3:6])
    if month is None:
        return None
    try:
        time = datetime(int(hour[7:11]), month, int(hour[:2]), int(hour[12:14]), tzinfo=UTC)
    except ValueError:
        return None
    away = (int(zone[1:3]) * 60 + int(zone[3:5])) * 60
    return int(time.timestamp()) + (away if zone[:1] == b"-" else -away)
