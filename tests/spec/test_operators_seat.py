"""The private listener of the operator, over a server with two workers: states, metrics, and a log of JSON."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families

from citepress.admin.listener import AdminAddressError, admin_address
from citepress.base.logs import JsonFormatter
from citepress.base.prometheus import by_label, exposition, histogram
from citepress.cli import run
from citepress.stores.local.worker_metrics import MetricsTable, WorkerMetrics, read_totals
from support.folder import folder, post
from support.mcp_endpoint import fields, message
from support.running_server import HOST, Server, free_port
from support.stores import fork, measure_until_killed, pipe
from support.waiting import PATIENCE_S, until

WORKERS = 2


class Seat:
    """A server and its private listener."""

    def __init__(self, server: Server, port: int, log: Path) -> None:
        self.server, self.port, self.log = server, port, log

    def ask(self, path: str, method: str = "GET", **fields: str) -> tuple[int, str]:
        link = HTTPConnection(HOST, self.port, timeout=PATIENCE_S)
        try:
            link.request(method, path, headers=fields)
            answer = link.getresponse()
            return answer.status, answer.read().decode()
        except OSError:  # it does not listen yet
            return 0, ""
        finally:
            link.close()

    def metrics(self) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
        """Values by name and labels, as the reference implementation of the format reads them."""
        values: dict[str, dict[tuple[tuple[str, str], ...], float]] = {}
        for family in text_string_to_metric_families(self.ask("/metrics")[1]):
            for sample in family.samples:
                values.setdefault(sample.name, {})[tuple(sorted(sample.labels.items()))] = sample.value
        return values

    def requests(self) -> dict[str, float]:
        """Requests by status."""
        counted: dict[str, float] = {}
        for labels, value in self.metrics().get("citepress_http_requests_total", {}).items():
            counted[dict(labels)["status"]] = counted.get(dict(labels)["status"], 0) + value
        return counted


@pytest.fixture(scope="module")
def seat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    root = folder(tmp_path_factory.mktemp("content"), {"content/posts/one.md": post()})
    port, private, log = free_port(), free_port(), tmp_path_factory.mktemp("log") / "log"
    command = [sys.executable, "-m", "citepress", "serve", root, "--port", str(port), "--workers", str(WORKERS)]
    options = ["--admin", f"{HOST}:{private}", "--log", "json"]
    with log.open("wb") as output, subprocess.Popen([*command, *options], stdout=output, stderr=output) as process:
        try:
            seat = Seat(Server(port, process), private, log)
            assert until(lambda: seat.ask("/ready")[0] == 200)
            yield seat
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


@pytest.mark.parametrize("host", ["evil.test", "evil.test:9000", "", "["])
def test_a_page_that_leads_its_own_name_here_reads_nothing(seat: Seat, host: str) -> None:
    assert seat.ask("/metrics", host=host) == (403, "Ask by address or as localhost.\n")
    assert seat.ask("/live", host="localhost:1")[0] == seat.ask("/live", host="[::1]:1")[0] == 200


def test_ready_and_live_name_every_worker(seat: Seat) -> None:
    status, text = seat.ask("/ready")
    assert (status, len(json.loads(text)["workers"])) == (200, WORKERS)
    assert until(lambda: json.loads(seat.ask("/live")[1]) == {"status": "live", "answering": WORKERS})
    assert seat.ask("/live", "HEAD") == (200, "")
    assert seat.ask("/posts/one/")[0] == 404
    assert seat.server.ask("/metrics").status == seat.server.ask("/ready").status == 404


def test_requests_of_all_workers_are_counted_by_method_and_status(seat: Seat) -> None:
    before = seat.requests()
    tag = seat.server.ask("/posts/one/").fields["etag"]
    for _ in range(20):  # each over a connection of its own, so both workers answer
        seat.server.ask("/posts/one/", if_none_match=tag)
    seat.server.ask("/nowhere/")
    seat.server.ask("/agent-inbox/source", "POST", b"{}", content_type="application/json")
    listing = message("tools/list", {}, modern=True)
    older = {**fields("tools/list", {}, modern=True), "mcp-protocol-version": "2025-11-25"}
    assert seat.server.ask("/mcp", "POST", json.dumps(listing).encode(), **older).status == 200

    def counted() -> bool:
        now = seat.requests()
        grown = {status: count - before.get(status, 0) for status, count in now.items()}
        # other tests may have asked for pages less than a second before
        exact = (grown.get("304"), grown.get("422")) == (20, 1)
        return exact and grown.get("200", 0) >= 1 and grown.get("404", 0) >= 1

    assert until(counted), seat.requests()
    metrics = seat.metrics()
    latency = metrics["citepress_http_request_seconds_count"]
    assert latency[("handler", "action"),] >= 1
    assert latency[("handler", "document"),] >= 22
    assert (
        metrics["citepress_http_request_seconds_bucket"][("handler", "document"), ("le", "+Inf")]
        == latency[("handler", "document"),]
    )
    assert metrics["citepress_mcp_version_mismatches_total"] == {(): 1}
    assert metrics["citepress_submissions"][("status", "queued"),] == 0
    assert metrics["citepress_payments"][("state", "settled"),] == 0
    assert metrics["citepress_store_up"] == {(("store", "state"),): 1, (("store", "telemetry"),): 1}
    assert metrics["citepress_edition_workers_behind"] == {(): 0}
    assert metrics["citepress_index_lag_seconds"] == {(): 0}
    assert metrics["citepress_edition_age_seconds"][()] >= 0


def test_counts_do_not_fall_when_a_worker_is_killed_and_ready_says_when_it_is_replaced(seat: Seat) -> None:
    before = seat.requests()
    victim = json.loads(seat.ask("/ready")[1])["workers"][0]["pid"]
    psutil.Process(victim).kill()
    assert until(
        lambda: (
            seat.ask("/ready")[0] == 200
            and victim not in {w["pid"] for w in json.loads(seat.ask("/ready")[1])["workers"]}
        )
    )
    now = seat.requests()
    assert {status: now[status] >= count for status, count in before.items()} == dict.fromkeys(before, True)
    lines = [json.loads(line) for line in seat.log.read_text().splitlines()]
    assert {"message", "level", "time", "logger", "process"} <= set(lines[0])
    assert any("is replaced" in line["message"] and line["level"] == "error" for line in lines)


def test_a_worker_that_is_killed_while_it_counts_leaves_counts_that_another_continues(tmp_path: Path) -> None:
    table = MetricsTable.create(tmp_path)
    reader, writer = pipe()
    process = fork(measure_until_killed, table, writer)
    assert reader.recv() == "counting"
    assert until(lambda: read_totals(table).cells[200 - 100] > 1000)
    process.kill()
    process.join(60)
    before = read_totals(table)
    assert before.workers == []
    metrics = WorkerMetrics(table)
    metrics.answered(0, "GET", 200, 7, 0.002)
    metrics.flush()
    after = read_totals(table)
    assert after.cells[200 - 100] == before.cells[200 - 100] + 1
    assert len(after.workers) == 1


def test_labels_of_any_text_are_read_back_as_they_were() -> None:
    odd = 'a "b"\\n\n{c}'
    text = exposition([by_label("name", "Help\nof \\ two lines.", "label", {odd: 1.5})])
    (family,) = text_string_to_metric_families(text)
    assert [(sample.labels, sample.value) for sample in family.samples] == [({"label": odd}, 1.5)]


def test_buckets_of_a_histogram_add_up() -> None:
    text = exposition([histogram("seconds", "Help.", {"x": ([1, 0, 2], 3.5)}, (0.1, 1))])
    (family,) = text_string_to_metric_families(text)
    assert [(sample.labels.get("le"), sample.value) for sample in family.samples] == [
        ("0.1", 1),
        ("1", 1),
        ("+Inf", 3),
        (None, 3.5),
        (None, 3),
    ]


@pytest.mark.parametrize("text", ["9000", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:0", "127.0.0.1:8000", ":9000"])
def test_an_address_that_cannot_be_private_is_refused(text: str) -> None:
    with pytest.raises(AdminAddressError, match="--admin"):
        admin_address(text, ("127.0.0.1", 8000))
    assert admin_address("[::1]:9000", ("127.0.0.1", 8000)) == ("::1", 9000)


def test_a_taken_private_port_is_one_sentence(seat: Seat, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = folder(tmp_path / "content", {"content/posts/one.md": post()})
    command = ["serve", str(root), "--port", str(free_port()), "--admin", f"{HOST}:{seat.port}"]
    assert run(command) == 1
    assert "another program listens there" in capsys.readouterr().err


def test_a_traceback_is_one_line_of_json() -> None:
    try:
        raise ValueError("first\nsecond")  # noqa: TRY301  (a traceback of its own)
    except ValueError:
        record = logging.LogRecord("citepress.x", logging.ERROR, "x.py", 1, "It %s.", ("failed",), sys.exc_info())
    line = JsonFormatter().format(record)
    assert "\n" not in line
    assert json.loads(line)["message"] == "It failed."
    assert "ValueError: first\nsecond" in json.loads(line)["exception"]
