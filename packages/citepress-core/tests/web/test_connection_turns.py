"""The turns of a connection that asks for much at once: how many answers, and when others have theirs."""

import asyncio
from pathlib import Path

import pytest

from citepress.web.server import connection
from support.connected_client import GET, Play
from support.in_process_server import Client, Service, listening, run


def test_a_connection_carries_a_thousand_requests(play: Play) -> None:
    async def test(service: Service, client: Client) -> None:
        client.send(GET * (connection.MAX_REQUESTS + 5))
        answers = [await client.answer() for _ in range(connection.MAX_REQUESTS)]
        assert [fields.get("connection") for _, fields, _ in answers[:-1]] == [None] * (connection.MAX_REQUESTS - 1)
        assert answers[-1][1]["connection"] == "close"
        assert await client.ended() == b""
        assert len(service.tapped) == connection.MAX_REQUESTS

    play(test)


@pytest.mark.parametrize(
    ("request_bytes", "count"), [(GET, connection.MAX_TURN_ANSWERS), (b"GET /none/ HTTP/1.1\r\nHost: x\r\n\r\n", 1)]
)
def test_requests_in_a_row_wait_while_others_are_answered(state: Path, request_bytes: bytes, count: int) -> None:
    async def test() -> None:
        async with listening(state) as service:
            loop, before = asyncio.get_running_loop(), [0]
            rounds: list[int] = []

            def next_round() -> None:
                rounds.append(len(service.tapped) - before[0])
                before[0] = len(service.tapped)
                loop.call_soon(next_round)

            clients = [await service.link() for _ in range(3)]
            loop.call_soon(next_round)
            for client in clients:
                client.send(request_bytes * 300)
            for client in clients:
                for _ in range(300):
                    await client.answer()
            # In one round each connection may begin, and one of those that were deferred goes on.
            assert max(rounds) <= count * (len(clients) + 1)
            assert sum(number > 0 for number in rounds) >= 300 // count

    run("asyncio", test())
