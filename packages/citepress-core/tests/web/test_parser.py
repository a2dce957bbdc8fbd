"""Requests out of bytes: where they end, what is refused, and what is mended."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.web.server.parser import ProtocolError, RequestParser
from citepress.web.server.pending import PendingRequest
from support.request_reader import parsed_events, read, requests

STREAM = (
    b"GET /a?b=c HTTP/1.1\r\nHost: x\r\nAccept: text/html \r\n\r\nPOST /b HTTP/1.1\r\nHost: x\r\nContent-Length:"
    b" 4\r\n\r\nbodyGET /a HTTP/1.1\r\nHost: x\r\nAccept: text/html \r\n\r\nPOST /c HTTP/1.1\r\nHost:"
    b" x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3;x=y\r\ntwo\r\n0\r\nTrailer: t\r\n\r\nHEAD /d"
    b" HTTP/1.1\r\nHost: y\r\nX-A:\r\nX-A: 2\r\n\r\n"
)


def test_requests_are_read_whole() -> None:
    whole = parsed_events(read(STREAM))
    assert [request[:3] for request in whole] == [
        ("GET", b"/a", b"b=c"),
        ("POST", b"/b", b""),
        ("GET", b"/a", b""),
        ("POST", b"/c", b""),
        ("HEAD", b"/d", b""),
    ]
    assert [request[6] for request in whole] == [None, b"body", None, b"onetwo", None]
    assert whole[0][3:6] == (((b"host", b"x"), (b"accept", b"text/html")), 28, {b"accept": b"text/html"})
    assert whole[2][3:6] == whole[0][3:6]
    assert whole[4][3] == ((b"host", b"y"), (b"x-a", b""), (b"x-a", b"2"))


@pytest.mark.parametrize("at", range(1, len(STREAM)))
def test_it_does_not_matter_where_a_stream_is_cut(at: int) -> None:
    assert parsed_events(read(STREAM[:at], STREAM[at:])) == parsed_events(read(STREAM))


def test_a_stream_may_come_byte_by_byte() -> None:
    assert parsed_events(read(*(STREAM[at : at + 1] for at in range(len(STREAM))))) == parsed_events(read(STREAM))


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4, 4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n\r\n", 400),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 4\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
        (b"GET / HTTP/1.1\nHost: x\n\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\nX: y\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\rX: y\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX\x00: a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nnothing\r\n\r\n", 400),
        (b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET / HTTP/1.2\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 505),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01", 400),
        (b"G@T / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ],
)
def test_what_is_no_http_is_refused_and_nothing_is_read_behind_it(head: bytes, status: int) -> None:
    hidden = b"GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
    reader = read(b"GET /first HTTP/1.1\r\nHost: x\r\n\r\n" + head + hidden, hidden)
    assert [request.target for request in requests(reader)] == [b"/first"]
    assert reader.ended
    last = reader.queue[-1]
    assert isinstance(last, ProtocolError)
    assert last.status == status
    assert "\n" not in last.words


@pytest.mark.parametrize(
    "chunks",
    [
        b"4\nbody\r\n0\r\n\r\n",
        b"4\r\nbody0\r\n\r\n",
        b"-1\r\n",
        b"0x4\r\nbody\r\n",
        b"ffffffffffffffffff\r\n",
        b" 4\r\nbody\r\n",
    ],
)
def test_a_malformed_chunk_is_refused_behind_its_request(chunks: bytes) -> None:
    reader = read(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    assert len(requests(reader)) == 1
    assert isinstance(reader.queue[-1], ProtocolError)


@pytest.mark.parametrize("method", ["get", "X", "PURGE-ALL"])
def test_a_method_that_the_parser_does_not_know_reaches_the_door(method: str) -> None:
    for raw in (
        f"{method} /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab",
        f"\r\n{method} /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab",
    ):
        reader = read(raw.encode(), b"GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
        assert [(request.method, request.target) for request in requests(reader)] == [
            (method, b"/a"),
            ("GET", b"/next"),
        ]


def test_bytes_beyond_ascii_in_a_target_are_escaped() -> None:
    (request,) = requests(read("GET /ü?ä=% HTTP/1.1\r\nHost: x\r\n\r\n".encode()))
    assert (request.method, request.target, request.query) == ("GET", b"/%C3%BC", b"%C3%A4=%")


def test_an_absolute_target_names_the_host() -> None:
    reader = read(
        b"GET http://a.example:80/x?y=1 HTTP/1.1\r\nHost: b.example\r\n\r\nGET HTTPS://a.example?z HTTP/1.1\r\nHost:"
        b" b.example\r\n\r\n"
    )
    first, second = requests(reader)
    assert (first.target, first.query, list(first.headers)) == (b"/x", b"y=1", [(b"host", b"a.example:80")])
    assert (second.target, second.query) == (b"/", b"z")


@pytest.mark.parametrize(
    "framing", [b"Content-Length: 4\r\n\r\nbody", b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", b"\r\n"]
)
def test_a_wish_for_another_protocol_is_passed_over_and_the_body_is_read(framing: bytes) -> None:
    wish = (
        b"POST /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings:"
        b" AAMAAABkAAQAAP__\r\n" + framing
    )
    following = wish + b"GET /b HTTP/1.1\r\nHost: x\r\n\r\n"
    for at in range(1, len(following)):
        reader = read(following[:at], following[at:])
        first, _ = reader.queue
        assert isinstance(first, PendingRequest)
        assert first.persists
        assert (first.body.whole if first.body else b"body") == b"body"
        assert [request.target for request in requests(reader)] == [b"/a", b"/b"]


def test_behind_connect_nothing_is_read() -> None:
    reader = read(
        b"CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /c HTTP/1.1\r\nHost: x\r\n\r\n",
    )
    assert [(request.method, request.target) for request in requests(reader)] == [("CONNECT", b"a.example:443")]


@pytest.mark.parametrize(
    ("line", "persists"),
    [
        (b"HTTP/1.1\r\nHost: x\r\n\r\n", True),
        (b"HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", False),
        (b"HTTP/1.1\r\nHost: x\r\nConnection: Keep-Alive, Close\r\n\r\n", False),
        (b"HTTP/1.0\r\n\r\n", False),
        (b"HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", True),
    ],
)
def test_a_connection_persists_as_its_client_wants(line: bytes, persists: bool) -> None:
    reader = read(b"GET /a " + line, b"GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
    assert [request.target for request in requests(reader)] == [b"/a", b"/b"][: 2 if persists else 1]


FIELDS = b"Host: x\r\nAccept: text/html\r\n\r\n"
PIECES = (
    b"GET /a HTTP/1.1\r\n" + FIELDS,
    b"GET /b?c=d?e HTTP/1.1\r\n" + FIELDS,
    b"HEAD /a HTTP/1.1\r\n" + FIELDS,
    b"GET /a#part HTTP/1.1\r\n" + FIELDS,
    b"GET /a HTTP/1.0\r\n" + FIELDS,
    b"POST /a HTTP/1.1\r\n" + FIELDS,
    b"GET http://y/a HTTP/1.1\r\n" + FIELDS,
    b"GET /a HTTP/1.1\r\nHost: y\r\n\r\n",
    b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n",
    b"GET /a HTTP/1.1\r\nX-Open: ",
    b"GE",
    b"T /a HTTP/1.1\r\n" + FIELDS,
    b"\r\n",
    FIELDS,
)


@given(st.lists(st.sampled_from(PIECES), max_size=7))
def test_requests_with_the_same_header_are_read_as_a_parser_reads_them(pieces: list[bytes]) -> None:
    parsed = RequestParser("192.0.2.1", lambda: None, lambda: None)
    for piece in pieces:
        parsed._header_block = b""  # noqa: SLF001  (forget what would spare the parser)
        parsed.feed(piece)
    assert parsed_events(read(*pieces)) == parsed_events(parsed)


def test_a_header_that_came_before_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read(PIECES[0])
    monkeypatch.setattr(RequestParser, "on_header", None)
    reader.feed(PIECES[1])
    assert [(request.method, request.target, request.query) for request in requests(reader)] == [
        ("GET", b"/a", b""),
        ("GET", b"/b", b"c=d?e"),
    ]
    assert [request.fields for request in requests(reader)] == [{b"accept": b"text/html"}] * 2
