"""The server over real connections: order, bodies, patience, and how connections end, on both event loops."""

import asyncio

import pytest

from citepress.base.bounded_log import BoundedLog
from citepress.web.server import connection, listener
from support.connected_client import GET, Play
from support.in_process_server import LARGE, Client, Service
from support.waiting import PATIENCE_S, turns_of_the_loop


def test_answers_come_in_order_although_one_takes_longer(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        client.send(
            GET
            + b"GET /slow?1 HTTP/1.1\r\nHost: x\r\n\r\n"
            + GET
            + b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"
            + GET
        )
        assert (await client.answer())[0] == 200
        await turns_of_the_loop()
        assert service.events == ["begun", "slow"]
        service.gate.set()
        answers = [await client.answer() for _ in range(4)]
        assert [body[:6] for _, _, body in answers] == [b"slow1", b'{"titl', b"ab", b'{"titl']
        assert all("connection" not in fields and fields["date"].endswith("GMT") for _, fields, _ in answers)
        assert service.tapped == [
            ("GET", b"/posts/x.json", 200),
            ("GET", b"/slow", 200),
            ("GET", b"/posts/x.json", 200),
            ("POST", b"/echo", 200),
            ("GET", b"/posts/x.json", 200),
        ]

    play(test)


def test_a_client_that_asks_and_does_not_read_is_waited_for(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        count = 30
        client.writer.transport.pause_reading()
        client.send(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n" * count)
        count_before = -1
        while not service.tapped or len(service.tapped) > count_before:
            count_before = len(service.tapped)
            await turns_of_the_loop()
        assert 0 < len(service.tapped) < count
        client.writer.transport.resume_reading()
        for _ in range(count):
            assert (await client.answer())[0] == 200
        assert len(service.tapped) == count

    play(test)


def test_a_large_answer_arrives_whole(play: Play) -> None:
    async def test(_service: Service, client: Client) -> None:
        client.send(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        await turns_of_the_loop()
        assert (await client.answer())[2] == LARGE
        assert (await client.ask(GET))[0] == 200

    play(test)


def test_head_has_no_body_and_the_length_of_one(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        for path in (b"/posts/x.json", b"/echo", b"/none.json"):
            client.send(b"HEAD " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
            _, fields, _ = await client.answer(body=False)
            assert "content-length" in fields
        assert (await client.ask(GET))[0] == 200
        assert [method for method, _, _ in service.tapped] == ["HEAD", "HEAD", "HEAD", "GET"]

    play(test)


@pytest.mark.parametrize(
    ("header", "connection"),
    [
        (b"HTTP/1.0\r\n\r\n", "close"),
        (b"HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "keep-alive"),
        (b"HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "close"),
        (b"HTTP/1.1\r\nHost: x\r\n\r\n", ""),
    ],
)
def test_a_connection_ends_as_its_client_asks(play: Play, header: bytes, connection: str) -> None:
    async def test(service: Service, client: Client) -> None:
        service.gate.set()
        for path, status in ((b"/posts/x/", 200), (b"/none", 404), (b"/slow", 200)):
            link = client if path == b"/posts/x/" else await service.link()
            answer, fields, _ = await link.ask(b"GET " + path + b" " + header)
            assert (answer, fields.get("connection", "")) == (status, connection)
            if connection == "close":
                assert await link.ended() == b""
            else:
                assert (await link.ask(GET))[0] == 200
            link.close()

    play(test)


def test_an_action_that_wants_the_connection_to_end_ends_it(play: Play) -> None:
    async def test(_service: Service, client: Client) -> None:
        status, fields, body = await client.ask(b"GET /ends HTTP/1.1\r\nHost: x\r\n\r\n" + GET)
        assert (status, fields["connection"], body) == (403, "close", b"ends")
        assert await client.ended() == b""

    play(test)


def test_a_body_is_waited_for_and_a_client_told_to_send_it(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        client.send(b"POST /parts HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n")
        assert await client.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.send(b"one")
        await turns_of_the_loop()
        assert (await client.ask(b"two"))[::2] == (200, b"http.disconnect")
        assert service.events == ["begun", "one", "two"]

    play(test)


def test_who_has_begun_to_send_is_not_told_to(play: Play) -> None:
    async def test(_service: Service, client: Client) -> None:
        assert (
            await client.ask(b"POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab")
        )[::2] == (
            200,
            b"ab",
        )

    play(test)


def test_a_refused_body_is_not_asked_for(play: Play) -> None:
    async def test(_service: Service, client: Client) -> None:
        status, fields, _ = await client.ask(
            b"POST /posts/x/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n"
        )
        assert (status, fields["connection"]) == (405, "close")
        assert await client.ended() == b""

    play(test)


@pytest.mark.parametrize(
    "sent",
    [
        b"Content-Length: 10\r\n\r\n0123456789",
        b"Transfer-Encoding: chunked\r\n\r\n3\r\n012\r\n7\r\n3456789\r\n0\r\nX-Trailer: 1\r\n\r\n",
    ],
)
def test_bodies_of_both_framings_are_read(play: Play, sent: bytes) -> None:
    async def test(_service: Service, client: Client) -> None:
        for at in (0, 25, 30, 45, len(sent)):
            client.send(b"POST /echo HTTP/1.1\r\nHost: x\r\n" + sent[:at])
            await turns_of_the_loop()
            assert (await client.ask(sent[at:]))[2] == b"0123456789"

    play(test)


@pytest.mark.parametrize("chunked", [True, False])
def test_a_body_of_many_buffers_reaches_its_action(play: Play, chunked: bool) -> None:
    async def test(service: Service, client: Client) -> None:
        body = bytes(range(256)) * 3500
        framing = (
            b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" if chunked else b"Content-Length: %d\r\n\r\n%b"
        )
        client.send(
            b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"
            b"POST /echo HTTP/1.1\r\nHost: x\r\n" + framing % (len(body), body) + GET
        )
        await turns_of_the_loop()
        service.gate.set()
        assert (await client.answer())[2] == b"slow"
        assert (await client.answer())[2] == body
        assert (await client.answer())[0] == 200

    play(test)


def test_a_small_body_that_nobody_reads_does_not_end_the_connection(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        status, fields, _ = await client.ask(b"POST /posts/x/ HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\n")
        assert (status, fields.get("connection")) == (405, None)
        client.send(GET * (50_000 // len(GET)) + b"x" * (50_000 % len(GET)) + b"GET /echo HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await client.answer())[2] == b""
        assert [target for _, target, _ in service.tapped] == [b"/posts/x/", b"/echo"]

    play(test)


@pytest.mark.parametrize("framing", [b"Content-Length: 900000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\ndbba0\r\n"])
def test_a_large_body_that_nobody_reads_ends_the_connection_behind_the_answer(play: Play, framing: bytes) -> None:
    async def test(_service: Service, client: Client) -> None:
        client.send(b"POST /posts/x/ HTTP/1.1\r\nHost: x\r\n" + framing)
        for _ in range(90):
            client.send(b"x" * 10_000)
            await asyncio.sleep(0)
        status, fields, _ = await client.answer()
        assert (status, fields["connection"]) == (405, "close")
        assert await client.ended() in {b"", b"reset"}

    play(test)


def test_a_client_that_goes_away_is_told_to_the_action(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        client.send(b"POST /parts HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\none")
        await turns_of_the_loop()
        client.close()
        await turns_of_the_loop()
        assert service.events == ["begun", "one", "gone"]
        assert service.tapped == [("POST", b"/parts", 200)]

    play(test)


def test_a_client_that_sends_no_more_still_gets_its_answers(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        client.send(GET + b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n" + GET)
        client.writer.write_eof()
        assert (await client.answer())[0] == 200
        await turns_of_the_loop()
        service.gate.set()
        assert (await client.answer())[2] == b"slow"
        assert (await client.answer())[0] == 200
        assert await client.ended() == b""

    play(test)


def test_what_is_no_http_is_refused_behind_the_answers_before_it(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        client.send(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n" + GET + b"nonsense\r\n\r\n" + GET)
        await turns_of_the_loop()
        service.gate.set()
        assert [(await client.answer())[0] for _ in range(3)] == [200, 200, 400]
        assert await client.ended() == b""

    play(test)


def test_a_refusal_is_plain_text_that_nobody_keeps(play: Play) -> None:
    async def test(_service: Service, client: Client) -> None:
        status, fields, body = await client.ask(b"GET / HTTP/1.1\r\nHost : x\r\n\r\n")
        assert (status, fields["content-type"], fields["cache-control"], fields["connection"]) == (
            400,
            "text/plain; charset=utf-8",
            "no-store",
            "close",
        )
        assert body.startswith(b"The request cannot be read: ")

    play(test)


def test_a_field_that_would_end_its_line_is_never_sent(
    play: Play, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "log", BoundedLog("citepress.test"))

    async def test(_service: Service, client: Client) -> None:
        status, fields, _ = await client.ask(b"GET /torn HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (status, "set-cookie" in fields) == (500, False)
        assert await client.ended() == b""

    play(test)
    assert "holds a line end" in caplog.text


def test_a_header_that_takes_too_long_ends_the_connection(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEADER", 1)

    async def test(service: Service, client: Client) -> None:
        second = await service.link()
        assert (await second.ask(GET))[0] == 200
        for link in (client, second):
            link.send(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        for _ in range(20):
            for link in (client, second):
                link.send(b"x")
            await asyncio.sleep(0.1)
        await asyncio.sleep(1.2)
        assert await client.ended() in {b"", b"reset"}
        assert await second.ended() in {b"", b"reset"}
        second.close()

    play(test)


def test_an_idle_connection_is_ended(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "IDLE", 1)

    async def test(_service: Service, client: Client) -> None:
        assert (await client.ask(GET))[0] == 200
        assert await asyncio.wait_for(client.ended(), PATIENCE_S) == b""

    play(test)


def test_who_takes_nothing_for_too_long_is_cut_off(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "STALLED", 1)

    async def test(service: Service, client: Client) -> None:
        client.writer.transport.pause_reading()
        client.send(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n" * 4)
        await asyncio.sleep(4)
        client.writer.transport.resume_reading()
        assert len(await client.ended()) < 2 * len(LARGE)
        assert len(service.tapped) < 4

    play(test)


def test_stopping_lets_what_runs_finish_and_ends_what_idles(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        idle = await service.link()
        assert (await idle.ask(GET))[0] == 200
        client.send(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        await turns_of_the_loop()
        service.stop.set()
        assert await idle.ended() == b""
        with pytest.raises(OSError, match=r"\S"):
            await service.link()
        service.gate.set()
        _, fields, body = await client.answer()
        assert (fields["connection"], body) == ("close", b"slow")
        assert service.running
        await asyncio.wait_for(service.running, PATIENCE_S)
        assert service.events[-1] == "cancelled"
        idle.close()

    play(test)


def test_stopping_does_not_wait_for_ever(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "STOP_SECONDS", 0.3)

    async def test(service: Service, client: Client) -> None:
        client.send(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        await turns_of_the_loop()
        service.stop.set()
        assert service.running
        await asyncio.wait_for(service.running, PATIENCE_S)
        assert await client.ended() in {b"", b"reset"}

    play(test)
