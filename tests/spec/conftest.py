"""Servers for all tests that only read; they trust us as a proxy, so each test may be a client of its own."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.demo import DEMO, Demo
from support.edition import printed
from support.mcp_endpoint import BOTH, HANDSHAKE, MODERN, Wire, endpoint_running
from support.running_server import Server, running, serving
from support.server_with_payments import PaymentServer, payment_server_over

WRITTEN = 1_772_409_600
"""When the edition was written, as far as its file says: 2 March 2026, 00:00 UTC."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    state = tmp_path_factory.mktemp("state")
    printed(state)
    for pack in (state / "edition").glob("*.pack"):
        os.utime(pack, (WRITTEN, WRITTEN))
    with running(state) as started:
        yield started


@pytest.fixture(scope="session")
def demo_state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="session")
def demo(demo_state: Path) -> Iterator[Demo]:
    with serving(DEMO, demo_state) as started:
        yield Demo(started)


@pytest.fixture(scope="session")
def counter(demo: Demo, demo_state: Path) -> Iterator[PaymentServer]:
    with payment_server_over(demo.server, str(demo_state / "state.sqlite")) as seller:
        yield seller


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
