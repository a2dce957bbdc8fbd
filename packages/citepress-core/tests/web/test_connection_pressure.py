"""What one client may cost the others: bodies in pieces, connections without number, requests that cannot be read."""

import asyncio
import os
import resource
import subprocess
import sys
import tracemalloc
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from citepress.base.file_part import FilePart
from citepress.edition.edition import open_edition, pointer
from citepress.edition.pack import LARGE_BYTES
from citepress.http.body import receive_body
from citepress.http.message import Receive, Request, Response
from citepress.web.server import connection
from citepress.web.server.connection import SENT_BYTES
from support.edition import PLAIN_TEXT, archive, leaf, printed
from support.in_process_server import LOOPS, Client, Service, answer, listening, run
from support.waiting import PATIENCE_S, turns_of_the_loop

GET = b"GET /posts/x.json HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
ROWS = "a row of a large table\n" * 400_000
Test = Callable[[Service, Client], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("state")
    printed(directory, [*archive(), leaf("/large.txt", PLAIN_TEXT, ROWS)])
    return directory


@pytest.fixture(params=LOOPS)
def play(request: pytest.FixtureRequest, state: Path) -> Play:
    """Plays a test against a listener of so many connections, with one client connected."""

    async def played(test: Test, connections: int) -> None:
        async with listening(state, connections) as service:
            service.site_app.actions = {"/read": read_whole}
            client = await service.link()
            try:
                await test(service, client)
            finally:
                client.close()

    return lambda test, connections=1000: run(request.param, played(test, connections))


async def read_whole(_request: Request, receive: Receive) -> Response:
    body = await receive_body(receive, 100_000, PATIENCE_S)
    return answer(b"whole" if isinstance(body, bytes) else b"none")


def test_a_large_leaf_is_a_part_of_the_file_and_a_small_one_is_not(state: Path) -> None:
    edition = open_edition(pointer(state))
    large, small = edition.find("/large.txt"), edition.find("/robots.txt")
    assert large is not None
    assert small is not None
    assert len(ROWS) > LARGE_BYTES
    assert isinstance(large.coded["identity"].body, FilePart)
    assert isinstance(small.coded["identity"].body, bytes)
    assert bytes(large.coded["identity"].body) == ROWS.encode()
    assert edition.find("/large.txt") is large


@pytest.mark.parametrize(
    "message",
    [b"HEAD /large.txt HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /large.txt HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\n"],
)
def test_a_header_costs_no_copy_of_the_body(play: Play, message: bytes) -> None:
    async def test(_service: Service, client: Client) -> None:
        tracemalloc.start()
        try:
            client.send(message)
            status, fields, _ = await client.answer(body=False)
            assert tracemalloc.get_traced_memory()[1] < len(ROWS) // 10
        finally:
            tracemalloc.stop()
        assert status in {200, 304}
        assert status == 304 or fields["content-length"] == str(len(ROWS))

    play(test)


def test_clients_that_do_not_read_cost_little_and_nobody_waits_for_them(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        tracemalloc.start()
        try:
            lazy = [await service.link() for _ in range(20)]
            for connection in lazy:
                connection.writer.transport.pause_reading()
                connection.send(b"GET /large.txt HTTP/1.1\r\nHost: x\r\n\r\n")
            for _ in range(20):
                assert (await asyncio.wait_for(client.ask(GET), PATIENCE_S))[0] == 200
                await asyncio.sleep(0.01)
            assert tracemalloc.get_traced_memory()[1] < 20 * 2 * SENT_BYTES + 1_000_000
        finally:
            tracemalloc.stop()
        lazy[0].writer.transport.resume_reading()
        assert (await lazy[0].answer())[2] == ROWS.encode()
        for connection in lazy:
            connection.close()

    play(test)


def test_what_is_asked_behind_a_large_body_is_answered_behind_it(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        client.send(
            b"GET /large.txt HTTP/1.1\r\nHost: x\r\n\r\n"
            + GET
            + b"GET /large.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        assert (await client.answer())[2] == ROWS.encode()
        assert (await client.answer())[2].startswith(b'{"titl')
        assert (await client.answer())[2] == ROWS.encode()
        assert await client.ended() == b""
        assert [status for _, _, status in service.tapped] == [200, 200, 200]

    play(test)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (CHUNKED + b"xyz\r\n", 400),
        (CHUNKED + b"2\r\n{}\r\n0\r\n" + b"a:b\r\n" * 200, 431),
        (CHUNKED + b"2\r\n{}\r\n0\r\nX: " + b"a" * 40_000, 431),
        (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a:b\r\n" * 101 + b"\r\n", 431),
        (b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n" + b"a:b\r\n" * 101 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 33_000 + b"\r\n\r\n", 431),
        (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / RTSP/1.0\r\nHost: x\r\n\r\n", 505),
    ],
)
def test_what_cannot_be_read_is_refused_at_once_and_ends_the_connection(play: Play, sent: bytes, status: int) -> None:
    async def test(_service: Service, client: Client) -> None:
        code, fields, _ = await asyncio.wait_for(client.ask(sent), PATIENCE_S)
        assert (code, fields["connection"]) == (status, "close")
        assert await asyncio.wait_for(client.ended(), PATIENCE_S) in {b"", b"reset"}

    play(test)


def test_tunnels_that_are_asked_for_by_the_hundred_are_refused_once(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    async def test(_service: Service, client: Client) -> None:
        status, fields, _ = await client.ask(b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n" * 460)
        assert (status // 100, fields["connection"]) == (4, "close")
        assert await client.ended() in {b"", b"reset"}

    play(test)
    assert caplog.text == ""


def test_where_all_connections_are_taken_the_one_that_idles_longest_makes_room(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LINGER", 0)

    async def test(service: Service, client: Client) -> None:
        assert (await client.ask(GET))[0] == 200
        await asyncio.sleep(2.1)
        others = [await service.link() for _ in range(9)]
        for other in others:
            assert (await other.ask(GET))[0] == 200
        late = await service.link()
        assert (await late.ask(GET))[0] == 200
        assert await asyncio.wait_for(client.ended(), PATIENCE_S) in {b"", b"reset"}
        assert (await others[0].ask(GET))[0] == 200
        for other in (late, *others):
            other.close()

    play(test, 10)


def test_where_all_are_being_answered_a_newcomer_is_told_to_come_back(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        others = [client, *[await service.link() for _ in range(9)]]
        for other in others:
            other.send(CHUNKED + b"2\r\n{}\r\n")
        await turns_of_the_loop()
        late = await service.link()
        status, fields, _ = await late.answer()
        assert (status, fields["connection"], fields["retry-after"]) == (503, "close", "5")
        for other in others:
            other.send(b"0\r\n\r\n")
            assert (await other.answer())[2] == b"whole"
        assert (await others[0].ask(GET))[0] == 200
        for other in (late, *others):
            other.close()

    play(test, 10)


def test_the_limit_on_descriptors_is_raised_to_the_hard_one_at_start() -> None:
    hard = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 4096)
    script = (
        f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, {hard}));from citepress.web.server.listener"
        " import descriptors; print(descriptors(), resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout.strip() == f"{hard} ({hard}, {hard})"
