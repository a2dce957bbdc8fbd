"""Importing logs again, grown, rotated, gzipped, in parts and beside a running service counts every line once."""

import gzip
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from citepress.base import clock
from citepress.contract.store import StoreUnavailable
from citepress.settings import Settings
from citepress_telemetry.access_logs import run as imports
from citepress_telemetry.access_logs.buffer import Buffer
from citepress_telemetry.access_logs.cursor import LogError
from citepress_telemetry.access_logs.live import LiveHours
from citepress_telemetry.model import VERIFY, CarryOver, Closed, Hour
from citepress_telemetry.ports import Batch
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.stores import open_rollup_store
from support.access_log_import import (
    FIRST,
    START,
    built,
    combined,
    counts,
    cursors,
    day_of_traffic,
    fresh,
    hours,
    line_of,
    run,
    written,
)
from support.folder import SITE
from support.traffic_counter import CHROME, GPTBOT

pytestmark = pytest.mark.long

LINES = day_of_traffic()
SELF = '[telemetry]\nself = ["203.0.113.2", "ua:ClaudeBot"]\n[telemetry.imports]\nhosts = ["archive.test"]\n'


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return built(tmp_path_factory.mktemp("base"))


@pytest.fixture
def place(base: Settings, tmp_path: Path) -> Settings:
    return fresh(base, tmp_path / "state")


@pytest.fixture(scope="module")
def whole(base: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """All lines, imported at once."""
    place = fresh(base, tmp_path_factory.mktemp("whole") / "state")
    run(place, written(place.state / "access.log", LINES))
    return place


def test_each_line_is_counted_where_it_belongs(whole: Settings) -> None:
    sums, read = counts(whole)
    assert sum(n for key, n in sums.items() if key[0] == "traffic" and key[-1] == "n") == len(LINES)
    assert {key[5] for key in sums if key[0] == "traffic"} == {VERIFY.index("claimed")}
    assert [(cursor.hour, cursor.imported, cursor.last_row) for cursor in hours(whole)] == [
        (FIRST + hour, True, 0) for hour in range(-1, 5) if hour >= 0
    ]
    assert sum(hour.rows for hour in hours(whole)) == len(LINES)
    assert all(read.values())
    assert (
        {"human_page_view", "crawler", "scanner_noise", "machine_route"}
        >= {key[1] for key in sums if key[0] == "traffic"}
        >= {"human_page_view", "crawler"}
    )


def test_hours_say_how_much_of_them_the_logs_cover(whole: Settings) -> None:
    seconds = [hour.observed_seconds for hour in hours(whole)]
    assert seconds[1:-1] == [3600] * (len(seconds) - 2)
    assert 0 < seconds[-1] < 3600


def test_a_log_that_was_counted_is_passed_over_whatever_its_name(whole: Settings, tmp_path: Path) -> None:
    before = counts(whole)
    twin = tmp_path / "access.log.1.gz"
    twin.write_bytes(gzip.compress("".join(LINES).encode()))
    for again in (whole.state / "access.log", written(tmp_path / "renamed", LINES), twin):
        tally = run(whole, again)
        assert (tally.lines, tally.requests, tally.files[0].state) == (0, 0, "goes on")
    assert counts(whole) == before


def test_a_log_may_stop_and_grow_at_every_line(place: Settings, whole: Settings, tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    counted = 0
    for number in range(1, len(LINES) + 1):
        counted += run(place, written(log, LINES[:number])).requests
    assert counted == len(LINES)
    assert counts(place, sessions=False) == counts(whole, sessions=False)
    assert len(cursors(place)) == 1


def test_a_grown_log_goes_on_after_its_rotation_to_gzip(place: Settings, whole: Settings, tmp_path: Path) -> None:
    run(place, written(tmp_path / "access.log", LINES[:17]))
    grown = tmp_path / "access.log.1.gz"
    grown.write_bytes(gzip.compress("".join(LINES).encode()))
    assert run(place, grown).files[0].state == "goes on"
    assert counts(place, sessions=False) == counts(whole, sessions=False)


@pytest.mark.parametrize("broken", range(5))
def test_an_import_that_breaks_off_goes_on_where_it_was(
    broken: int, place: Settings, whole: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = SqlRollups.close_imports, 0

    def failing(self: SqlRollups, *args: Any, **named: Any) -> frozenset[int]:
        nonlocal calls
        calls += 1
        if calls > broken:
            raise StoreUnavailable("gone")
        return real(self, *args, **named)

    log = written(place.state / "access.log", LINES)
    with monkeypatch.context() as patched:
        patched.setattr(SqlRollups, "close_imports", failing)
        patched.setattr(imports, "HOURS_TOGETHER", 1)
        with pytest.raises(StoreUnavailable):
            run(place, log)
    assert len(hours(place)) == broken
    run(place, log)
    assert counts(place, sessions=False) == counts(whole, sessions=False)


def test_what_an_import_that_was_killed_had_not_counted_yet_is_thrown_away(place: Settings, tmp_path: Path) -> None:
    left = place.state / "import-killed"
    left.mkdir()
    (left / "rows.sqlite").write_bytes(b"rows")
    run(place, written(tmp_path / "access.log", LINES[:3]))
    assert list(place.state.glob("import-*")) == []


def test_several_logs_are_merged_by_time(place: Settings, whole: Settings, tmp_path: Path) -> None:
    parts = [written(tmp_path / f"node{node}.log", LINES[node::2]) for node in (0, 1)]
    assert run(place, *parts).late == 0
    assert counts(place) == counts(whole)


def test_an_imported_hour_takes_the_logs_of_other_nodes_later(place: Settings, whole: Settings, tmp_path: Path) -> None:
    for node in (0, 1):
        run(place, written(tmp_path / f"node{node}.log", LINES[node::2]))
    assert counts(place, sessions=False) == counts(whole, sessions=False)
    assert len(cursors(place)) == 2


def test_copies_in_one_command_are_counted_once(place: Settings, whole: Settings, tmp_path: Path) -> None:
    twin = tmp_path / "twin.gz"
    twin.write_bytes(gzip.compress("".join(LINES).encode()))
    run(place, twin, written(tmp_path / "short.log", LINES[:9]), written(tmp_path / "access.log", LINES))
    assert counts(place, sessions=False) == counts(whole, sessions=False)


def test_a_line_that_comes_long_after_its_hour_is_added_to_it(place: Settings, whole: Settings, tmp_path: Path) -> None:
    moved = [*LINES[:3], *LINES[4:30], LINES[3], *LINES[30:]]
    tally = run(place, written(tmp_path / "access.log", moved))
    assert (tally.late, tally.requests) == (1, len(LINES))
    assert counts(place, sessions=False) == counts(whole, sessions=False)
    assert hours(place)[0].counts["late"] == 1
    assert run(place, tmp_path / "access.log").lines == 0


def test_a_late_line_at_the_end_is_added_as_well(place: Settings, tmp_path: Path) -> None:
    log = written(tmp_path / "access.log", [*LINES, LINES[0]])
    assert run(place, log).requests == len(LINES) + 1
    assert run(place, log).lines == 0


def test_a_cut_copy_and_an_edited_copy_give_nothing(place: Settings, tmp_path: Path) -> None:
    many = [combined(START + timedelta(seconds=number)) for number in range(60)]
    run(place, written(tmp_path / "access.log", many))
    before = counts(place)
    cut, edited = (
        written(tmp_path / "cut", many[:50]),
        written(tmp_path / "edited", [*many[:50], combined(START), *many[51:]]),
    )
    tally = run(place, cut, edited)
    assert [file.state for file in tally.files] == ["shorter", "different"]
    assert (tally.lines, counts(place)) == (0, before)


def test_hours_that_the_service_counts_are_left_to_it(place: Settings, tmp_path: Path) -> None:
    with closing(open_spool(place.state)) as spool:
        spool.append("worker", Batch(beats=[(FIRST + 1, 5)]))
    with closing(open_rollup_store(place.state)) as database:
        SqlRollups(database).close(Closed(FIRST + 2, 0, 0, 10, False, "x", {}), Hour(), CarryOver())
    tally = run(place, written(tmp_path / "access.log", LINES))
    assert tally.skipped_live == len([line for line in LINES if "2026:11:" in line or "2026:12:" in line])
    assert tally.requests == len(LINES) - tally.skipped_live
    assert [hour.hour - FIRST for hour in hours(place) if hour.imported] == [0, 3, 4]


def test_an_hour_that_was_closed_unobserved_is_imported(place: Settings, tmp_path: Path) -> None:
    with closing(open_rollup_store(place.state)) as database:
        SqlRollups(database).close(Closed(FIRST, 0, 0, 0, False, "x", {}), Hour(), CarryOver())
    run(place, written(tmp_path / "access.log", LINES))
    assert (hours(place)[0].imported, hours(place)[0].rows > 0) == (True, True)


def test_the_hour_that_is_not_over_waits_for_the_next_import(place: Settings, tmp_path: Path) -> None:
    now = clock.now()
    log = written(tmp_path / "access.log", [combined(now - timedelta(hours=3)), combined(now), combined(now)])
    tally = run(place, log)
    assert (tally.requests, tally.waiting) == (1, 2)
    assert run(place, log).waiting == 2
    assert sum(hour.rows for hour in hours(place)) == 1


def test_lines_that_cannot_be_are_malformed_and_never_fatal(place: Settings, tmp_path: Path) -> None:
    odd = [
        "nonsense\n",
        "\n",
        combined(START)[:-3] + "\n",
        combined(START.replace(year=1999)),
        combined(clock.now() + timedelta(days=400)),
        "x" * 200_000 + "\n",
    ]
    log = written(tmp_path / "access.log", [LINES[0], *odd, LINES[1]])
    tally = run(place, log)
    assert tally.requests == 2
    assert tally.malformed == 4 + 4  # the long line comes in pieces of 64 KiB
    assert run(place, log).lines == 0


def test_a_last_line_that_is_being_written_is_left_for_the_next_time(place: Settings, tmp_path: Path) -> None:
    log = written(tmp_path / "access.log", [*LINES[:5], LINES[5][:60]])
    assert (tally := run(place, log)).malformed == 0
    assert tally.requests == 5
    assert run(place, written(log, LINES[:6])).requests == 1


def test_a_damaged_archive_gives_what_can_be_read(place: Settings, tmp_path: Path) -> None:
    log = tmp_path / "access.log.gz"
    log.write_bytes(
        gzip.compress("".join(f'{line[:-2]} {number}"\n' for number in range(200) for line in LINES[:7]).encode())[
            :-400
        ]
    )
    tally = run(place, log)
    assert tally.files[0].damaged
    assert tally.requests > 0


def test_a_log_that_is_not_there_is_one_sentence(place: Settings, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"none\.log cannot be read: No such file"):
        run(place, tmp_path / "none.log")


def test_a_dry_run_tells_the_same_and_writes_nothing(place: Settings, whole: Settings, tmp_path: Path) -> None:
    log = written(tmp_path / "access.log", LINES)
    tally = run(place, log, log, dry_run=True)
    assert (tally.requests, len(tally.hours), hours(place), cursors(place)) == (len(LINES), len(hours(whole)), [], [])
    assert run(place, log).families == tally.families


def test_own_traffic_and_other_hosts_are_left_out_and_told(tmp_path: Path) -> None:
    place = built(tmp_path, SITE + SELF)
    lines = [f"{host}:80 {line}" for line in LINES for host in ("archive.test", "other.test")]
    tally = run(place, written(tmp_path / "access.log", lines))
    own = [line for line in LINES if line.startswith("203.0.113.2 ") or "ClaudeBot" in line]
    assert (tally.skipped_host, tally.excluded_self, tally.requests) == (len(LINES), len(own), len(LINES) - len(own))
    assert sum(hour.counts.get("self", 0) for hour in hours(place)) == len(own)


@pytest.mark.parametrize("name", ["combined", "vhost", "json", "caddy", "cloudflare"])
def test_every_format_ends_in_the_same_rollups(name: str, place: Settings, tmp_path: Path) -> None:
    log = written(tmp_path / "access.log", [line_of(name, START + timedelta(minutes=minute)) for minute in range(20)])
    tally = run(place, log)
    assert (tally.files[0].format, tally.requests, tally.families) == (name, 20, {"GPTBot": 20})
    sums, read = counts(place)
    assert [n for key, n in sums.items() if key[0] == "read" and key[-1] == "n"] == [20]
    assert [len(ids) for ids in read.values()] == [1]


def test_a_negotiated_form_is_counted_where_the_log_tells_it(place: Settings, tmp_path: Path) -> None:
    line = line_of("cloudflare", START).replace("text/html", "text/markdown; charset=utf-8")
    run(place, written(tmp_path / "access.log", [line]))
    sums, _ = counts(place)
    assert [key[3] for key in sums if key[0] == "read"] == [1]


def test_sessions_go_on_over_hours_and_end_with_the_run(place: Settings, tmp_path: Path) -> None:
    at = START + timedelta(minutes=70)
    lines = [
        combined(at + timedelta(minutes=20 * number), f"/posts/{'one' if number % 2 else 'two'}/", GPTBOT)
        for number in range(5)
    ]
    run(place, written(tmp_path / "access.log", lines))
    sums, _ = counts(place)
    families = {key[2]: n for key, n in sums.items() if key[0] == "family"}
    assert (families["sessions"], families["depth_sum"], families["cut"]) == (1, 5, 1)


def test_theme_files_are_only_counted(place: Settings, tmp_path: Path) -> None:
    tally = run(place, written(tmp_path / "access.log", [combined(START, "/icon.svg", CHROME), LINES[0]]))
    assert (tally.excluded_assets, tally.requests) == (1, 1)
    assert hours(place)[0].counts == {"assets": 1}


@pytest.mark.parametrize(
    ("hours_together", "lines_together", "in_memory"), [(1, 1, 1), (2, 10, 7), (96, 50_000, 200_000)]
)
def test_how_many_hours_go_together_changes_no_count(
    place: Settings,
    whole: Settings,
    monkeypatch: pytest.MonkeyPatch,
    hours_together: int,
    lines_together: int,
    in_memory: int,
) -> None:
    monkeypatch.setattr(imports, "HOURS_TOGETHER", hours_together)
    monkeypatch.setattr(imports, "LINES_TOGETHER", lines_together)
    monkeypatch.setattr(Buffer.__init__, "__defaults__", (in_memory,))
    run(place, written(place.state / "access.log", LINES))
    assert counts(place) == counts(whole)
    assert list(hours(place)) == list(hours(whole))


def test_hundreds_of_nearly_empty_hours_are_written_in_one_transaction(
    place: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    written_together: list[int] = []
    close_imports = SqlRollups.close_imports

    def watched(self: SqlRollups, closings: Any, *others: Any) -> frozenset[int]:
        written_together.append(len(closings))
        return close_imports(self, closings, *others)

    monkeypatch.setattr(SqlRollups, "close_imports", watched)
    lines = [combined(START + timedelta(hours=number), "/", GPTBOT) for number in range(300)]
    assert run(place, written(place.state / "access.log", lines)).requests == 300
    assert written_together == [300]


def test_an_hour_that_the_service_begins_to_count_meanwhile_is_passed_over_and_the_others_stand(
    place: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_rollup_store(place.state)) as database:
        assert SqlRollups(database).close(Closed(FIRST + 1, 7, 7, 3600, False, "x", {}), Hour(), CarryOver())
    monkeypatch.setattr(LiveHours, "__call__", lambda _self, _hour: False)
    tally = run(place, written(place.state / "access.log", LINES))
    assert tally.skipped_live > 0
    assert tally.requests + tally.skipped_live == len(LINES)
    assert [hour.imported for hour in hours(place) if hour.hour == FIRST + 1] == [False]
