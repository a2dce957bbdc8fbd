"""``citepress telemetry`` as it is typed: logs imported, reports published and served, salts, lists and verdicts."""

import contextlib
import csv
import gzip
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from citepress.base import clock
from citepress.cli import run
from citepress.edition.edition import pointer
from citepress_telemetry.identify.verify.ranges import Fetched, write_ranges
from support.access_log_import import CLAUDE, combined
from support.access_log_import import written as log_of
from support.commands import citepress
from support.demo import DEMO
from support.running_server import Server, serving
from support.traffic_counter import CHROME, GPTBOT
from support.waiting import until

pytestmark = pytest.mark.long


@dataclass(frozen=True)
class Typed:
    """What a command said."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Place:
    """A state folder, a log whose lines are of yesterday, and what was imported first."""

    state: Path
    log: Path
    start: datetime
    first: Typed

    def type(self, *words: str) -> Typed:
        return typed(*words, "--state", str(self.state), "--content", str(DEMO))


def typed(*words: str) -> Typed:
    """Run a command as ``main`` does, in this process."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        code = run(["telemetry", *words])
    return Typed(code, *(stream.buffer.getvalue().decode() for stream in streams))  # type: ignore[attr-defined]  # a BytesIO


def shell(*words: str) -> Typed:
    """Run the program in a process of its own, as a shell would."""
    done = citepress("telemetry", *words)
    return Typed(done.returncode, done.stdout, done.stderr)


def observed(server: Server, more_than: int = 0) -> dict[str, Any]:
    """The report once it tells of more requests; workers take a new generation up within seconds."""

    def report() -> Any:
        return server.ask("/machine-consumption.json", **server.client()).json()

    assert until(lambda: (report()["totals"]["requests"] or 0) > more_than)
    observation: dict[str, Any] = report()
    return observation


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("telemetry")
    start = clock.now().replace(minute=0, second=0) - timedelta(hours=30)
    lines = [
        combined(start + timedelta(minutes=10 * number), target, ua, client=f"203.0.113.{number % 3}")
        for number in range(120)
        for target, ua in (("/", GPTBOT), ("/posts.json", CLAUDE), ("/robots.txt", CLAUDE), ("/", CHROME))
    ]
    log = log_of(folder / "access.log", [*lines, "no line of a log\n"])
    state = folder / "state"
    return Place(state, log, start, shell("import", str(log), "--state", str(state), "--content", str(DEMO)))


@pytest.fixture(scope="module")
def served(place: Place) -> Iterator[Server]:
    with serving(DEMO, place.state) as server:
        yield server


def test_an_import_says_what_it_counted(place: Place) -> None:
    assert place.first.code == 0, place.first
    assert "Counted 480 requests of 481 new lines in 20 hours" in place.first.out
    assert "1 malformed" in place.first.out
    assert "240  ClaudeBot" in place.first.out


def test_an_import_again_and_a_gzipped_twin_count_nothing(place: Place, tmp_path: Path) -> None:
    twin = tmp_path / "access.log.1.gz"
    twin.write_bytes(gzip.compress(place.log.read_bytes()))
    for again in (place.log, twin):
        result = place.type("import", str(again), "--json")
        assert (result.code, result.json()["requests"], result.json()["lines"], result.json()["files"][0]["state"]) == (
            0,
            0,
            0,
            "goes on",
        )


def test_a_dry_run_counts_and_writes_nothing(place: Place, tmp_path: Path) -> None:
    other = log_of(tmp_path / "other.log", [combined(place.start, "/feed.xml", GPTBOT)])
    for _ in range(2):
        report = place.type("import", str(other), "--dry-run", "--json").json()
        assert (report["requests"], report["hours"], report["dry_run"]) == (1, 1, True)


def test_imported_counts_are_served(served: Server) -> None:
    report = observed(served)
    assert (report["totals"]["requests"], report["coverage"]["imported_hours"]) == (480, 20)
    assert {class_["class"]: class_["requests"] for class_ in report["classes"]}["crawler"] == 360
    for path in (
        "/crawler-journeys.json",
        "/bot-traffic-latest.json",
        "/bot-traffic-history.json",
        "/page-readership/home.json",
        "/machine-consumption/",
    ):
        assert served.ask(path).status == 200
    page = served.ask("/machine-consumption/").text
    assert "of these days are shaded: they lie only in part within the thirty days" in page
    assert '<rect class="partial"' in page
    families = {
        row["family"]: row
        for row in served.ask("/page-readership/home.json").json()["windows"]["observed"]["by_family"]
    }
    assert families["GPTBot"]["requests"] == 120
    unchecked = dict.fromkeys(
        ("signed", "ip_range", "fcrdns", "contradicted")
    )  # identities in logs are not checked, which is not zero
    assert families["GPTBot"]["verification"] == {**unchecked, "claimed": 120}


def test_more_is_served_as_soon_as_it_is_imported(place: Place, served: Server, tmp_path: Path) -> None:
    other = log_of(
        tmp_path / "node2.log", [combined(place.start + timedelta(minutes=1), "/", GPTBOT, client="198.51.100.1")]
    )
    before = observed(served)["totals"]["requests"]
    assert place.type("import", str(other)).code == 0
    assert observed(served, before)["totals"]["requests"] == before + 1


def test_publish_renders_the_reports_now(place: Place) -> None:
    result = shell("publish", "--state", str(place.state), "--content", str(DEMO))
    assert result.code == 0
    assert "the reports cover the time up to" in result.out


def test_a_report_is_a_table_or_the_document(place: Place) -> None:
    table = place.type("report", "crawler-journeys", "--window", "7d")
    assert (table.code, "GPTBot" in table.out, "OpenAI" in table.out) == (0, True, True)
    document = place.type("report", "crawler-journeys", "--json", "--window", "7d").json()
    assert list(document["windows"]) == ["7d"]
    assert place.type("report", "machine-consumption", "--json").json()["totals"]["requests"] >= 480
    assert "home: " in place.type("report", "home").out
    for name in ("machine-consumption", "bot-traffic-latest", "bot-traffic-history"):
        assert place.type("report", name).code == 0


@pytest.mark.parametrize("name", ["crawler-journeys", "machine-consumption", "bot-traffic-latest", "home"])
def test_a_table_names_the_window_of_its_figures_as_the_document_does(place: Place, name: str) -> None:
    report = place.type("report", name, "--json").json()
    window = report["windows"]["24h"]["window"] if "windows" in report else report["window"]
    lines = place.type("report", name, "--window", "24h").out.splitlines()
    assert lines[0].startswith(f"Status: {report['status']} (")
    assert lines[1] == f"Counted up to: {report['as_of']}"
    assert any(line.endswith(f", {window['start']} to {window['end']}, observed in part") for line in lines)


def test_a_report_as_csv_has_every_row_and_its_window(place: Place) -> None:
    window = place.type("report", "crawler-journeys", "--json").json()["windows"]["7d"]
    rows = list(csv.DictReader(io.StringIO(place.type("report", "crawler-journeys", "--window", "7d", "--csv").out)))
    assert {row["family"]: int(row["requests"]) for row in rows} == {
        family["family"]: family["requests"] for family in window["families"]
    }
    assert {row["window_start"] for row in rows} == {window["window"]["start"]}
    assert place.type("report", "--csv", "--json").code == 2


def test_families_are_shown_by_day(place: Place) -> None:
    report = place.type("report", "family-days", "--json").json()
    sums = {row["family"]: 0 for row in report["days"]}
    for row in report["days"]:
        sums[row["family"]] += row["requests"]
    assert (sums["ClaudeBot"], sums["GPTBot"] >= 120) == (240, True)
    assert {row["day"] for row in report["days"]} <= set(report["observed_days"])
    assert "Named families by UTC day" in place.type("report", "family-days").out
    assert place.type("report", "family-days", "--csv").out.count("ClaudeBot") == len(
        [row for row in report["days"] if row["family"] == "ClaudeBot"]
    )


def test_commands_build_no_edition_where_a_server_would_follow_it(tmp_path: Path) -> None:
    log = log_of(tmp_path / "access.log", [combined(clock.now() - timedelta(hours=3), "/", GPTBOT)])
    state = tmp_path / "state"
    assert typed("import", str(log), "--state", str(state), "--content", str(DEMO)).code == 0
    assert not pointer(state).exists()
    assert typed("report", "home", "--state", str(state), "--content", str(DEMO)).code == 0
    assert not pointer(state).exists()
    assert pointer(state / "telemetry").exists()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("report", "nothing/here"), 1, "is neither a report nor a page"),
        (("import",), 2, "name at least one log file"),
        (("import", "none.log"), 1, "none.log cannot be read: No such file or directory"),
        (("import", str(DEMO / "site.toml")), 1, "matches no known format"),
        (("import", "x", "--format", "apache"), 2, "--format"),
        (("agents", "diff", "none.json"), 1, "none.json cannot be read"),
        (("agents", "diff", str(DEMO / "site.toml")), 1, "is not JSON"),
        (("ranges", "refresh", "no-such-list"), 1, "no such list: no-such-list"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(place: Place, words: tuple[str, ...], code: int, says: str) -> None:
    result = place.type(*words)
    assert (result.code, says in result.err) == (code, True), result


def test_nothing_counted_yet_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    result = typed("report", "--state", str(tmp_path / "state"), "--content", str(DEMO))
    assert (result.code, "nothing has been counted yet" in result.err) == (1, True)
    assert "Nothing is counted yet" in typed("publish", "--state", str(tmp_path / "state"), "--content", str(DEMO)).out


def test_the_salt_is_told_of_and_renewed(place: Place) -> None:
    assert place.type("salt", "rotate").code == 0
    first = place.type("salt", "status", "--json").json()
    assert {row["in_use"] for row in first if row["day"] == f"{clock.now():%Y-%m-%d}"} <= {True}
    assert "overwritten and a new one created" in place.type("salt", "rotate").out


def test_lists_of_addresses_are_told_with_their_age(place: Place) -> None:
    old = clock.now() - timedelta(days=30)
    lists = {
        key: Fetched(key, "https://lists.test/", at, "sha-256:x", ("192.0.2.0/24",))
        for key, at in (("openai-gptbot", clock.now()), ("bing", old))
    }
    (place.state / "ranges.json").write_bytes(write_ranges(lists))
    statuses = {row["list"]: row["status"] for row in place.type("ranges", "status", "--json").json()}
    assert (statuses["openai-gptbot"], statuses["bing"], statuses["apple"]) == ("fresh", "stale", "never fetched")
    assert "openai-gptbot" in place.type("ranges", "status").out
    (place.state / "ranges.json").write_bytes(b"{")
    broken = place.type("ranges", "status")
    assert (broken.code, "fetch the lists again" in broken.err) == (1, True)
    (place.state / "ranges.json").unlink()


def test_a_verdict_is_explained(place: Place) -> None:
    verdict = place.type("agents", "test", GPTBOT, "--json").json()
    assert (verdict["family"], verdict["operator"], verdict["purpose"], verdict["class"], verdict["own_traffic"]) == (
        "GPTBot",
        "OpenAI",
        "training",
        "crawler",
        False,
    )
    assert "browser-like" in place.type("agents", "test", CHROME).out


@pytest.mark.parametrize(("software", "name"), [("iis", "w3c"), ("CloudFront", "w3c"), ("nginx", "combined")])
def test_the_name_of_software_as_a_format_leads_to_the_format_that_it_writes(
    capsys: pytest.CaptureFixture[str], software: str, name: str
) -> None:
    assert run(["telemetry", "import", "--format", software, "access.log"]) == 2
    assert f"{software} writes the format {name} by default: pass --format {name}" in capsys.readouterr().err


def test_the_table_is_linted_and_compared_with_newer_lists(place: Place, tmp_path: Path) -> None:
    checked = place.type("agents", "check", "--json")
    assert (checked.code, checked.json()["faults"]) == (0, [])
    newer = tmp_path / "newer.json"
    newer.write_text(json.dumps({"GPTBot": {}, "ZebraSaysNothing": {}}), "utf-8")
    assert place.type("agents", "diff", str(newer), "--json").json()["unnamed"] == ["ZebraSaysNothing"]


def test_the_classifier_is_inspected_without_any_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CITEPRESS_STATE", raising=False)
    (tmp_path / "list.json").write_text('[{"name": "NobodyBot"}]')
    assert run(["telemetry", "agents", "test", "GPTBot/1.3"]) == 0
    assert "OpenAI" in capsys.readouterr().out
    assert run(["telemetry", "agents", "check"]) == 0
    assert "0 faults" in capsys.readouterr().out
    assert run(["telemetry", "agents", "diff", "list.json"]) == 0
    assert "NobodyBot" in capsys.readouterr().out
    assert [file.name for file in tmp_path.iterdir()] == ["list.json"], "nothing was made"
