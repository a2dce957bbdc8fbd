"""Requests parsed from bytes, without a connection."""

from citepress.http.message import Request
from citepress.web.server.parser import ProtocolError, RequestParser
from citepress.web.server.pending import PendingRequest

GET = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


def read(*pieces: bytes) -> RequestParser:
    reader = RequestParser("192.0.2.1", lambda: None, lambda: None)
    for piece in pieces:
        reader.feed(piece)
    return reader


def requests(reader: RequestParser) -> list[Request]:
    return [
        item if isinstance(item, Request) else item.request
        for item in reader.queue
        if not isinstance(item, ProtocolError)
    ]


def parsed_events(reader: RequestParser) -> list[tuple[object, ...]]:
    """All that was read, to be compared."""
    events: list[tuple[object, ...]] = []
    for item in reader.queue:
        if isinstance(item, ProtocolError):
            events.append(tuple(item))
            continue
        request = item if isinstance(item, Request) else item.request
        body = item.body.whole if isinstance(item, PendingRequest) and item.body else None
        events.append(
            (
                request.method,
                request.target,
                request.query,
                tuple(request.headers),
                request.size,
                dict(request.fields),
                body,
            )
        )
    return events
