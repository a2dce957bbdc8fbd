"""Requests out of bytes: where they end, what is refused, and what is mended."""

import pytest

from citepress.web.message import Request
from citepress.web.server.exchange import Exchange
from citepress.web.server.reading import HEAD_BYTES, Broken, Reader

STREAM = (
    b"GET /a?b=c HTTP/1.1\r\nHost: x\r\nAccept: text/html \r\n\r\n"
    b"POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"
    b"GET /a HTTP/1.1\r\nHost: x\r\nAccept: text/html \r\n\r\n"
    b"POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3;x=y\r\ntwo\r\n0\r\nTrailer: t\r\n\r\n"
    b"HEAD /d HTTP/1.1\r\nHost: y\r\nX-A:\r\nX-A: 2\r\n\r\n"
)


def read(*pieces: bytes) -> Reader:
    reader = Reader("192.0.2.1", lambda: None, lambda: None)
    for piece in pieces:
        reader.feed(piece)
    return reader


def requests(reader: Reader) -> list[Request]:
    return [one if isinstance(one, Request) else one.request for one in reader.queue if not isinstance(one, Broken)]


def told(reader: Reader) -> list[tuple[object, ...]]:
    """All that was read, to be compared."""
    found: list[tuple[object, ...]] = []
    for one in reader.queue:
        if isinstance(one, Broken):
            found.append(tuple(one))
            continue
        request = one if isinstance(one, Request) else one.request
        body = one.body.whole if isinstance(one, Exchange) and one.body else None
        found.append((request.method, request.target, request.query, tuple(request.headers), request.size, dict(request.fields), body))
    return found


def test_requests_are_read_whole() -> None:
    whole = told(read(STREAM))
    assert [one[:3] for one in whole] == [
        ("GET", b"/a", b"b=c"), ("POST", b"/b", b""), ("GET", b"/a", b""), ("POST", b"/c", b""), ("HEAD", b"/d", b""),
    ]  # fmt: skip
    assert [one[6] for one in whole] == [None, b"body", None, b"onetwo", None]
    assert whole[0][3:6] == (((b"host", b"x"), (b"accept", b"text/html")), 28, {b"accept": b"text/html"})
    assert whole[2][3:6] == whole[0][3:6]
    assert whole[4][3] == ((b"host", b"y"), (b"x-a", b""), (b"x-a", b"2"))


@pytest.mark.parametrize("at", range(1, len(STREAM)))
def test_it_does_not_matter_where_a_stream_is_cut(at: int) -> None:
    assert told(read(STREAM[:at], STREAM[at:])) == told(read(STREAM))


def test_a_stream_may_come_byte_by_byte() -> None:
    assert told(read(*(STREAM[at : at + 1] for at in range(len(STREAM))))) == told(read(STREAM))


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 4, 4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: +4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: -4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 0x4\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length:\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked, identity\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding:\r\n\r\n", 400),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding : chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length : 4\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
        (b"GET / HTTP/1.1\nHost: x\n\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\nX: y\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\rX: y\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nX: a\x00b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nX\x00: a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n: a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nnothing\r\n\r\n", 400),
        (b"GET /a b HTTP/1.1\r\n\r\n", 400),
        (b"GET /\x01 HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.2\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 505),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01", 400),
        (b"G@T / HTTP/1.1\r\n\r\n", 400),
    ],
)
def test_what_is_no_http_is_refused_and_nothing_is_read_behind_it(head: bytes, status: int) -> None:
    hidden = b"GET /hidden HTTP/1.1\r\n\r\n"
    reader = read(b"GET /first HTTP/1.1\r\n\r\n" + head + hidden, hidden)
    assert [request.target for request in requests(reader)] == [b"/first"]
    assert reader.ended
    last = reader.queue[-1]
    assert isinstance(last, Broken)
    assert last.status == status
    assert "\n" not in last.words


@pytest.mark.parametrize(
    "chunks", [b"4\nbody\r\n0\r\n\r\n", b"4\r\nbody0\r\n\r\n", b"-1\r\n", b"0x4\r\nbody\r\n", b"ffffffffffffffffff\r\n", b" 4\r\nbody\r\n"]
)
def test_a_malformed_chunk_is_refused_behind_its_request(chunks: bytes) -> None:
    reader = read(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    assert len(requests(reader)) == 1
    assert isinstance(reader.queue[-1], Broken)


@pytest.mark.parametrize("method", ["get", "X", "PURGE-ALL"])
def test_a_method_that_the_parser_does_not_know_reaches_the_door(method: str) -> None:
    for one in (f"{method} /a HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", f"\r\n{method} /a HTTP/1.1\r\nContent-Length: 2\r\n\r\nab"):
        reader = read(one.encode(), b"GET /next HTTP/1.1\r\n\r\n")
        assert [(request.method, request.target) for request in requests(reader)] == [(method, b"/a"), ("GET", b"/next")]


def test_bytes_beyond_ascii_in_a_target_are_escaped() -> None:
    (request,) = requests(read("GET /ü?ä=% HTTP/1.1\r\n\r\n".encode()))
    assert (request.method, request.target, request.query) == ("GET", b"/%C3%BC", b"%C3%A4=%")


def test_an_absolute_target_names_the_host() -> None:
    reader = read(
        b"GET http://a.example:80/x?y=1 HTTP/1.1\r\nHost: b.example\r\n\r\nGET HTTPS://a.example?z HTTP/1.1\r\nHost: b.example\r\n\r\n"
    )
    first, second = requests(reader)
    assert (first.target, first.query, list(first.headers)) == (b"/x", b"y=1", [(b"host", b"a.example:80")])
    assert (second.target, second.query) == (b"/", b"z")


@pytest.mark.parametrize(
    "framing", [b"Content-Length: 4\r\n\r\nbody", b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", b"\r\n"]
)
def test_a_wish_for_another_protocol_is_passed_over_and_the_body_is_read(framing: bytes) -> None:
    wish = b"POST /a HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n" + framing
    following = wish + b"GET /b HTTP/1.1\r\n\r\n"
    for at in range(1, len(following)):
        reader = read(following[:at], following[at:])
        first, _ = reader.queue
        assert isinstance(first, Exchange)
        assert first.persists
        assert (first.body.whole if first.body else b"body") == b"body"
        assert [request.target for request in requests(reader)] == [b"/a", b"/b"]


def test_behind_connect_nothing_is_read() -> None:
    reader = read(b"CONNECT a.example:443 HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n", b"GET /c HTTP/1.1\r\n\r\n")
    assert [(request.method, request.target) for request in requests(reader)] == [("CONNECT", b"a.example:443")]


@pytest.mark.parametrize(
    ("line", "persists"),
    [
        (b"HTTP/1.1\r\n\r\n", True), (b"HTTP/1.1\r\nConnection: close\r\n\r\n", False), (b"HTTP/1.1\r\nConnection: Keep-Alive, Close\r\n\r\n", False),
        (b"HTTP/1.0\r\n\r\n", False), (b"HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", True),
    ],
)  # fmt: skip
def test_a_connection_persists_as_its_client_wants(line: bytes, persists: bool) -> None:
    reader = read(b"GET /a " + line, b"GET /b HTTP/1.1\r\n\r\n")
    assert [request.target for request in requests(reader)] == [b"/a", b"/b"][: 2 if persists else 1]


def test_a_header_too_large_to_keep_is_handed_over_as_it_is() -> None:
    for piece in (b"X-Large: " + b"a" * 1000, b"X: " + b"a" * 1000 + b"\r\n"):
        reader = read(b"GET /a HTTP/1.1\r\n", *[piece] * (HEAD_BYTES // 1000 + 2))
        (request,) = requests(reader)
        assert (request.method, request.target) == ("GET", b"/a")
        assert request.size > HEAD_BYTES
    (request,) = requests(read(b"GET /", *[b"a" * 1000] * (HEAD_BYTES // 1000 + 2)))
    assert len(request.target) > HEAD_BYTES
    assert request.size == 0


def test_requests_behind_each_other_do_not_count_as_one_header() -> None:
    one = b"GET /a HTTP/1.1\r\nX: " + b"a" * 10_000 + b"\r\n\r\n"
    reader = read(*[one[at : at + 7000] for at in range(0, len(one), 7000)] * 20)
    assert len(requests(reader)) == 20
    assert not reader.ended
