"""What one client sends keeps the event loop for a bounded piece of work, whatever it is: counted in calls."""

import asyncio
import contextlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import citepress
from citepress.admin.build import Builder
from citepress.app.worker import create_app
from citepress.base import clock
from citepress.settings import Settings
from citepress.web.asgi import Asgi
from citepress.web.server.connection import MAX_TURN_ANSWERS
from citepress.web.server.listener import Listener
from support.folder import SITE, folder
from support.running_server import HOST
from support.server_with_actions import RECORDS
from support.waiting import PATIENCE_S

SENT_BYTES = 260_000
MAX_ROUND_CALLS = 30_000
"""Calls in one round of the event loop, those of functions in C included: a few milliseconds."""
PACKAGE = str(Path(citepress.__file__).parent)
POSTS = (b"/mcp", b"/agent-inbox/source", b"/agent-inbox/correction", b"/agent-inbox/usage-receipt", b"/robots.txt")
GETS = (
    b"/",
    b"/robots.txt",
    b"/posts.json",
    b"/posts/caching/",
    b"/none/of/these",
    b"/posts/?topic=caches",
    b"/search.json?query=caches",
    b"/search/?query=caches",
    b"/agent-actions/contextualize.json?url=https://spec.example/one",
)
WIDE = (b"{}", b"[]", b"0", b'""', b'{"a":1}', b'{"a":1,"a":2}', b'"\\u003a"', b'{"\\u0061":[[]]}', b'"a,[b"')
FIELDS = (b"Accept: a/b;q=0.1", b'If-None-Match: W/"a"', b"Cookie: a=b", b"Range: bytes=0-1", b"Accept-Encoding: x")


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """JSON of one shape: wide, deep, or one long text; now and then cut off."""
    size = draw(st.sampled_from((10, 2_000, 200_000)))
    part = draw(st.sampled_from(WIDE))
    shape = draw(st.sampled_from(("wide", "deep", "members", "text", "message")))
    if shape == "deep":
        opens, closes = draw(st.sampled_from(((b"[", b"]"), (b'{"a":', b"}"))))
        count = size // len(opens + closes)
        return opens * count + part + closes * draw(st.sampled_from((count, 0)))
    if shape == "text":
        return b'{"a":"%s"}' % (part.replace(b'"', b'\\"') * (size // len(part)))
    if shape == "members":
        return b"{%s}" % b",".join(b'"%d":%s' % (number % 500, part) for number in range(size // (len(part) + 6)))
    inner = b"[%s]" % b",".join([part] * (size // (len(part) + 1)))
    return inner if shape == "wide" else b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":%s}}' % inner


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """One request, valid or nearly."""
    field = draw(st.sampled_from(FIELDS))
    value = b",".join([field.partition(b": ")[2]] * draw(st.sampled_from((1, 1_500))))
    lines = [b"Host: localhost", field.partition(b":")[0] + b": " + value, b"Accept: application/json"]
    if draw(st.booleans()):
        query = draw(st.sampled_from((b"", b"?" + b"a=b&" * 1_500)))
        target = draw(st.sampled_from(GETS)) + query
        return b"\r\n".join([b"GET " + target + b" HTTP/1.1", *lines, b"", b""])
    body = draw(bodies())
    lines.append(b"Content-Type: application/json")
    piece = draw(st.sampled_from((0, 1, 1_000)))
    if piece:
        lines.append(b"Transfer-Encoding: chunked")
        parts = [body[at : at + piece] for at in range(0, len(body), piece)]
        body = b"".join([*(b"%x\r\n%b\r\n" % (len(part), part) for part in parts), b"0\r\n\r\n"])
    else:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([b"POST " + draw(st.sampled_from(POSTS)) + b" HTTP/1.1", *lines, b"", body])


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Asgi:
    """All that a worker answers, without limits."""
    path = tmp_path_factory.mktemp("archive")
    site = SITE + "[limits]\nrest = 1000000\nmcp = 1000000\n"
    root = folder(path / "archive", {f"content/{id_}.md": text for id_, text in RECORDS.items()}, site)
    options = Settings(root, path / "state")
    builder = Builder(options)
    built = builder.build(clock.now())
    builder.index(built, clock.now())
    app = create_app(options, built.pointer)
    return Asgi(app.site_app)


class Rounds:
    """The most work in one round of the event loop: calls from the package, and answers."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._calls = self.answers = self.max_calls = self.max_answers = 0

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Count as long as the block runs."""
        self._loop.call_soon(self._next)
        sys.setprofile(self._called)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _called(self, frame: FrameType, event: str, _argument: object) -> None:
        if event in {"call", "c_call"} and frame.f_code.co_filename.startswith(PACKAGE):
            self._calls += 1

    def _next(self) -> None:
        self.max_calls, self.max_answers = max(self.max_calls, self._calls), max(self.max_answers, self.answers)
        self._calls = self.answers = 0
        self._loop.call_soon(self._next)


async def work_of(application: Asgi, data: bytes) -> Rounds:
    """Send the bytes on one connection and read whatever is answered."""
    loop = asyncio.get_running_loop()
    rounds, stop, ready = Rounds(loop), asyncio.Event(), asyncio.Event()
    application.site_app.stopping = False

    def count(_request: object, _reply: object) -> None:
        rounds.answers += 1

    application.site_app.tap = count
    with socket.create_server((HOST, 0)) as at:
        at.setblocking(False)
        port = at.getsockname()[1]
        running = asyncio.create_task(Listener(application, loop).run(at, stop.wait(), ready.set))
        await asyncio.wait_for(ready.wait(), PATIENCE_S)
        reader, writer = await asyncio.open_connection(HOST, port)
        with rounds.counted(), contextlib.suppress(ConnectionError):
            writer.write(data)
            writer.write_eof()
            while await asyncio.wait_for(reader.read(1_000_000), PATIENCE_S):
                pass
        writer.transport.abort()
        stop.set()
        await running
    return rounds


def filled(unit: bytes) -> bytes:
    """The unit again and again, as long as a client may send before anybody answers."""
    return (unit * (SENT_BYTES // len(unit) + 1))[:SENT_BYTES]


def post(body: bytes) -> bytes:
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


@settings(max_examples=40)
@given(st.lists(requests(), min_size=1, max_size=3).map(b"".join))
@example(b"GET /robots.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
@example(b"GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n")
@example(post(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":["\\u003a"%s]}}' % (b',{"a":{}}' * 28_000)))
@example(post(b"[0%s]" % (b",[]" * 80_000)))
def test_a_round_of_the_event_loop_does_a_bounded_piece_of_work(application: Asgi, unit: bytes) -> None:
    with asyncio.Runner() as runner:
        rounds = runner.run(work_of(application, filled(unit)))
    # What arrives begins a turn, and another may follow in the same round where the connection had waited for one.
    assert rounds.max_answers <= 2 * MAX_TURN_ANSWERS
    assert rounds.max_calls <= MAX_ROUND_CALLS
