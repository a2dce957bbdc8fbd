"""Requests out of bytes: where they end, what is refused, and what is mended."""

import sys
import time
import tracemalloc
from types import FrameType

import pytest

from citepress.http.message import Request
from citepress.http.path import HEADER_BYTES, MOST_FIELDS, TARGET_BYTES
from citepress.web.server.parser import HEAD_BYTES, ProtocolError, RequestParser
from citepress.web.server.pending import PendingRequest

GET = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"

STREAM = (
    b"GET /a?b=c HTTP/1.1\r\nHost: x\r\nAccept: text/html \r\n\r\n"
    b"POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"
    b"GET /a HTTP/1.1\r\nHost: x\r\nAccept: text/html \r\n\r\n"
    b"POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3;x=y\r\ntwo\r\n0\r\nTrailer: t\r\n\r\n"
    b"HEAD /d HTTP/1.1\r\nHost: y\r\nX-A:\r\nX-A: 2\r\n\r\n"
)


def read(*pieces: bytes) -> RequestParser:
    reader = RequestParser("192.0.2.1", lambda: None, lambda: None)
    for piece in pieces:
        reader.feed(piece)
    return reader


def requests(reader: RequestParser) -> list[Request]:
    return [one if isinstance(one, Request) else one.request for one in reader.queue if not isinstance(one, ProtocolError)]


def told(reader: RequestParser) -> list[tuple[object, ...]]:
    """All that was read, to be compared."""
    found: list[tuple[object, ...]] = []
    for one in reader.queue:
        if isinstance(one, ProtocolError):
            found.append(tuple(one))
            continue
        request = one if isinstance(one, Request) else one.request
        body = one.body.whole if isinstance(one, PendingRequest) and one.body else None
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
    "chunks", [b"4\nbody\r\n0\r\n\r\n", b"4\r\nbody0\r\n\r\n", b"-1\r\n", b"0x4\r\nbody\r\n", b"ffffffffffffffffff\r\n", b" 4\r\nbody\r\n"]
)
def test_a_malformed_chunk_is_refused_behind_its_request(chunks: bytes) -> None:
    reader = read(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    assert len(requests(reader)) == 1
    assert isinstance(reader.queue[-1], ProtocolError)


@pytest.mark.parametrize("method", ["get", "X", "PURGE-ALL"])
def test_a_method_that_the_parser_does_not_know_reaches_the_door(method: str) -> None:
    for one in (
        f"{method} /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab",
        f"\r\n{method} /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab",
    ):
        reader = read(one.encode(), b"GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
        assert [(request.method, request.target) for request in requests(reader)] == [(method, b"/a"), ("GET", b"/next")]


def test_bytes_beyond_ascii_in_a_target_are_escaped() -> None:
    (request,) = requests(read("GET /ü?ä=% HTTP/1.1\r\nHost: x\r\n\r\n".encode()))
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
    wish = (
        b"POST /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
        + framing
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
        b"CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /c HTTP/1.1\r\nHost: x\r\n\r\n"
    )
    assert [(request.method, request.target) for request in requests(reader)] == [("CONNECT", b"a.example:443")]


@pytest.mark.parametrize(
    ("line", "persists"),
    [
        (b"HTTP/1.1\r\nHost: x\r\n\r\n", True), (b"HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", False), (b"HTTP/1.1\r\nHost: x\r\nConnection: Keep-Alive, Close\r\n\r\n", False),
        (b"HTTP/1.0\r\n\r\n", False), (b"HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", True),
    ],
)  # fmt: skip
def test_a_connection_persists_as_its_client_wants(line: bytes, persists: bool) -> None:
    reader = read(b"GET /a " + line, b"GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
    assert [request.target for request in requests(reader)] == [b"/a", b"/b"][: 2 if persists else 1]


@pytest.mark.parametrize("piece", [b"X-Large: " + b"a" * 1000, b"X: " + b"a" * 1000 + b"\r\n", b"a:b\r\n" * 200])
@pytest.mark.parametrize("method", ["GET", "POST", "PURGE"])
def test_a_header_too_large_to_keep_is_handed_over_without_it(method: str, piece: bytes) -> None:
    reader = read(method.encode() + b" /a HTTP/1.1\r\nHost: x\r\n", *[piece] * (HEAD_BYTES // 1000 + 2))
    (request,) = requests(reader)
    assert (request.method, request.target) == (method, b"/a")
    assert request.size > HEADER_BYTES
    assert len(list(request.headers)) <= MOST_FIELDS
    assert reader.ended


def test_a_target_too_large_to_keep_is_handed_over_as_it_is() -> None:
    (request,) = requests(read(b"GET /", *[b"a" * 1000] * (HEAD_BYTES // 1000 + 2)))
    assert len(request.target) > TARGET_BYTES
    assert request.size == 0


@pytest.mark.parametrize("fields", [b"a:b\r\n" * MOST_FIELDS, b"X: " + b"a" * HEADER_BYTES + b"\r\n"])
def test_a_header_that_came_whole_is_bounded_too_and_nothing_is_read_behind_it(fields: bytes) -> None:
    reader = read(b"GET /a HTTP/1.1\r\nHost: x\r\n" + fields + b"\r\n" + GET)
    (request,) = requests(reader)
    (exchange,) = reader.queue
    assert isinstance(exchange, PendingRequest)
    assert (request.size > HEADER_BYTES, exchange.persists, exchange.cut, reader.ended) == (True, False, True, True)


def test_a_hundred_fields_are_taken() -> None:
    (request,) = requests(read(b"GET /a HTTP/1.1\r\nHost: x\r\n" + b"a:b\r\n" * (MOST_FIELDS - 1) + b"\r\n"))
    assert request.size < HEADER_BYTES


@pytest.mark.parametrize("at", [0, 1, 3, 4, 5, 6, 7, 8, 9, 10])
@pytest.mark.parametrize(
    "line", [b"GET / RTSP/1.0", b"GET / RTSP/1.1", b"OPTIONS * RTSP/1.0", b"DESCRIBE rtsp://x/y RTSP/1.0", b"SOURCE / ICE/1.0"]
)
def test_the_line_of_another_protocol_is_refused_behind_the_requests_before_it(line: bytes, at: int) -> None:
    foreign = line + b"\r\nHost: x\r\n\r\n"
    reader = read(GET + foreign[:at], foreign[at:] + GET)
    assert [request.target for request in requests(reader)] == [b"/a"]
    assert reader.queue[-1] == ProtocolError(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")


def test_a_field_may_speak_of_another_protocol() -> None:
    (request,) = requests(read(b"GET /a HTTP/1.1\r\nHost: x\r\nUser-Agent: player RTSP/1.0 ICE/1.0\r\n\r\n"))
    assert dict(request.headers)[b"user-agent"] == b"player RTSP/1.0 ICE/1.0"


@pytest.mark.parametrize("line", [b"GET /\r\n\r\n", b"GET / HTTP/0.9\r\nHost: x\r\n\r\n", b"GET / HTTP/2.0\r\nHost: x\r\n\r\n"])
def test_other_versions_are_505(line: bytes) -> None:
    last = read(GET + line + GET).queue[-1]
    assert isinstance(last, ProtocolError)
    assert last.status == 505


@pytest.mark.parametrize(
    "host",
    [
        b"", b"Host: x\r\nHost: x\r\n", b"Host: x\r\nhost: y\r\n", b"Host:\r\n", b"Host: a b\r\n", b"Host: a,b\r\n", b"Host: a/b\r\n",
        b"Host: a@b\r\n", b"Host: a:b\r\n", b"Host: [::1\r\n", b"Host: a:80:80\r\n", b"Host: \xff\r\n", b"Host: a?b\r\n", b"Host: " + b"a" * 300 + b"\r\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("target", [b"/a", b"http://a.example/a", b"*"])
def test_a_request_without_one_sound_host_is_refused(host: bytes, target: bytes) -> None:
    reader = read(GET + b"GET " + target + b" HTTP/1.1\r\n" + host + b"\r\n" + GET)
    assert [request.target for request in requests(reader)] == [b"/a"]
    last = reader.queue[-1]
    assert isinstance(last, ProtocolError)
    assert last.status == 400


@pytest.mark.parametrize(
    "host", [b"x", b"x:", b"x:8000", b"[::1]", b"[2001:db8::1]:443", b"a-b.example", b"xn--bcher-kva.example", b"192.0.2.1"]
)
def test_a_sound_host_is_taken(host: bytes) -> None:
    assert len(requests(read(b"GET /a HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"))) == 1


def test_a_client_of_http_1_0_may_leave_the_host_out_but_not_pass_that_on() -> None:
    old = b"GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    reader = read(old, old, b"GET /b HTTP/1.1\r\nConnection: keep-alive\r\n\r\n")
    assert [request.target for request in requests(reader)] == [b"/a", b"/a"]
    assert isinstance(reader.queue[-1], ProtocolError)


@pytest.mark.parametrize(
    "rest",
    [
        b"0\r\n" + b"a:b\r\n" * 200, b"0\r\nX: " + b"a" * 40_000, b"0;" + b"a" * 40_000, b"1;" + b"a" * 40_000 + b"\r\nx\r\n",
        (b"1;" + b"a" * 9000 + b"\r\nx\r\n") * 4,
    ],
)  # fmt: skip
def test_what_a_chunked_body_spends_beside_its_content_is_bounded(rest: bytes) -> None:
    reader = read(CHUNKED, *[rest[at : at + 4096] for at in range(0, len(rest), 4096)], b"\r\n" + GET)
    first, last = reader.queue
    assert isinstance(first, PendingRequest)
    assert isinstance(last, ProtocolError)
    assert first.body
    assert (last.status, first.body.broken, reader.body) == (431, True, None)


def test_a_body_in_the_smallest_chunks_is_read() -> None:
    rest = b"1\r\nx\r\n" * 50_000 + b"0\r\n" + b"a:b\r\n" * 50 + b"\r\n"
    reader = read(CHUNKED, *[rest[at : at + 16_384] for at in range(0, len(rest), 16_384)])
    (exchange,) = reader.queue
    assert isinstance(exchange, PendingRequest)
    assert exchange.body
    assert exchange.body.whole == b"x" * 50_000


@pytest.mark.parametrize(
    "one", [b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /a HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"]
)
def test_any_number_of_requests_for_another_protocol_is_read_without_recursion(one: bytes) -> None:
    depth = 0

    def note(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal depth
        deep, back = 0, frame.f_back
        while event == "call" and back is not None:
            deep, back = deep + 1, back.f_back
        depth = max(depth, deep)

    sys.setprofile(note)
    try:
        read(one)
        shallow, depth = depth, 0
        read(one * 200)
    finally:
        sys.setprofile(None)
    assert depth <= shallow + 2


def test_a_connection_keeps_little_of_what_it_has_answered() -> None:
    small, large = (b"GET /a HTTP/1.1\r\nHost: x\r\nX: " + b"a" * size + b"\r\n\r\n" for size in (100, 28_000))
    tracemalloc.start()
    try:
        reader = read(small)
        reader.queue.clear()
        before = tracemalloc.get_traced_memory()[0]
        reader.feed(large[:16_000])
        reader.feed(large[16_000:])
        reader.queue.clear()
        assert tracemalloc.get_traced_memory()[0] - before < 2000
    finally:
        tracemalloc.stop()


def test_requests_behind_each_other_do_not_count_as_one_header() -> None:
    one = b"GET /a HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 10_000 + b"\r\n\r\n"
    reader = read(*[one[at : at + 7000] for at in range(0, len(one), 7000)] * 20)
    assert len(requests(reader)) == 20
    assert not reader.ended


@pytest.mark.parametrize("line", [b"A" * 16_000, b"GET /" + b"A" * 16_000, b"X: " + b" ICE/" * 3000, b"GET" + b" RTSP/" * 2000])
def test_a_search_for_other_protocols_takes_no_longer_than_its_bytes(line: bytes) -> None:
    begun = time.process_time()
    for _ in range(20):
        read(b"GET /a HTTP/1.1\r\nHost: x\r\nX: ", line, line, b"\n" + line)
        read(line, line)
    assert time.process_time() - begun < 2


def test_a_value_that_arrives_in_parts_may_speak_of_another_protocol() -> None:
    whole = b"GET /a HTTP/1.1\r\nHost: x\r\nX: GET / RTSP/1.0\r\nY:\tGET / RTSP/1.0\r\n\r\n"
    for at in range(1, len(whole)):
        (request,) = requests(read(whole[:at], whole[at:]))
        assert dict(request.headers)[b"x"] == b"GET / RTSP/1.0"
