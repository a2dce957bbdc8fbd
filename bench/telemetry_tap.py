"""What counting costs a request: ``python bench/telemetry_tap.py [--requests N] [--rounds N]``.

Bars of 3, 0.5, 6 and 5 µs.

The tap alone, with room and when full; the writer's preparation and its insert into SQLite, an event; and
``citepress serve`` on the demo archive with counting and without, processor time of the process tree a GET, writer
included, rounds interleaved.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import load
import meter
import serve

from citepress.app.registry import table
from citepress.base import clock
from citepress.edition.leaf import Leaf
from citepress.http.client_address import ClientAddressResolver
from citepress.http.message import Request, Response
from citepress_telemetry.capture.context import EnrichmentContext, IdMaps
from citepress_telemetry.capture.enrich import Enricher
from citepress_telemetry.capture.route_templates import RouteTemplates
from citepress_telemetry.capture.salts import Salts
from citepress_telemetry.capture.self_traffic import SelfTraffic
from citepress_telemetry.capture.tap import Tap
from citepress_telemetry.identify.reloading_ranges import ReloadingRanges
from citepress_telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.stores import open_rollup_store

EVENTS, BATCH, ROUNDS = 20_000, 1_000, 5
FIELDS = (
    b"host",
    b"connection",
    b"sec-ch-ua",
    b"upgrade-insecure-requests",
    b"sec-fetch-site",
    b"sec-fetch-dest",
    b"accept-language",
    b"priority",
)
AGENTS = (
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "curl/8.5.0",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
)
SAID = {"Accept_Encoding": "br", "User_Agent": AGENTS[0], "Accept": "application/json"}


def main() -> int:
    """Print each figure beside its bar."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--requests", type=int, default=20_000)
    options.add_argument("--rounds", type=int, default=5)
    arguments = options.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}")
    exchanges = [_exchange(number) for number in range(EVENTS)]
    room, full = Tap(ClientAddressResolver().address, EVENTS * ROUNDS + 1), Tap(ClientAddressResolver().address, 0)
    print(f"tap: {_cost(lambda: [room(*event) for event in exchanges]):.2f} µs (bar: 3)")
    print(f"tap, when full: {_cost(lambda: [full(*event) for event in exchanges]):.2f} µs (bar: 0.5)")
    prepare, insert = _writer(room)
    print(f"writer: {prepare:.2f} µs to prepare, {insert:.2f} µs to insert an event (bar: 6 together)")
    without, counting = _served(arguments.requests, arguments.rounds)
    print(
        f"GET of a JSON record, the thread that answers: {without[0]:.1f} µs without counting, {counting[0]:.1f} with"
        " (bar: + 5)"
    )
    print(
        f"GET of a JSON record, the whole process tree: {without[1]:.1f} µs without counting, {counting[1]:.1f} with"
        " (bar: + 9)"
    )
    return 0


def _exchange(number: int) -> tuple[Request, Response]:
    """A request with the fields of a browser, and its answer; one in fifty is for what is not there."""
    lines = [(name, b"value") for name in FIELDS] + [
        (b"accept", b"text/html,*/*;q=0.8"),
        (b"user-agent", AGENTS[number % 3].encode()),
    ]
    page = f"posts/note-{number % 6000}"
    leaf = Leaf(f"/{page}/", "/posts/{slug}/", "html", "text/html", b"", "", canonical=page) if number % 50 else None
    request = Request(
        "GET", f"/{page}/".encode() if leaf else b"/wp-login.php", b"", lines, f"203.0.{number % 6}.{number % 50}"
    )
    return request, Response(200 if leaf else 404, [(b"content-type", b"text/html")], b"x" * 100, leaf)


def _cost(call: Callable[[], object]) -> float:
    """Microseconds an event, the best of several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.thread_time()
        call()
        best = min(best, time.thread_time() - began)
    return best / EVENTS * 1e6


def _writer(tap: Tap) -> tuple[float, float]:
    """Microseconds an event, to prepare and to insert, in batches as they are written."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        spool, ranges = open_spool(state), ReloadingRanges(state / "ranges.json", clock.now, 7)
        parts = EnrichmentContext(
            UserAgentClassifier(),
            ranges,
            SqlDimensions(open_rollup_store(state)),
            SelfTraffic(["loopback"]),
            RouteTemplates(table()),
        )
        sorter = Enricher(parts)
        id_maps = IdMaps(
            {f"posts/note-{number}": number + 1 for number in range(6000)},
            Salts(spool, lambda: clock.nanoseconds() / 1e9),
        )
        prepared = written = 0.0
        for turn in range(EVENTS // BATCH + 1):
            events = tap.take(BATCH)
            began = time.thread_time()
            batch = sorter.batch(events, id_maps)
            sorted_at = time.thread_time()
            spool.append("bench", batch)
            if turn:  # the first learns the names
                prepared += sorted_at - began
                written += time.thread_time() - sorted_at
        spool.close()
    return prepared / EVENTS * 1e6, written / EVENTS * 1e6


def _served(requests: int, rounds: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """Microseconds of the processor a GET, without counting and with it: of the busiest thread, and of all."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        servers: list[tuple[int, int]] = []
        for name, enabled in (("without", "false"), ("with", "true")):
            content, port = Path(folder) / name, load.free_port()
            shutil.copytree(serve.DEMO, content, ignore=shutil.ignore_patterns("state"))
            site = content / "site.toml"
            counting = f"enabled = {enabled}\naggregator = false"
            site.write_text(site.read_text("utf-8").replace("example = true", counting), "utf-8")
            command = [
                Path(sys.executable).with_name("citepress"),
                "serve",
                "--workers",
                "1",
                content,
                "--port",
                str(port),
                "--state",
                content / "state",
            ]
            servers.append(
                (stack.enter_context(serve.running(command, port, Path(folder), CITEPRESS_REST_LIMIT="1000000")), port)
            )
        path = f"/posts/{next((serve.DEMO / 'content/posts').glob('*.md')).stem}.json"
        raw_requests = [load.request(path, **SAID)]
        schedules: dict[int, list[tuple[float, float]]] = {pid: [] for pid, _ in servers}
        for number in range(rounds + 1):
            for pid, port in servers:
                spent = _driven(pid, port, raw_requests, requests)
                if number:  # the first round warms up
                    schedules[pid].append(spent)
    without, counting = (tuple(median(column) for column in zip(*rows, strict=True)) for rows in schedules.values())
    return (without[0], without[1]), (counting[0], counting[1])


def _driven(pid: int, port: int, raw_requests: list[bytes], requests: int) -> tuple[float, float]:
    """Microseconds a request of the busiest thread and of all, until the writer has written everything."""
    before = _threads(pid)
    done, _ = load.drive(port, raw_requests, requests)
    time.sleep(1)
    spent = [(now - before.get(thread, 0.0)) / done * 1e6 for thread, now in _threads(pid).items()]
    return max(spent), sum(spent)


def _threads(pid: int) -> dict[str, float]:
    """Seconds that each thread of a process tree has run."""
    files = [file for process in meter.family(pid) for file in Path(f"/proc/{process}/task").glob("*/schedstat")]
    return {str(file): int(file.read_text().split()[0]) / 1e9 for file in files}


if __name__ == "__main__":
    sys.exit(main())
