"""Starting, stopping and changing the edition, over the wire."""

import os
import signal
import socket
import time
from pathlib import Path

import pytest

from citepress.web.serve import CannotListenError, listening_address, serve
from support.edition import page, printed
from support.preloaded import start
from support.running_server import HOST, Server, running
from support.waiting import PATIENCE_S, until


def test_before_the_first_edition_the_answer_is_503_and_then_it_is_served(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        for path in ("/", "/posts.json"):
            answer = server.ask(path)
            assert (answer.status, answer.type, answer.fields["retry-after"]) == (503, "application/problem+json", "1")
            assert answer.fields["cache-control"] == "no-store"
        printed(tmp_path)
        assert _until(server, "/posts/x/", 200)


def test_a_new_edition_replaces_the_old_while_serving(tmp_path: Path) -> None:
    printed(tmp_path)
    with running(tmp_path) as server:
        assert server.ask("/posts/new/").status == 404
        before = server.ask("/posts/x/").fields["etag"]
        printed(tmp_path, [*page("/", "Home"), *page("/posts/new/", "New"), *page("/posts/x/", "Other words")])
        assert _until(server, "/posts/new/", 200)
        assert server.ask("/posts/x/", if_none_match=before).status == 200
        assert server.ask("/posts.json").status == 404


def test_a_damaged_edition_leaves_the_last_good_one(tmp_path: Path) -> None:
    pointed = printed(tmp_path)
    with running(tmp_path) as server:
        pointed.write_bytes(b'{"layers": ["none.pack"]}')
        time.sleep(1.2)
        assert server.ask("/posts/x/").status == 200
        printed(tmp_path, page("/posts/later/", "Later"))
        assert _until(server, "/posts/later/", 200)


def test_one_connection_carries_many_requests(server: Server) -> None:
    request = b"GET /posts/x/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection((HOST, server.port), PATIENCE_S) as link:
        for _ in range(3):
            link.sendall(request)
            assert link.recv(65536).startswith(b"HTTP/1.1 200 OK")


def test_sigterm_ends_the_server_although_a_client_stays_connected(tmp_path: Path) -> None:
    printed(tmp_path)
    with running(tmp_path) as server, socket.create_connection((HOST, server.port), PATIENCE_S) as link:
        link.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert link.recv(16).startswith(b"HTTP/1.1 200")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE_S) == 0


def test_a_busy_port_is_one_sentence(server: Server) -> None:
    with pytest.raises(CannotListenError) as caught:
        serve(lambda: pytest.fail("nothing is loaded"), port=server.port)
    assert (
        str(caught.value)
        == f"Cannot listen on 127.0.0.1 port {server.port}: another program listens there; choose another port with"
        " --port."
    )


@pytest.mark.parametrize(
    ("host", "port"), [("203.0.113.250", 8000), ("no-such-host.invalid", 8000), ("127.0.0.1", 70000), ("127.0.0.1", 0)]
)
def test_an_impossible_address_is_one_sentence(host: str, port: int) -> None:
    with pytest.raises(CannotListenError, match="Cannot listen on"):
        listening_address(host, port)


def test_a_busy_port_ends_the_command_with_an_error(server: Server, tmp_path: Path) -> None:
    arguments = [str(tmp_path), str(server.port), "120", "X-Forwarded-For"]
    assert start("support.running_server:main", arguments, os.environ).wait(PATIENCE_S) == 1


def _until(server: Server, path: str, status: int) -> bool:
    """Whether a path answers so within a generous time."""
    return until(lambda: server.ask(path).status == status)
