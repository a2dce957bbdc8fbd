"""Requests out of a stream of bytes: httptools finds their parts, and what it leaves open about HTTP/1.1 is decided here."""

import logging
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from httptools import (
    HttpParserCallbackError,
    HttpParserError,
    HttpParserInvalidMethodError,
    HttpParserInvalidURLError,
    HttpParserUpgrade,
    HttpRequestParser,
)

from citepress.web.message import Request
from citepress.web.server import wire
from citepress.web.server.exchange import Body, Exchange

HEAD_BYTES = 64 * 1024
"""Bytes of a request line and header that are kept at most; the door refuses them from 32 KiB on."""
NOTABLE = frozenset({b"connection", b"content-length", b"expect", b"transfer-encoding", b"upgrade"})
"""Fields that make a request other than a plain one on a connection that goes on."""
RESUMED = b"POST / HTTP/1.1\r\n%b: %b\r\n\r\n"
"""What a new parser is told so that it reads the body of a request whose header another one read."""
log = logging.getLogger(__name__)


class Broken(NamedTuple):
    """The stream holds no HTTP/1.1 from here on."""

    status: int
    """What to refuse it with."""
    words: str


class Reader:
    """Reads the requests of one connection into a queue. It is also what the parser calls."""

    __slots__ = (
        "_awaited", "_former", "_framing", "_headers", "_kept", "_known", "_method", "_notable", "_parser", "_peer", "_relieved", "_resuming", "body",
        "ended", "partial", "queue",
    )  # fmt: skip

    def __init__(self, peer: str, awaited: Callable[[], None], relieved: Callable[[], None]) -> None:
        """``awaited`` is called when a body is wanted that the client sends only after a word, ``relieved`` when one was read that was heavy."""
        self._peer = peer
        self._awaited, self._relieved = awaited, relieved
        self._parser = HttpRequestParser(self)
        self.partial = b""
        """The target of a request whose header is not complete; empty between requests."""
        self._headers: list[tuple[bytes, bytes]] = []
        self._known: list[tuple[bytes, bytes]] | None = None
        """The fields of the former request as they came."""
        self._former: Request
        self._notable = False
        """Whether one of its fields is a notable one."""
        self._method = ""
        """The method that the client sent, where the parser was told another."""
        self._kept = 0
        """Bytes of a header that is not complete."""
        self._framing: tuple[bytes, bytes] | None = None
        """The field that tells the body's length, while a parser that stopped before the body is replaced."""
        self._resuming = False
        self.queue: deque[Request | Exchange | Broken] = deque()
        """Requests that wait for their answers; what is no request, at the end."""
        self.body: Body | None = None
        """The body that is arriving."""
        self.ended = False
        """Whether no further request is taken."""

    def feed(self, data: bytes) -> None:
        """Read on, into the queue."""
        begins = not (self.partial or self.queue or self.body)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as stopped:
            self._resume(data[stopped.args[0] :])
        except (HttpParserInvalidMethodError, HttpParserInvalidURLError) as error:
            other = wire.mended(data) if begins and not self.queue else None
            if other is None:
                self._fail(error)
            else:
                self._parser, self.partial = HttpRequestParser(self), b""
                self._method, data = other
                self._parsed(data)
        except HttpParserError as error:
            self._fail(error)
        if self.partial:
            self._measure(len(data))

    def _parsed(self, data: bytes) -> None:
        """Parse what was mended or resumed."""
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as stopped:
            self._resume(data[stopped.args[0] :])
        except HttpParserError as error:
            self._fail(error)

    def _resume(self, data: bytes) -> None:
        """Go on behind a header that asks for another protocol. The request is answered in this one, and its body is read by a new parser."""
        self._parser = HttpRequestParser(self)
        if self._framing is not None:
            self._resuming = True
            self._parser.feed_data(RESUMED % self._framing)
            self._framing = None
        self._parsed(data)

    def _fail(self, error: HttpParserError) -> None:
        """Tell what is wrong, unless nothing more was to be read anyway."""
        if isinstance(error, HttpParserCallbackError):
            log.error("a request could not be taken", exc_info=error)
            self._break(500, "The service failed.")
        elif not self.ended:
            self._break(400, f"The request cannot be read: {error}.")

    def _measure(self, more: int) -> None:
        """Let the door refuse a header that grows too large, before it is complete; only then, what came before it counts as nothing."""
        self._kept += more
        if self._kept > HEAD_BYTES and not self.ended:
            self.ended = True
            target, _, query = self.partial.partition(b"?")
            request = Request(self._method or self._parser.get_method().decode(), target, query, self._headers, self._peer)
            if len(self.partial) < self._kept // 2:
                request.size = self._kept
            self.queue.append(Exchange(request, persists=False, cut=True))

    # what the parser calls

    def on_url(self, url: bytes) -> None:
        """A part of the request target."""
        if not self._resuming:
            self.partial += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header field; one that follows a body is dropped."""
        if self.body is None:
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        """A header is complete: the request waits for its answer, whether its body is here or not."""
        if self._resuming or self.ended:
            self._resuming = False
            return
        parser, raw = self._parser, self._headers
        target, _, query = self.partial.partition(b"?")
        method = self._method or parser.get_method().decode()
        same = raw == self._known and target[:1] == b"/"
        request = self._former.again(method, target, query) if same else self._taken(method, raw)
        self.partial, self._headers, self._kept = b"", [], 0
        if self._notable or self._method or method == "CONNECT" or not parser.should_keep_alive():
            self._method = ""
            self._notably(request)
        else:
            self.queue.append(request)

    def _taken(self, method: str, raw: list[tuple[bytes, bytes]]) -> Request:
        """A request with other fields than the one before it: most clients send the same ones with every request of a connection."""
        headers, url, self._known = [(name.lower(), value.rstrip(b" \t")) for name, value in raw], self.partial, raw
        if url[:1] != b"/":
            url, headers = wire.origin_form(url, headers)
            self._known = None
        target, _, query = url.partition(b"?")
        request = self._former = Request(method, target, query, headers, self._peer)
        self._notable = not NOTABLE.isdisjoint([name for name, _ in headers])
        return request

    def _notably(self, request: Request) -> None:
        """A request with a body, or one that says something of the connection."""
        parser, told = self._parser, dict[bytes, bytes]()
        for name, value in request.headers:
            if name in NOTABLE:
                told[name] = told[name] + b", " + value if name in told else value
        version, persists = parser.get_http_version(), parser.should_keep_alive()
        coding, length = told.get(b"transfer-encoding"), told.get(b"content-length", b"")
        if version not in ("0.9", "1.0", "1.1"):
            self._break(505, f"HTTP/{version} is not spoken here.")
            return
        if coding is not None and (version != "1.1" or coding.lower() != b"chunked"):
            self._break(501, "The only transfer coding is chunked, in HTTP/1.1.")
            return
        if coding is not None or length.strip(b"0"):
            waits = version == "1.1" and told.get(b"expect", b"").lower() == b"100-continue"
            left = None if coding is not None else int(length)
            self.body = Body(left, awaited=self._awaited if waits else None, relieved=self._relieved)
            if parser.should_upgrade():
                self._framing = (b"transfer-encoding", coding) if coding is not None else (b"content-length", length)
        self.ended = not persists or request.method == "CONNECT"
        self.queue.append(Exchange(request, persists=not self.ended, old=version != "1.1", body=self.body))

    def _break(self, status: int, words: str) -> None:
        self.queue.append(Broken(status, words))
        self.ended, self.partial = True, b""

    def on_body(self, part: bytes) -> None:
        """A part of a body."""
        if self.body is not None:
            self.body.feed(part)

    def on_message_complete(self) -> None:
        """The body, if there was one, is complete."""
        if self.body is not None and self._framing is None:
            self.body.end()
            self.body = None
