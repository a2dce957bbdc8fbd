"""Parsing requests: limits of headers, trailers and lines, valid request lines and hosts, and what is remembered."""

import sys
import time
import tracemalloc
from types import FrameType

import pytest

from citepress.http.limits import HEADER_BYTES, MAX_HEADER_FIELDS, TARGET_BYTES
from citepress.web.server.parser import HEAD_BYTES, ProtocolError, RequestParser
from citepress.web.server.pending import PendingRequest
from support.request_reader import CHUNKED, GET, read, requests


@pytest.mark.parametrize("piece", [b"X-Large: " + b"a" * 1000, b"X: " + b"a" * 1000 + b"\r\n", b"a:b\r\n" * 200])
@pytest.mark.parametrize("method", ["GET", "POST", "PURGE"])
def test_a_header_too_large_to_keep_is_handed_over_without_it(method: str, piece: bytes) -> None:
    reader = read(method.encode() + b" /a HTTP/1.1\r\nHost: x\r\n", *[piece] * (HEAD_BYTES // 1000 + 2))
    (request,) = requests(reader)
    assert (request.method, request.target) == (method, b"/a")
    assert request.size > HEADER_BYTES
    assert len(list(request.headers)) <= MAX_HEADER_FIELDS
    assert reader.ended


def test_a_target_too_large_to_keep_is_handed_over_as_it_is() -> None:
    (request,) = requests(read(b"GET /", *[b"a" * 1000] * (HEAD_BYTES // 1000 + 2)))
    assert len(request.target) > TARGET_BYTES
    assert request.size == 0


@pytest.mark.parametrize("fields", [b"a:b\r\n" * MAX_HEADER_FIELDS, b"X: " + b"a" * HEADER_BYTES + b"\r\n"])
def test_a_header_that_came_whole_is_bounded_too_and_nothing_is_read_behind_it(fields: bytes) -> None:
    reader = read(b"GET /a HTTP/1.1\r\nHost: x\r\n" + fields + b"\r\n" + GET)
    (request,) = requests(reader)
    (exchange,) = reader.queue
    assert isinstance(exchange, PendingRequest)
    assert (request.size > HEADER_BYTES, exchange.persists, exchange.cut, reader.ended) == (True, False, True, True)


def test_a_hundred_fields_are_taken() -> None:
    (request,) = requests(read(b"GET /a HTTP/1.1\r\nHost: x\r\n" + b"a:b\r\n" * (MAX_HEADER_FIELDS - 1) + b"\r\n"))
    assert request.size < HEADER_BYTES


@pytest.mark.parametrize("at", [0, 1, 3, 4, 5, 6, 7, 8, 9, 10])
@pytest.mark.parametrize(
    "line",
    [b"GET / RTSP/1.0", b"GET / RTSP/1.1", b"OPTIONS * RTSP/1.0", b"DESCRIBE rtsp://x/y RTSP/1.0", b"SOURCE / ICE/1.0"],
)
def test_the_line_of_another_protocol_is_refused_behind_the_requests_before_it(line: bytes, at: int) -> None:
    foreign = line + b"\r\nHost: x\r\n\r\n"
    reader = read(GET + foreign[:at], foreign[at:] + GET)
    assert [request.target for request in requests(reader)] == [b"/a"]
    assert reader.queue[-1] == ProtocolError(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")


def test_a_field_may_speak_of_another_protocol() -> None:
    (request,) = requests(read(b"GET /a HTTP/1.1\r\nHost: x\r\nUser-Agent: player RTSP/1.0 ICE/1.0\r\n\r\n"))
    assert dict(request.headers)[b"user-agent"] == b"player RTSP/1.0 ICE/1.0"


@pytest.mark.parametrize(
    "line", [b"GET /\r\n\r\n", b"GET / HTTP/0.9\r\nHost: x\r\n\r\n", b"GET / HTTP/2.0\r\nHost: x\r\n\r\n"]
)
def test_other_versions_are_505(line: bytes) -> None:
    last = read(GET + line + GET).queue[-1]
    assert isinstance(last, ProtocolError)
    assert last.status == 505


@pytest.mark.parametrize(
    "host",
    [
        b"",
        b"Host: x\r\nHost: x\r\n",
        b"Host: x\r\nhost: y\r\n",
        b"Host:\r\n",
        b"Host: a b\r\n",
        b"Host: a,b\r\n",
        b"Host: a/b\r\n",
        b"Host: a@b\r\n",
        b"Host: a:b\r\n",
        b"Host: [::1\r\n",
        b"Host: a:80:80\r\n",
        b"Host: \xff\r\n",
        b"Host: a?b\r\n",
        b"Host: " + b"a" * 300 + b"\r\n",
    ],
)
@pytest.mark.parametrize("target", [b"/a", b"http://a.example/a", b"*"])
def test_a_request_without_one_sound_host_is_refused(host: bytes, target: bytes) -> None:
    reader = read(GET + b"GET " + target + b" HTTP/1.1\r\n" + host + b"\r\n" + GET)
    assert [request.target for request in requests(reader)] == [b"/a"]
    last = reader.queue[-1]
    assert isinstance(last, ProtocolError)
    assert last.status == 400


@pytest.mark.parametrize(
    "host",
    [b"x", b"x:", b"x:8000", b"[::1]", b"[2001:db8::1]:443", b"a-b.example", b"xn--bcher-kva.example", b"192.0.2.1"],
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
        b"0\r\n" + b"a:b\r\n" * 200,
        b"0\r\nX: " + b"a" * 40_000,
        b"0;" + b"a" * 40_000,
        b"1;" + b"a" * 40_000 + b"\r\nx\r\n",
        (b"1;" + b"a" * 9000 + b"\r\nx\r\n") * 4,
    ],
)
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
    "raw",
    [
        b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /a HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
    ],
)
def test_any_number_of_requests_for_another_protocol_is_read_without_recursion(raw: bytes) -> None:
    depth = 0

    def note(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal depth
        deep, back = 0, frame.f_back
        while event == "call" and back is not None:
            deep, back = deep + 1, back.f_back
        depth = max(depth, deep)

    sys.setprofile(note)
    try:
        read(raw)
        shallow, depth = depth, 0
        read(raw * 200)
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
    raw = b"GET /a HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 10_000 + b"\r\n\r\n"
    reader = read(*[raw[at : at + 7000] for at in range(0, len(raw), 7000)] * 20)
    assert len(requests(reader)) == 20
    assert not reader.ended


@pytest.mark.parametrize(
    "line", [b"A" * 16_000, b"GET /" + b"A" * 16_000, b"X: " + b" ICE/" * 3000, b"GET" + b" RTSP/" * 2000]
)
def test_a_search_for_other_protocols_takes_no_longer_than_its_bytes(line: bytes) -> None:
    begun = time.process_time()
    for _ in range(20):
        read(b"GET /a HTTP/1.1\r\nHost: x\r\nX: ", line, line, b"\n" + line)
        read(line, line)
    assert time.process_time() - begun < 10


def test_a_value_that_arrives_in_parts_may_speak_of_another_protocol() -> None:
    whole = b"GET /a HTTP/1.1\r\nHost: x\r\nX: GET / RTSP/1.0\r\nY:\tGET / RTSP/1.0\r\n\r\n"
    for at in range(1, len(whole)):
        (request,) = requests(read(whole[:at], whole[at:]))
        assert dict(request.headers)[b"x"] == b"GET / RTSP/1.0"


def test_a_header_of_too_many_fields_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    read_fields = []
    taken = RequestParser.on_header
    monkeypatch.setattr(
        RequestParser, "on_header", lambda self, *field: (read_fields.append(field), taken(self, *field))
    )
    reader = read(GET[:-2] + b"aa:bb\r\n" * 2000)
    assert len(read_fields) == MAX_HEADER_FIELDS + 1
    (request,) = reader.queue
    assert isinstance(request, PendingRequest)
    assert (request.cut, request.request.size > HEADER_BYTES, reader.ended) == (True, True, True)
