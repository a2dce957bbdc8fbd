"""Messages while the server stops: what is running is answered, what begins gets 503 (design, T14)."""

import json
import signal
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from support.folder import folder, post
from support.mcp_endpoint import MODERN, fields, message
from support.running_server import HOST, Server, serving
from support.waiting import PATIENCE_S, until

CALL: dict[str, Any] = {
    "name": "submit_source",
    "arguments": {"url": "https://source.example/a", "reason": "It measures what we estimate."},
}


class Link:
    """One connection to a server."""

    def __init__(self, server: Server, *, modern: bool) -> None:
        self.body = json.dumps(message("tools/call", CALL, modern=modern)).encode()
        headers = {
            "host": f"{HOST}:{server.port}",
            "content-length": str(len(self.body)),
            **fields("tools/call", CALL, modern=modern),
        }
        self.head = (
            "POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        ).encode()
        self.socket = socket.create_connection((HOST, server.port), PATIENCE_S)

    def answer(self) -> tuple[HTTPResponse, Any]:
        """The answer, and that nothing comes behind it."""
        response = HTTPResponse(self.socket, method="POST")
        response.begin()
        reply = json.loads(response.read())
        assert self.socket.recv(10) == b""
        return response, reply


def is_read(link: socket.socket) -> bool:
    """Whether the server has read everything that was sent to it: nothing waits in the queue of its socket."""
    ports = link.getpeername()[1], link.getsockname()[1]
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, near, far, _, queues, *_ = line.split()
        if (int(near.rpartition(":")[2], 16), int(far.rpartition(":")[2], 16)) == ports:
            return int(queues.rpartition(":")[2], 16) == 0
    return False


def stop(server: Server, link: Link) -> None:
    """Tell the server to stop when it has read what a connection sent; return when it is stopping."""
    with closing(socket.create_connection((HOST, server.port), PATIENCE_S)) as idle:
        idle.sendall(b"OPTIONS / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        response = HTTPResponse(idle, method="OPTIONS")
        response.begin()
        response.read()
        assert until(lambda: is_read(link.socket))
        server.process.send_signal(signal.SIGTERM)
        assert idle.recv(1) == b"", "a server that stops ends connections that idle"


@contextmanager
def ready(tmp_path: Path, *, modern: bool) -> Iterator[tuple[Server, Link, Path]]:
    content = folder(tmp_path / "content", {"content/posts/one.md": post()})
    with serving(content, tmp_path / "state") as server:
        link = Link(server, modern=modern)
        with closing(link.socket):
            yield server, link, tmp_path / "state" / "state.sqlite"


@pytest.mark.requirement("mcp-T14")
@pytest.mark.parametrize("era", [MODERN, ""])
def test_a_message_that_is_complete_only_then_is_told_to_come_again(tmp_path: Path, era: str) -> None:
    with ready(tmp_path, modern=bool(era)) as (server, link, store):
        link.socket.sendall(link.head + link.body[:20])
        stop(server, link)
        link.socket.sendall(link.body[20:])
        response, reply = link.answer()
        assert (response.status, response.headers["retry-after"], response.headers["connection"]) == (503, "1", "close")
        assert (reply["id"], reply["error"]["code"]) == (1, -31503)
        assert server.process.wait(PATIENCE_S) == 0
    assert count(store) == 0


@pytest.mark.requirement("mcp-T14")
@pytest.mark.parametrize("era", [MODERN, ""])
def test_a_call_that_runs_is_answered_before_the_end(tmp_path: Path, era: str) -> None:
    with (
        ready(tmp_path, modern=bool(era)) as (server, link, store),
        closing(sqlite3.connect(store, isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")  # the call waits for the store
        link.socket.sendall(link.head + link.body)
        stop(server, link)
        other.execute("ROLLBACK")
        response, reply = link.answer()
        assert (response.status, response.headers["connection"]) == (200, "close")
        assert "status: queued" in reply["result"]["content"][0]["text"]
        assert server.process.wait(PATIENCE_S) == 0
    assert count(store) == 1


def count(store: Path) -> int:
    with closing(sqlite3.connect(store)) as link:
        return int(link.execute("SELECT count(*) FROM submissions").fetchone()[0])
