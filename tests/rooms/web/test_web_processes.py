"""Worker processes: what ends the server, and what does not; and the door on a foreign ASGI server."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from support.edition import printed
from support.server import HOST, Server, free_port, load

TESTS = Path(__file__).parents[2]
HERE = """
import os, sys
from functools import partial
from citepress.web.serve import serve
from support.server import load

def broken():
    raise RuntimeError("this cannot be loaded")

if __name__ == "__main__":
    state, port, workers, what = sys.argv[1:]
    made = broken if what == "broken" else partial(load, state, 1000, ["127.0.0.1"])
    serve(made, port=int(port), workers=int(workers), announce=lambda: print("announced", flush=True))
"""
FOREIGN = """
import sys
from functools import partial
from granian import Granian
from granian.constants import Interfaces
from support.server import load

if __name__ == "__main__":
    state, port = sys.argv[1:3]
    server = Granian("archive", port=int(port), interface=Interfaces.ASGI, websockets=False)
    server.serve(target_loader=partial(load, state, 120, ["127.0.0.1"]), wrap_loader=False)
"""


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("state")
    printed(made)
    return made


@contextlib.contextmanager
def started(folder: Path, text: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A script in a process of its own; killed with its children where a test leaves it running."""
    script = folder / "served_here.py"
    script.write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    with subprocess.Popen([sys.executable, str(script), *arguments], stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(psutil.NoSuchProcess):
                for one in [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]:
                    one.kill()


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), 2) as link:
        link.sendall(b"GET /posts/x/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return link.recv(64).startswith(b"HTTP/1.1 200")
    return False


def until(what: object, seconds: float = 15) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if callable(what) and what():
            return True
        time.sleep(0.05)
    return False


def test_a_worker_that_cannot_load_ends_the_command_with_an_error(state: Path, tmp_path: Path) -> None:
    with started(tmp_path, HERE, str(state), str(free_port()), "2", "broken") as process:
        assert process.wait(20) == 1
        assert process.stdout is not None
        assert process.stdout.read() == ""


def test_the_port_is_announced_when_all_workers_answer_and_a_dead_one_is_replaced(state: Path, tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, HERE, str(state), str(port), "2", "whole") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "announced\n"
        before = psutil.Process(process.pid).children()
        assert len(before) == 2
        before[0].kill()
        assert all(answers(port) for _ in range(30))
        assert until(lambda: len({one.pid for one in psutil.Process(process.pid).children()} - {one.pid for one in before}) == 1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(6) == 0
        assert not any(one.is_running() for one in before)


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_the_server_while_clients_hang_on(state: Path, tmp_path: Path, sign: signal.Signals) -> None:
    port = free_port()
    with started(tmp_path, HERE, str(state), str(port), "1", "whole") as process:
        assert until(lambda: answers(port))
        with socket.create_connection((HOST, port), 5) as half, socket.create_connection((HOST, port), 5) as silent:
            half.sendall(b"POST /posts/x/ HTTP/1.1\r\nContent-Length: 10\r\n")
            began = time.monotonic()
            process.send_signal(sign)
            assert process.wait(6) == 0
            assert time.monotonic() - began < 5
            assert silent.recv(1) == b""


def test_workers_do_not_outlive_the_process_that_started_them(state: Path, tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, HERE, str(state), str(port), "2", "whole") as process:
        assert until(lambda: answers(port))
        workers = psutil.Process(process.pid).children()
        process.kill()
        assert until(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in workers))


def test_any_asgi_server_carries_the_door(state: Path, tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, FOREIGN, str(state), str(port)) as process:
        assert until(lambda: answers(port))
        server = Server(port, process)  # type: ignore[arg-type]
        answer = server.ask("/posts/x.json", **server.client())
        assert (answer.status, answer.type, answer.fields["ratelimit-limit"]) == (200, "application/json", "120")
        assert server.ask("/posts/x.json", if_none_match=answer.fields["etag"], **server.client()).status == 304
        assert server.ask("/a%zz", accept="application/json", **server.client()).status == 400
        assert server.ask("/posts/x/", "PUT", b"x" * 10).status == 405
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert load(str(state), 1, []).door.edition is not None
