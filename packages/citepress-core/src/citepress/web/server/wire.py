"""HTTP/1.1 responses as bytes."""

from email.utils import formatdate
from http import HTTPStatus
from typing import NamedTuple

from citepress.base.errors import CitepressError
from citepress.base.headers import Headers
from citepress.http.message import Response

LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}".encode() for status in HTTPStatus}
"""Status lines."""
MAX_REMEMBERED_LISTS = 4096
"""Lists whose lines are remembered, about a kilobyte each."""
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
NO_CONTENT = frozenset({204, 304})
"""Statuses whose answers have no body and need no length."""


class UnsendableError(CitepressError, ValueError):
    """A header field of an answer would end its line early."""


class HeaderSuffixes(NamedTuple):
    """The header suffixes of this second: the date, and whether the connection persists."""

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
    written = _written.get(id(shared))
    # An identity is used again once its list is gone, so the list itself is compared too.
    if written is None or written[0] is not shared:
        written = _write(shared)
    return LINES[status], written[1], _lines(fields[len(shared) :]), tail


def _lines(fields: Headers) -> bytes:
    """Each field as a line, a line end before it."""
    lines = b"\r\n".join([b"", *map(b": ".join, fields)])
    ends = len(fields)
    # A line end inside a value would forge further fields, or a whole second answer; one count checks all fields at
    # once.
    if lines.count(b"\n") != ends or lines.count(b"\r") != ends:
        raise UnsendableError("a field of an answer holds a line end")
    return lines


_written: dict[int, tuple[Headers, bytes]] = {}
"""Lists of fields that many answers begin with, by identity, and their lines."""


def _write(shared: Headers) -> tuple[Headers, bytes]:
    """Write the lines of a list, and remember them as long as there is room."""
    # A new edition has new lists; starting over is rare, and keeping an order would cost something on every answer.
    if len(_written) >= MAX_REMEMBERED_LISTS:
        _written.clear()
    written = _written[id(shared)] = (shared, _lines(shared))
    return written


def frame_answer(reply: Response, method: str) -> Response:
    """An answer without the body that this request may not get, and with the length that every other one needs."""
    if reply.status in NO_CONTENT:
        return reply._replace(body=b"")
    for name, _ in reply.headers:
        if name == b"content-length":
            break
    else:
        reply = reply._replace(headers=[*reply.headers, (b"content-length", b"%d" % len(reply.body))])
    # HEAD has the fields of GET, the length included, and no body (RFC 9110, section 9.3.2).
    return reply._replace(body=b"") if method == "HEAD" else reply


def refusal(status: int, words: str, tail: bytes, *further: tuple[bytes, bytes]) -> bytes:
    """A complete response to input that is not HTTP/1.1; the connection is closed after it."""
    body = f"{words}\n".encode()
    fields = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
    ]
    return b"".join((*head(status, [*fields, *further], tail), body))
