"""Tests against a real listener with one client connected, on both event loops."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from support.edition import printed
from support.in_process_server import LOOPS, Client, Service, listening, run

GET = b"GET /posts/x.json HTTP/1.1\r\nHost: x\r\n\r\n"
Test = Callable[[Service, Client], Awaitable[None]]
Play = Callable[[Test], None]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("state")
    printed(directory)
    return directory


@pytest.fixture(params=LOOPS)
def play(request: pytest.FixtureRequest, state: Path) -> Play:
    """Plays a test against a listener, with one client connected."""

    async def played(test: Test) -> None:
        async with listening(state) as service:
            client = await service.link()
            try:
                await test(service, client)
            finally:
                client.close()

    return lambda test: run(request.param, played(test))
