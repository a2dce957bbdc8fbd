"""``citepress serve`` closes hours in a process of its own, publishes the counts, and ends that process with it."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from citepress.base import clock
from citepress_telemetry.ports import Batch, SpoolRow
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.stores import open_rollup_store
from support.folder import folder, post, topic
from support.running_server import Server, serving_command
from support.waiting import PATIENCE_S, until

pytestmark = pytest.mark.long

REPORT = "/crawler-journeys.json"


FILES = {"content/posts/one.md": post(), "content/topics/moves.md": topic()}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return folder(tmp_path / "site", FILES)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder with requests of three hours ago."""
    directory = tmp_path / "state"
    database = open_rollup_store(directory)
    bot = SqlDimensions(database).family("GPTBot", "OpenAI", "training", "crawler", "direct", "", named=True)
    route = SqlDimensions(database).route("/robots.txt")
    hour = _hour() - 3
    rows = [SpoolRow(0, hour * 3_600_000 + at, 7, bot, 3, route, 0, 3, 200, 100, 1, 0, 0, 0) for at in range(5)]
    spool = open_spool(directory)
    spool.append("a", Batch(rows, {}, [(hour, slot) for slot in range(360)]))
    spool.close()
    database.close()
    return directory


def _hour() -> int:
    return int(clock.now().timestamp()) // 3600


def _aggregators(parent: int) -> list[int]:
    """What a process has started and what steps back behind others; the tests may be niced themselves."""
    polite = min(19, os.getpriority(os.PRIO_PROCESS, parent) + 10)
    return [child for child in _children(parent) if _command(child) and _priority(child) == polite]


def _children(parent: int) -> list[int]:
    """What any thread of a process has started; a thread may end meanwhile."""
    children: list[int] = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        with suppress(OSError):
            children += map(int, (task / "children").read_text().split())
    return children


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def _priority(process: int) -> int | None:
    try:
        return os.getpriority(os.PRIO_PROCESS, process)
    except ProcessLookupError:
        return None


def _ended(process: int) -> bool:
    return not _command(process)


@pytest.fixture
def server(site: Path, state: Path) -> Iterator[Server]:
    with serving_command(site, state) as started:
        yield started


def test_past_hours_are_closed_and_published_while_serving(server: Server, state: Path) -> None:
    rollups = SqlRollups(open_rollup_store(state))
    assert until(lambda: rollups.last_closed() is not None)
    assert until(lambda: server.ask(REPORT, **server.client()).json()["status"] != "not_observed")
    day = server.ask(REPORT, **server.client()).json()["windows"]["24h"]
    assert [(row["family"], row["requests"], row["sessions"]) for row in day["families"]] == [("GPTBot", 5, 1)]
    first = rollups.first_closed()
    assert first
    assert (first.rows, first.observed_seconds) == (5, 3600)


def test_the_aggregator_is_polite_and_is_started_again_when_it_dies(server: Server) -> None:
    assert until(lambda: len(_aggregators(server.process.pid)) == 1)
    first = _aggregators(server.process.pid)[0]
    os.kill(first, signal.SIGKILL)
    assert until(lambda: _aggregators(server.process.pid) not in ([], [first]))


def test_the_aggregator_ends_with_its_server(server: Server) -> None:
    assert until(lambda: len(_aggregators(server.process.pid)) == 1)
    process = _aggregators(server.process.pid)[0]
    server.process.terminate()
    server.process.wait(PATIENCE_S)
    assert _ended(process)


def test_the_aggregator_does_not_outlive_a_server_that_was_killed(server: Server) -> None:
    assert until(lambda: len(_aggregators(server.process.pid)) == 1)
    process = _aggregators(server.process.pid)[0]
    children = _children(server.process.pid)
    server.process.kill()
    server.process.wait(PATIENCE_S)
    assert until(lambda: _ended(process))
    for child in children:
        if "citepress" in _command(child):
            os.kill(child, signal.SIGTERM)


def test_an_aggregator_that_the_settings_leave_to_another_is_not_started(site: Path, state: Path) -> None:
    with (site / "site.toml").open("a") as file:
        file.write("\n[telemetry]\naggregator = false\n")
    with serving_command(site, state) as server:
        assert server.ask(REPORT).status == 200
        assert len(_children(server.process.pid)) == 1  # the worker
