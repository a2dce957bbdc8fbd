"""Servers for all tests that only read; they trust us as a proxy, so each test may be a client of its own."""

from collections.abc import Iterator

import pytest

from support.demo import DEMO, Demo
from support.edition import printed
from support.mcp import BOTH, HANDSHAKE, MODERN, Wire, endpoint_running
from support.selling import Counter, counter_over
from support.server import Server, running, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    state = tmp_path_factory.mktemp("state")
    printed(state)
    with running(state) as started:
        yield started


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with serving(DEMO, tmp_path_factory.mktemp("demo")) as started:
        yield Demo(started)


@pytest.fixture(scope="session")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counter]:
    state = tmp_path_factory.mktemp("selling")
    with serving(DEMO, state) as started, counter_over(started, str(state / "state.sqlite")) as made:
        yield made


@pytest.fixture(scope="session")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with endpoint_running(tmp_path_factory.mktemp("mcp")) as started:
        yield started


@pytest.fixture(params=BOTH)
def path(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=(MODERN, "", *HANDSHAKE))
def wire(endpoint: Server, path: str, request: pytest.FixtureRequest) -> Wire:
    return Wire(endpoint, path, request.param)


@pytest.fixture
def modern(endpoint: Server, path: str) -> Wire:
    return Wire(endpoint, path, MODERN)


@pytest.fixture(params=("", *HANDSHAKE))
def older(endpoint: Server, path: str, request: pytest.FixtureRequest) -> Wire:
    return Wire(endpoint, path, request.param)
