"""HTTP/1.1 as bytes: the header of an answer, and request lines that the parser does not take as they are."""

import re
from collections.abc import Sequence
from email.utils import formatdate
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import quote_from_bytes

from citepress.contract.limits import Headers
from citepress.http.message import Response

LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}".encode() for status in HTTPStatus}
"""Status lines."""
MOST_WRITTEN = 4096
"""Lists whose lines are remembered, about a kilobyte each."""
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
NO_CONTENT = frozenset({204, 304})
"""Statuses whose answers have no body and need no length."""
FIRST_LINE = re.compile(rb"(?:\r\n)*([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) ([!-~\x80-\xff]+) (HTTP/1\.[01]\r\n)")
STAND_IN = b"DELETE"
"""A method that the parser knows and that, like one it does not know, may have a body."""
TARGET_SAFE = "".join(map(chr, range(0x21, 0x7F)))
HOST = re.compile(rb"(?:\[[0-9A-Fa-f:.]{2,45}\]|[!$&'()*+;=%._~0-9A-Za-z-]{1,255})(?::[0-9]{0,5})?")
"""A Host field: a name or an address, and perhaps a port (RFC 9112, 3.2). No comma: two of them may have been joined."""
ABSOLUTE = re.compile(rb"https?://([^/?#]*)([^#]*)", re.IGNORECASE)


class UnsendableError(ValueError):
    """A header field of an answer would end its line early."""


class HeaderSuffixes(NamedTuple):
    """How headers end this second: the date, and what becomes of the connection."""

    plain: bytes
    keep: bytes
    """For a client of HTTP/1.0, which expects the connection to end."""
    close: bytes


def header_suffixes(seconds: float) -> HeaderSuffixes:
    """The ends of headers at a moment, in Unix seconds."""
    date = f"\r\ndate: {formatdate(seconds, usegmt=True)}\r\n".encode()
    return HeaderSuffixes(date + b"\r\n", date + b"connection: keep-alive\r\n\r\n", date + b"connection: close\r\n\r\n")


def head(status: int, fields: Headers, tail: bytes, shared: Headers | None = None) -> tuple[bytes, bytes, bytes, bytes]:
    """The header of an answer, in parts; ``tail`` ends it. Raises ``UnsendableError``.

    ``shared`` are the first of ``fields`` as a list that further answers begin with: its lines are written once.
    """
    if shared is None:
        return LINES[status], b"", _lines(fields), tail
    known = _written.get(id(shared))
    if known is None or known[0] is not shared:
        known = _write(shared)
    return LINES[status], known[1], _lines(fields[len(shared) :]), tail


def _lines(fields: Headers) -> bytes:
    """Each field as a line, a line end before it."""
    made = b"\r\n".join([b"", *map(b": ".join, fields)])
    ends = len(fields)
    if made.count(b"\n") != ends or made.count(b"\r") != ends:
        raise UnsendableError("a field of an answer holds a line end")
    return made


_written: dict[int, tuple[Headers, bytes]] = {}
"""Lists of fields that many answers begin with, by identity, and their lines."""


def _write(shared: Headers) -> tuple[Headers, bytes]:
    """Write the lines of a list, and remember them as long as there is room."""
    if len(_written) >= MOST_WRITTEN:
        _written.clear()
    found = _written[id(shared)] = (shared, _lines(shared))
    return found


def framed(reply: Response, method: str) -> Response:
    """An answer without the body that this request may not get, and with the length that every other one needs."""
    if reply.status in NO_CONTENT:
        return reply._replace(body=b"")
    for name, _ in reply.headers:
        if name == b"content-length":
            break
    else:
        reply = reply._replace(headers=[*reply.headers, (b"content-length", b"%d" % len(reply.body))])
    return reply._replace(body=b"") if method == "HEAD" else reply


def refusal(status: int, words: str, tail: bytes, *further: tuple[bytes, bytes]) -> bytes:
    """A whole answer to what is no HTTP/1.1, after which the connection ends: nothing in it can be negotiated with."""
    body = f"{words}\n".encode()
    fields = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(body)), (b"cache-control", b"no-store")]
    return b"".join((*head(status, [*fields, *further], tail), body))


def mended(data: bytes) -> tuple[str, bytes] | None:
    """A request whose method or target the parser does not take: its method, and the request with another method and the target escaped.

    ``None`` where it does not begin with a request line.
    """
    found = FIRST_LINE.match(data)
    if not found:
        return None
    target = quote_from_bytes(found[2], safe=TARGET_SAFE).encode()
    return found[1].decode(), b" ".join((STAND_IN, target, found[3])) + data[found.end() :]


def origin_form(target: bytes, headers: Sequence[tuple[bytes, bytes]]) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """An absolute target as path and query, its authority in place of the Host field (RFC 9112, 3.2.2); others as they are."""
    found = ABSOLUTE.fullmatch(target)
    if not found:
        return target, list(headers)
    path = found[2] if found[2].startswith(b"/") else b"/" + found[2]
    return path, [(b"host", found[1]), *((name, value) for name, value in headers if name != b"host")]
