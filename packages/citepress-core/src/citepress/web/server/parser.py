"""The request parser: httptools splits the byte stream, and this module applies the rules that it leaves open."""

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

from citepress.base.bounded_log import BoundedLog
from citepress.base.errors import ControlFlow
from citepress.http.limits import HEADER_BYTES, MAX_HEADER_FIELDS, TARGET_BYTES
from citepress.http.message import Request
from citepress.web.server.pending import Body, PendingRequest
from citepress.web.server.request_line import (
    FIELD_LINE,
    HOST,
    KNOWN_METHODS,
    METHOD_PATTERN,
    NOWHERE,
    PLAIN_LINE,
    foreign_line,
    origin_form,
    repair_request,
)

HEAD_BYTES = HEADER_BYTES + TARGET_BYTES
"""Bytes of a request line and header that are kept at most."""
LASTING_BYTES = 4096
"""Header fields up to this size are kept with their connection, for most clients send the same ones again."""
SPARE_BYTES = 16 * 1024
"""Bytes that a chunked body may spend without carrying any of its content: chunk sizes, their extensions, trailer
fields."""
SPARE_EACH = 8
"""The same for each byte of its content."""
VERSION_BYTES = len(b"HTTP/1.1")
VERSIONS = frozenset({"1.0", "1.1"})
OTHER_VERSION = "Only HTTP/1.1 and HTTP/1.0 are spoken here."
BAD_HOST = "A request has one Host field that names the host, and in HTTP/1.1 it has to be there."
NOTABLE = frozenset({b"connection", b"content-length", b"expect", b"transfer-encoding", b"upgrade"})
"""Fields that make a request other than a plain one on a connection that goes on."""
RESUMED = b"POST / HTTP/1.1\r\n%b: %b\r\n\r\n"
"""A header for a new parser, so that it reads the body of a request whose header another one read."""
SPENT = HttpRequestParser(object())
"""Stands in for the parser of a connection on which nothing more is read."""
log = BoundedLog(__name__)


class TooManyFieldsError(ControlFlow):
    """A header, or the trailer section behind a body, has more fields than one may hold."""


class ProtocolError(NamedTuple):
    """The rest of the stream is not valid HTTP/1.1."""

    status: int
    """What to refuse it with."""
    words: str


class RequestParser:
    """Reads the requests of one connection into a queue. It is also what the parser calls."""

    __slots__ = (
        *("_awaited", "_former", "_framing", "_header_block", "_header_bytes", "_headers", "_line", "_method"),
        *("_notable", "_parser", "_peer", "_raw_fields", "_relieved", "_resuming", "_spare", "_trailers"),
        *("body", "ended", "partial", "queue"),
    )

    def __init__(self, peer: str, awaited: Callable[[], None], relieved: Callable[[], None]) -> None:
        """``awaited`` is called to ask for a body after ``100 Continue``, ``relieved`` when a large body was read."""
        self._peer = peer
        self._awaited, self._relieved = awaited, relieved
        self._parser = HttpRequestParser(self)
        self.partial = b""
        """The target of a request whose header is not complete; empty between requests."""
        self._headers: list[tuple[bytes, bytes]] = []
        self._raw_fields: list[tuple[bytes, bytes]] | None = None
        """The fields of the former request as they came."""
        self._former: Request | None = None
        self._header_block = b""
        """The header block of the former request, if that was a plain one which arrived complete and alone, so that
        the stream is between two requests."""
        self._notable = False
        """Whether one of its fields is a notable one."""
        self._method = ""
        """The method that the client sent, where the parser was told another."""
        self._header_bytes = 0
        """Bytes of a header that is not complete."""
        self._line = b""
        """The line that is not complete, within such a header, as long as it may be a request line."""
        self._spare = 0
        """Bytes that the chunked body may still spend on anything but content."""
        self._trailers = 0
        """Fields behind the body so far."""
        self._framing: tuple[bytes, bytes] | None = None
        """The field that tells the body's length, while a parser that stopped before the body is replaced."""
        self._resuming = False
        self.queue: deque[Request | PendingRequest | ProtocolError] = deque()
        """Requests that wait for their answers; what is no request, at the end."""
        self.body: Body | None = None
        """The body that is arriving."""
        self.ended = False
        """Whether no further request is taken."""

    def feed(self, data: bytes) -> None:
        """Read on, into the queue.

        Most clients send the same header with every request of a connection. Where one arrives whole with the very
        bytes that the parser took before, only its request line is read: that costs half as much.
        """
        block = self._header_block
        if block and data.endswith(block) and not self.ended and self._former is not None:
            line = PLAIN_LINE.fullmatch(data, 0, len(data) - len(block))
            if line is not None:
                method, target, query = line.groups(b"")
                self.queue.append(self._former.again(KNOWN_METHODS[method], target, query))
                return
        self._header_block = b""
        fresh = not (self.partial or self.queue or self.body or self._line)
        self._parse(data, fresh=fresh)
        if (
            fresh
            and self._former is not None
            and len(self.queue) == 1
            and not (self.partial or self.body or self.ended)
        ):
            self._remember(data)

    def _remember(self, data: bytes) -> None:
        """Remember the header of a plain request that arrived whole and alone."""
        request, end = self.queue[0], data.find(b"\n") + 1
        plain = isinstance(request, Request) and self._former is not None and request.headers is self._former.headers
        if plain and data.endswith(b"\r\n\r\n") and PLAIN_LINE.fullmatch(data, 0, end):
            self._header_block = data[end:]

    def _parse(self, data: bytes, *, fresh: bool) -> None:
        """Give the parser what arrived; ``fresh`` where it begins a request."""
        body = self.body
        if self.ended and body is None:
            return
        end = data.find(b"\r") if fresh else 0
        plain = end >= VERSION_BYTES and data[end - VERSION_BYTES : end - 3] == b"HTTP/"
        foreign = NOWHERE if plain or body is not None else foreign_line(self._line, data)
        given = data if foreign == NOWHERE else data[:foreign]
        try:
            self._parser.feed_data(given)
        except (HttpParserError, HttpParserUpgrade) as error:
            self._go_on(given, error, begins=fresh)
        if plain and not self.ended and (len(self.queue) != 1 or self.partial or self.body):
            foreign = foreign_line(self._line, data)  # there may be more request lines than the one that was looked at
            if foreign != NOWHERE:
                self._again(data[:foreign])
        if foreign != NOWHERE:
            self._break(505, OTHER_VERSION)
        elif self.body is None:
            if self.partial or data[-1:] == b" ":
                self._measure(data)
        elif self.body is body and self.body.left is None:
            # RFC 9112, section 7.1.1: extensions of chunks are ignored, and their total has to be limited.
            self._spare -= len(data)
            if self._spare < 0:
                self._break(431, "The extensions of chunks or the trailer fields are too large.")

    def release(self) -> None:
        """Nothing more is read: let go of everything that was kept for it."""
        self.ended, self.partial, self._line = True, b"", b""
        self._headers, self._raw_fields, self._former, self._header_block = [], None, None, b""
        self._parser = SPENT
        self.queue.clear()
        if self.body is not None:
            self.body.ignore()

    def _again(self, data: bytes) -> None:
        """Take back what was read last, which began between requests, and read less of it."""
        self.queue.clear()
        self._parser, self.body, self.partial, self._headers = HttpRequestParser(self), None, b"", []
        self._method, self._framing, self._resuming, self._header_bytes = "", None, False, 0
        self.feed(data)

    def _go_on(self, data: bytes, error: Exception, *, begins: bool) -> None:
        """Where the parser stopped, go on with what can be read, again and again, or tell what is wrong."""
        while data := self._rest(data, error, begins=begins):
            begins = False
            try:
                self._parser.feed_data(data)
            except (HttpParserError, HttpParserUpgrade) as next_error:
                error = next_error
            else:
                return

    def _rest(self, data: bytes, error: Exception, *, begins: bool) -> bytes:
        """What a new parser can go on with; nothing where it cannot.

        The parser stops behind a header that asks for another protocol: that request is answered in this one. And
        it knows neither all methods nor all targets: such a line is mended.
        """
        if isinstance(error, HttpParserUpgrade):
            if self.ended and self.body is None:
                return b""
            self._resume()
            return data[error.args[0] :]
        unknown = (
            isinstance(error, HttpParserInvalidMethodError | HttpParserInvalidURLError) and begins and not self.queue
        )
        other = repair_request(data) if unknown else None
        if other is None:
            self._fail(error)
            return b""
        self._parser, self.partial = HttpRequestParser(self), b""
        self._method, readable = other
        return readable

    def _resume(self) -> None:
        """Begin a new parser, within the body of the request if one is still to come."""
        self._parser = HttpRequestParser(self)
        if self._framing is not None:
            self._resuming = True
            # httptools has no way to begin inside a body, so the new parser first reads a header that announces the
            # same body.
            self._parser.feed_data(RESUMED % self._framing)
            self._framing = None

    def _fail(self, error: Exception) -> None:
        """Report the error, unless nothing more was to be read anyway."""
        if isinstance(error.__context__, TooManyFieldsError):
            if self.body is None:
                self._cut(self._incomplete())
            else:
                self._break(431, f"At most {MAX_HEADER_FIELDS} fields may follow a body.")
        elif isinstance(error, HttpParserCallbackError):
            log.fault("a request could not be taken", self._peer, error.__context__ or error)
            self._break(500, "The service failed.")
        elif not self.ended or self.body is not None:
            self._break(400, f"The request cannot be read: {error}.")

    def _measure(self, data: bytes) -> None:
        """Let the application refuse a header that grows too large, before it is complete.

        Only then, what came before it counts as nothing.
        """
        line = self._line + data if b"\n" not in data else data[data.rfind(b"\n") + 1 :]
        self._line = (
            line if len(line) < TARGET_BYTES and METHOD_PATTERN.fullmatch(line.partition(b" ")[0]) else FIELD_LINE
        )
        ended = -1 if self._header_bytes else data.rfind(b"\r\n\r\n")
        self._header_bytes += len(data) - (ended + 4 if ended >= 0 else 0)
        if self.partial and not self.ended and self._header_bytes > HEAD_BYTES:
            self._cut(self._incomplete())

    def _incomplete(self) -> Request:
        """What is known of a request whose header is too large, before that is complete."""
        target, _, query = self.partial.partition(b"?")
        method = self._method or self._parser.get_method().decode()
        request = Request(method, target, query, self._headers[:MAX_HEADER_FIELDS], self._peer)
        if len(self._headers) > MAX_HEADER_FIELDS or len(self.partial) < self._header_bytes // 2:
            request.size = HEAD_BYTES
        return request

    def _cut(self, request: Request) -> None:
        """Hand over a request whose header is too large, as the last one."""
        self.queue.append(PendingRequest(request, persists=False, cut=True))
        self.ended, self.partial, self._headers, self._raw_fields = True, b"", [], None

    # what the parser calls

    def on_url(self, url: bytes) -> None:
        """A part of the request target."""
        if not self._resuming:
            self.partial += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header field; one that follows a body is dropped. Neither may come in any number."""
        if self.body is None:
            headers = self._headers
            headers.append((name, value))
            if (
                len(headers) > MAX_HEADER_FIELDS
            ):  # stop at once: a full buffer of short fields takes a millisecond to read
                raise TooManyFieldsError
            return
        self._trailers += 1
        if self._trailers > MAX_HEADER_FIELDS:
            raise TooManyFieldsError

    def on_headers_complete(self) -> None:
        """A header is complete: the request waits for its answer, whether its body is here or not."""
        if self._resuming or self.ended:
            self._resuming, self._headers = False, []
            return
        parser, raw = self._parser, self._headers
        target, _, query = self.partial.partition(b"?")
        method = self._method or parser.get_method().decode()
        same = raw == self._raw_fields and target[:1] == b"/"
        request = self._former.again(method, target, query) if same and self._former else self._taken(method, raw)
        self.partial, self._headers, self._header_bytes, self._line = b"", [], 0, b""
        if request is None:
            self._break(400, BAD_HOST) if parser.get_http_version() in VERSIONS else self._break(505, OTHER_VERSION)
        elif request.size > HEADER_BYTES or len(target) > TARGET_BYTES:
            self._cut(request)
        elif self._notable or self._method or method == "CONNECT" or not parser.should_keep_alive():
            self._method = ""
            self._notably(request)
        else:
            self.queue.append(request)

    def _taken(self, method: str, raw: list[tuple[bytes, bytes]]) -> Request | None:
        """A request whose fields differ from the former one: most clients repeat the same fields on a connection.

        ``None`` where the fields name no host, or more than one (RFC 9112, 3.2).
        """
        # White space around a value is no part of it (RFC 9112, section 5.1); httptools removes only what is in front.
        headers, url = [(name.lower(), value.rstrip(b" \t")) for name, value in raw], self.partial
        hosts = [value for name, value in headers if name == b"host"]
        old = self._parser.get_http_version() == "1.0"
        # RFC 9112, section 3.2: two hosts may be read differently by a proxy in front, which is how requests are
        # smuggled.
        if len(hosts) != 1 and not (old and not hosts):
            return None
        if url[:1] != b"/":
            url, headers = origin_form(url, headers)
            hosts += [value for name, value in headers if name == b"host"]
        if not all(map(HOST.fullmatch, hosts)):
            return None
        target, _, query = url.partition(b"?")
        request = Request(method, target, query, headers, self._peer)
        self._notable = not NOTABLE.isdisjoint([name for name, _ in headers])
        lasting = request.size <= LASTING_BYTES and self.partial[:1] == b"/" and hosts
        self._raw_fields, self._former = (raw, request) if lasting else (None, None)
        return request

    def _notably(self, request: Request) -> None:
        """A request with a body, or one that says something of the connection."""
        parser, fields = self._parser, dict[bytes, bytes]()
        for name, value in request.headers:
            if name in NOTABLE:
                fields[name] = fields[name] + b", " + value if name in fields else value
        version, persists = parser.get_http_version(), parser.should_keep_alive()
        coding, length = fields.get(b"transfer-encoding"), fields.get(b"content-length", b"")
        if version not in VERSIONS:
            self._break(505, OTHER_VERSION)
            return
        if coding is not None and (version != "1.1" or coding.lower() != b"chunked"):
            self._break(501, "The only transfer coding is chunked, in HTTP/1.1.")
            return
        if coding is not None or length.strip(b"0"):
            waits = version == "1.1" and fields.get(b"expect", b"").lower() == b"100-continue"
            left = None if coding is not None else int(length)
            self.body = Body(left, awaited=self._awaited if waits else None, relieved=self._relieved)
            self._spare, self._trailers = SPARE_BYTES, 0
            if parser.should_upgrade():
                self._framing = (b"transfer-encoding", coding) if coding is not None else (b"content-length", length)
        self.ended = not persists or request.method == "CONNECT"
        self.queue.append(PendingRequest(request, persists=not self.ended, old=version != "1.1", body=self.body))

    def _break(self, status: int, words: str) -> None:
        """Nothing more can be read; whoever waits for the rest of a body learns of it."""
        if self.body is not None:
            self.body.break_off()
            self.body = None
        self.queue.append(ProtocolError(status, words))
        self.ended, self.partial, self._line = True, b"", b""
        self._headers, self._raw_fields, self._former = [], None, None

    def on_body(self, part: bytes) -> None:
        """A part of a body."""
        if self.body is not None:
            self._spare = min(self._spare + SPARE_EACH * len(part), SPARE_BYTES)
            self.body.feed(part)

    def on_message_complete(self) -> None:
        """The body, if there was one, is complete."""
        if self.body is not None and self._framing is None:
            self.body.end()
            self.body = None
