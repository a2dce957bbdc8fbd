"""Worker processes: what ends the server, and what does not; and the door on a foreign ASGI server."""

import contextlib
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from citepress.web.server.worker_pool import PAUSE_SECONDS, STEADY_SECONDS, next_pause
from support.edition import printed
from support.preloaded import importing_tests
from support.running_server import HOST, Server, free_port, load
from support.waiting import PATIENCE_S, until

HERE = """
import os, sys, threading
from functools import partial
from citepress.web.serve import serve
from citepress.web.server import worker_pool
from support.running_server import load
load_whole = load

def broken():
    raise RuntimeError("this cannot be loaded")

def endless():
    os.write(1, b"loading\\n")
    threading.Event().wait()

def until_broken(flag, *arguments):
    if os.path.exists(flag):
        raise RuntimeError("this cannot be\\nloaded any more")
    return load_whole(*arguments)

def until_stuck(flag, *arguments):
    while os.path.exists(flag):
        threading.Event().wait(0.1)
    return load_whole(*arguments)

if __name__ == "__main__":
    state, port, workers, what = sys.argv[1:]
    if what.startswith("/"):
        load = partial(until_stuck if what.endswith("stuck") else until_broken, what)
        worker_pool.MAX_LOADING_S = 3.0
    made = {"broken": broken, "endless": endless}.get(what) or partial(load, state, 1000, ["127.0.0.1"])
    serve(made, port=int(port), workers=int(workers), announce=lambda: print("announced", flush=True))
"""
FOREIGN = """
import sys
from functools import partial
from granian import Granian
from granian.constants import Interfaces
from support.running_server import load

if __name__ == "__main__":
    state, port = sys.argv[1:3]
    server = Granian("archive", port=int(port), interface=Interfaces.ASGI, websockets=False)
    server.serve(target_loader=partial(load, state, 120, ["127.0.0.1"]), wrap_loader=False)
"""


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("state")
    printed(directory)
    return directory


@contextlib.contextmanager
def started(folder: Path, text: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A script in a process of its own; killed with its children where a test leaves it running."""
    script = folder / "served_here.py"
    script.write_text(text)
    log = (folder / "log").open("wb")
    with (
        log,
        subprocess.Popen(
            [sys.executable, str(script), *arguments],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=importing_tests(),
        ) as process,
    ):
        try:
            yield process
        finally:
            with contextlib.suppress(psutil.NoSuchProcess):
                for child in [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]:
                    child.kill()


def connected(port: int) -> socket.socket:
    return socket.create_connection((HOST, port), PATIENCE_S)


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), connected(port) as link:
        link.sendall(b"GET /posts/x/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return link.recv(64).startswith(b"HTTP/1.1 200")
    return False


def test_a_worker_that_cannot_load_ends_the_command_with_an_error(state: Path, tmp_path: Path) -> None:
    with started(tmp_path, HERE, str(state), str(free_port()), "2", "broken") as process:
        assert process.wait(PATIENCE_S) == 1
        assert process.stdout is not None
        assert process.stdout.read() == ""


def test_the_port_is_announced_when_all_workers_answer_and_a_dead_one_is_replaced(state: Path, tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, HERE, str(state), str(port), "2", "whole") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "announced\n"
        before = workers_of(process)
        assert len(before) == 2
        before[0].kill()
        assert all(answers(port) for _ in range(30))
        assert until(lambda: len(worker_ids(process) - {child.pid for child in before}) == 1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
        assert not any(child.is_running() for child in before)


def test_workers_that_die_at_once_are_started_less_and_less_often_with_a_line_each(state: Path, tmp_path: Path) -> None:
    port, flag, log = free_port(), tmp_path / "flag", tmp_path / "log"
    with started(tmp_path, HERE, str(state), str(port), "2", str(flag)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "announced\n"
        flag.touch()
        workers_of(process)[0].kill()
        assert until(lambda: log.read_text().count("cannot answer") >= 2)
        flag.unlink()
        assert all(answers(port) for _ in range(10)), "the other one goes on"
        assert until(lambda: len(worker_ids(process)) == 2 and answers(port))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    lines = log.read_text().splitlines()
    ends = [line for line in lines if "a worker ended with code" in line]
    reasons = [
        line for line in lines if "a worker cannot answer: RuntimeError: this cannot be loaded any more (" in line
    ]
    assert len(lines) == len(ends) + len(reasons)


@contextlib.contextmanager
def whole(state: Path, folder: Path, workers: int = 2) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server that has announced its port."""
    port = free_port()
    with started(folder, HERE, str(state), str(port), str(workers), "whole") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "announced\n"
        yield process, port


def workers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The workers; the process that tidies up after processes that were spawned is none."""
    children = psutil.Process(process.pid).children()
    with contextlib.suppress(psutil.NoSuchProcess):
        return [child for child in children if "resource_tracker" not in " ".join(child.cmdline())]
    return []


def worker_ids(process: subprocess.Popen[str]) -> set[int]:
    return {child.pid for child in workers_of(process)}


def test_a_stopped_worker_is_replaced(state: Path, tmp_path: Path) -> None:
    with whole(state, tmp_path) as (process, port):
        stopped = min(worker_ids(process))
        psutil.Process(stopped).suspend()
        assert until(lambda: stopped not in worker_ids(process) and len(worker_ids(process)) == 2)
        assert until(lambda: all(answers(port) for _ in range(10)))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    assert "has not reported for 10 s" in (tmp_path / "log").read_text()


def test_a_replacement_that_hangs_before_it_answers_is_replaced_too(state: Path, tmp_path: Path) -> None:
    port, flag = free_port(), tmp_path / "stuck"
    with started(tmp_path, HERE, str(state), str(port), "2", str(flag)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "announced\n"
        flag.touch()
        former = workers_of(process)[0]
        former.kill()
        assert until(lambda: "has not reported for 3 s" in (tmp_path / "log").read_text())
        flag.unlink()
        assert until(lambda: len(worker_ids(process) - {former.pid}) == 2 and all(answers(port) for _ in range(10)))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0


def test_sighup_replaces_each_worker_while_requests_are_answered(state: Path, tmp_path: Path) -> None:
    with whole(state, tmp_path) as (process, port):
        before = worker_ids(process)
        process.send_signal(signal.SIGHUP)
        count = 0
        while before & worker_ids(process) or len(worker_ids(process)) != 2:
            assert answers(port)
            count += 1
        assert count
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0


def test_a_server_whose_terminal_session_ends_while_a_worker_is_stopped_goes_on(state: Path, tmp_path: Path) -> None:
    # The system sends SIGHUP to a group that loses its last parent outside while one of its processes is stopped.
    port, script = free_port(), tmp_path / "served_here.py"
    script.write_text(HERE)
    command = [sys.executable, str(script), str(state), str(port), "1", "whole"]
    launcher = (
        "import os, subprocess, sys\n"
        "if os.fork():\n    os.wait()\n"
        "else:\n"
        "    os.setpgid(0, 0)\n"
        f"    served = subprocess.Popen({command!r}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)\n"
        "    served.stdout.readline()\n"
        "    print(served.pid, flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-c", launcher],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=importing_tests(),
            start_new_session=True,
        ) as session,
    ):
        assert session.stdin is not None
        assert session.stdout is not None
        server = psutil.Process(int(session.stdout.readline()))
        try:
            server.children()[0].suspend()
            session.stdin.write("end\n")
            session.stdin.flush()
            session.wait(PATIENCE_S)
            assert until(lambda: "SIGHUP" in (tmp_path / "log").read_text())
            assert until(lambda: answers(port))
            assert server.is_running()
        finally:
            server.terminate()
            psutil.wait_procs([server], PATIENCE_S)


def test_a_server_that_stops_answers_every_client_that_it_let_connect(state: Path, tmp_path: Path) -> None:
    def ask_until_refused() -> list[bytes]:
        said: list[bytes] = []
        while True:
            try:
                link = connected(port)
            except ConnectionRefusedError:
                return said
            with link:
                try:
                    link.sendall(b"GET /posts/x/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    said.append(link.recv(15))
                except OSError as error:
                    said.append(str(error).encode())

    with whole(state, tmp_path) as (process, port), ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(ask_until_refused) for _ in range(8)]
        assert all(answers(port) for _ in range(30))
        process.send_signal(signal.SIGTERM)
        said = [word for client in asking for word in client.result(PATIENCE_S)]
        assert process.wait(PATIENCE_S) == 0
    assert set(said) == {b"HTTP/1.1 200 OK"}


def test_the_pause_before_a_replacement_grows_while_workers_die_young() -> None:
    pauses = [PAUSE_SECONDS]
    for _ in range(5):
        pauses.append(next_pause(pauses[-1], 0.5))
    assert pauses == [1, 2, 4, 8, 10, 10]
    assert next_pause(10, STEADY_SECONDS) == PAUSE_SECONDS


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_the_server_while_clients_hang_on(state: Path, tmp_path: Path, sign: signal.Signals) -> None:
    port = free_port()
    with started(tmp_path, HERE, str(state), str(port), "1", "whole") as process:
        assert until(lambda: answers(port))
        with connected(port) as half, connected(port) as silent:
            half.sendall(b"POST /posts/x/ HTTP/1.1\r\nContent-Length: 10\r\n")
            process.send_signal(sign)
            assert process.wait(PATIENCE_S) == 0
            assert silent.recv(1) == b""


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_a_server_whose_workers_are_still_loading(
    state: Path, tmp_path: Path, sign: signal.Signals
) -> None:
    with started(tmp_path, HERE, str(state), str(free_port()), "2", "endless") as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["loading\n"] * 2
        process.send_signal(sign)
        assert process.wait(PATIENCE_S) == 0


def test_workers_do_not_outlive_the_process_that_started_them(state: Path, tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, HERE, str(state), str(port), "2", "whole") as process:
        assert until(lambda: answers(port))
        workers = psutil.Process(process.pid).children()
        process.kill()
        assert until(
            lambda: not any(worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE for worker in workers)
        )


def test_a_worker_ends_with_its_parent_although_another_one_hangs(state: Path, tmp_path: Path) -> None:
    with started(tmp_path, HERE, str(state), str(free_port()), "2", "whole") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "announced\n"
        first, last = sorted(workers_of(process), key=psutil.Process.create_time)
        last.suspend()  # it holds what its parent held when it was forked
        process.kill()
        try:
            assert until(lambda: not first.is_running() or first.status() == psutil.STATUS_ZOMBIE)
        finally:
            last.kill()


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
        assert process.wait(PATIENCE_S) == 0
    assert load(str(state), 1, []).site_app.edition is not None
