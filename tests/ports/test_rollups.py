"""Rollups and names in every database."""

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from pyroaring import BitMap

from citepress.contract.store import StoreUnavailable
from citepress.stores.local.election import FileElection
from citepress.stores.sql.database import Database, DatabaseError
from citepress.stores.sql.migrate import open_store
from citepress_telemetry.model import (
    CarryOver,
    Closed,
    FamilySums,
    Hour,
    Imported,
    OpenSession,
    Pair,
    PathSums,
    ReadKey,
    Reads,
    Traffic,
    TrafficKey,
)
from citepress_telemetry.ports import MaterialRow
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.election import SqlElection
from citepress_telemetry.sql.rollup_tables import ROLLUPS
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.stores import open_rollup_store
from support.database_servers import PostgresServer, schema_of
from support.waiting import until

MIDNIGHT = 500_016
KEY = TrafficKey("crawler", "training", 0, 0, 3)
READ = ReadKey(5, 1, 0, 3)
FILE = Imported(b"h" * 32, 4096, b"d" * 32, 900, 850, MIDNIGHT)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A migrated rollup store of each sort."""
    address = None if request.param == "sqlite" else schema_of(request.getfixturevalue("postgresql"))
    opened_store = open_rollup_store(tmp_path, address)
    yield opened_store
    opened_store.close()


@pytest.fixture
def rollups(store: Database) -> SqlRollups:
    return SqlRollups(store)


def cursor(hour: int, **facts: object) -> Closed:
    return replace(Closed(hour, 3, 30, 3600, False, "2026.11.1+abc", {"self": 2}), **facts)  # type: ignore[arg-type]


def rows(n: int = 3, material: int = 5, depth: int = 4) -> Hour:
    sums = FamilySums(
        n,
        n,
        10 * n,
        [n, 0, 0, 0, 0],
        [0, 0, 0, n, 0],
        [n, 0, 0, 0, 0, 0, 0],
        BitMap([material]),
        1,
        0,
        1,
        1,
        depth,
        depth,
    )
    sums.depth_hist[2] = 1
    reads = {ReadKey(material, 1, 0, 3): Reads(n, 1, 0, 0)}
    return Hour(
        {KEY: Traffic(n, n, 1, 10 * n)}, {1: sums}, {1: PathSums({65538: n}, {1: 1})}, reads, {"wordpress": n}, {2: n}
    )


def test_an_hour_is_closed_once(rollups: SqlRollups) -> None:
    assert rollups.close(cursor(MIDNIGHT), rows(), CarryOver())
    assert not rollups.close(cursor(MIDNIGHT, rows=9), rows(9), CarryOver(bursts={1: 5}))
    assert rollups.window(MIDNIGHT, MIDNIGHT + 1) == replace(rows(), reads={}, counts={"self": 2})
    assert (rollups.last_closed(), rollups.open_state()) == (cursor(MIDNIGHT), CarryOver())


def test_several_that_close_the_same_hour_count_it_once(rollups: SqlRollups) -> None:
    with ThreadPoolExecutor(4) as pool:
        won = list(pool.map(lambda _: rollups.close(cursor(MIDNIGHT), rows(), CarryOver()), range(4)))
    assert sorted(won) == [False, False, False, True]
    assert rollups.window(MIDNIGHT, MIDNIGHT + 24).traffic[KEY].n == 3


def test_what_is_open_comes_back_as_it_was(rollups: SqlRollups) -> None:
    sessions = tuple(
        OpenSession(1, net, 1_800_000_000_000 + net, 3, 1, 2, 5, bool(net), 2**32 - 1, 6) for net in (0, 7, 2**56 - 1)
    )
    after = CarryOver(sessions, {1: 1_800_000_000_001, 2: 5}, {1: ({(5, 6): 70_000, (6, 5): 1}, 3), 2: ({}, 4)})
    rollups.close(cursor(MIDNIGHT), rows(), after)
    assert SqlRollups(rollups._database).open_state() == after  # noqa: SLF001
    rollups.close(cursor(MIDNIGHT + 1), rows(), CarryOver())
    assert rollups.open_state() == CarryOver()


def test_nothing_stands_when_the_writing_breaks_off(rollups: SqlRollups, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "citepress_telemetry.sql.rollups.write_open", lambda *_: (_ for _ in ()).throw(RuntimeError("power cut"))
    )
    with pytest.raises(RuntimeError):
        rollups.close(cursor(MIDNIGHT), rows(), CarryOver())
    assert (rollups.last_closed(), rollups.read_totals(), rollups.window(0, 10**6)) == (None, {}, Hour())


def test_late_rows_are_added_to_the_hour_its_day_and_the_totals(rollups: SqlRollups) -> None:
    rollups.close(cursor(MIDNIGHT), rows(), CarryOver())
    late = replace(rows(2, material=6, depth=0), counts={"late": 2})
    assert rollups.add(MIDNIGHT, late, 40, after=30, observed_seconds=3000)
    assert not rollups.add(MIDNIGHT, late, 41, after=30)
    for first, end in ((MIDNIGHT, MIDNIGHT + 1), (MIDNIGHT, MIDNIGHT + 24)):
        window = rollups.window(first, end)
        assert (window.traffic[KEY].n, set(window.families[1].materials), window.counts) == (
            5,
            {5, 6},
            {"self": 2, "late": 2},
        )
    assert rollups.read_totals() == {
        READ: Reads(3, 1, MIDNIGHT, MIDNIGHT),
        ReadKey(6, 1, 0, 3): Reads(2, 1, MIDNIGHT, MIDNIGHT),
    }
    assert rollups.closed(0, 10**6) == [cursor(MIDNIGHT, rows=5, last_row=40, counts={"self": 2, "late": 2})]


def test_late_rows_of_an_open_hour_are_refused(rollups: SqlRollups) -> None:
    with pytest.raises(LookupError):
        rollups.add(MIDNIGHT, rows(), 40, after=0)


def test_an_imported_hour_takes_further_files_and_keeps_their_cursors(rollups: SqlRollups) -> None:
    other = replace(FILE, head=b"x" * 32, position=2**40)
    assert rollups.close_imported(
        cursor(MIDNIGHT, last_row=0), rows(), [FILE], [Pair(1, 5, 6, 7, 2), Pair(1, 0, 0, 0, 3)]
    )
    assert rollups.close_imported(
        cursor(MIDNIGHT, last_row=0), rows(4), [other], [Pair(1, 5, 6, 6, 1), Pair(1, 6, 5, 5, 1)]
    )
    assert (rollups.imported(FILE.head), rollups.imported(b"?"), len(rollups.imports())) == (FILE, None, 2)
    window = rollups.window(MIDNIGHT, MIDNIGHT + 1)
    assert (window.traffic[KEY].n, window.families[1].sessions, window.paths[1].steps) == (7, 2, {65538: 7})
    assert rollups.pairs(MIDNIGHT // 24, MIDNIGHT // 24 + 1) == [Pair(1, 5, 6, 13, 3), Pair(1, 6, 5, 5, 4)]
    assert rollups.closed(0, 10**6) == [cursor(MIDNIGHT, rows=6, last_row=0, imported=True, counts={"self": 4})]


def test_an_imported_file_goes_on_where_it_was(rollups: SqlRollups) -> None:
    rollups.close_imported(cursor(MIDNIGHT), rows(), [FILE])
    later = replace(FILE, digest=b"e" * 32, position=2000, first_uncounted=1990, last_hour=MIDNIGHT + 1)
    rollups.close_imported(cursor(MIDNIGHT + 1), rows(), [later])
    assert rollups.imports() == [later]


def test_an_hour_that_was_closed_live_takes_no_import(rollups: SqlRollups) -> None:
    rollups.close(cursor(MIDNIGHT), rows(), CarryOver(bursts={1: 5}))
    assert not rollups.close_imported(cursor(MIDNIGHT), rows(), [FILE])
    assert (rollups.imports(), rollups.window(MIDNIGHT, MIDNIGHT + 1).traffic[KEY].n) == ([], 3)


def test_an_hour_that_was_closed_unobserved_becomes_an_imported_one(rollups: SqlRollups) -> None:
    rollups.close(cursor(MIDNIGHT, rows=0, observed_seconds=0, counts={}), Hour(), CarryOver())
    assert rollups.close_imported(cursor(MIDNIGHT), rows(), [FILE])
    (stand,) = rollups.closed(0, 10**6)
    assert (stand.imported, stand.rows, rollups.window(MIDNIGHT, MIDNIGHT + 1).traffic[KEY].n) == (
        True,
        cursor(MIDNIGHT).rows,
        3,
    )


def test_late_lines_of_other_hours_come_with_an_imported_hour_or_not_at_all(rollups: SqlRollups) -> None:
    rollups.close_imported(cursor(MIDNIGHT), rows(), [FILE])
    rollups.close(cursor(MIDNIGHT + 1), rows(), CarryOver())
    late = [(cursor(MIDNIGHT, rows=2), rows(2)), (cursor(MIDNIGHT + 1), rows(2))]
    assert not rollups.close_imported(cursor(MIDNIGHT + 1), rows(), [FILE], (), late)
    assert rollups.window(MIDNIGHT, MIDNIGHT + 1).traffic[KEY].n == 3
    assert rollups.close_imported(cursor(MIDNIGHT + 2), rows(), [FILE], (), late)
    assert [rollups.window(hour, hour + 1).traffic[KEY].n for hour in range(MIDNIGHT, MIDNIGHT + 3)] == [5, 3, 3]


def test_imports_leave_the_live_sessions_and_the_last_live_hour_alone(rollups: SqlRollups) -> None:
    rollups.close(cursor(MIDNIGHT), rows(), CarryOver(bursts={1: 5}))
    rollups.close_imported(cursor(MIDNIGHT + 5), rows(), [FILE])
    assert rollups.open_state() == CarryOver(bursts={1: 5})
    last, live = rollups.last_closed(), rollups.last_closed(live=True)
    assert last
    assert live
    assert (last.hour, live.hour) == (MIDNIGHT + 5, MIDNIGHT)


def test_an_old_hour_imported_after_its_day_was_over_is_part_of_the_day(rollups: SqlRollups) -> None:
    rollups.close(cursor(MIDNIGHT + 23), rows(), CarryOver())
    rollups.close_imported(cursor(MIDNIGHT + 2), rows(), [FILE])
    assert rollups.window(MIDNIGHT, MIDNIGHT + 24).traffic[KEY].n == 6


def test_readership_has_its_first_and_last_hour(rollups: SqlRollups) -> None:
    for hour in (MIDNIGHT + 2, MIDNIGHT + 3, MIDNIGHT + 30):
        rollups.close(cursor(hour), rows(), CarryOver())
    assert rollups.read_totals() == {READ: Reads(9, 3, MIDNIGHT + 2, MIDNIGHT + 30)}
    assert rollups.reads(MIDNIGHT + 3, MIDNIGHT + 40) == {READ: Reads(6, 2, MIDNIGHT + 3, MIDNIGHT + 30)}


def test_what_is_past_its_time_goes_and_totals_stay(rollups: SqlRollups) -> None:
    rollups.close(cursor(MIDNIGHT), rows(), CarryOver(), [Pair(1, 5, 6, 9, 0)])
    day = MIDNIGHT // 24
    rollups.forget(MIDNIGHT + 48)
    assert rollups.reads(MIDNIGHT, MIDNIGHT + 1)
    rollups.forget(MIDNIGHT + 49)
    assert not rollups.reads(MIDNIGHT, MIDNIGHT + 1)
    rollups.forget(MIDNIGHT + 31 * 24 + 1)
    assert not rollups.window(MIDNIGHT, MIDNIGHT + 1).traffic
    assert rollups.window(MIDNIGHT, MIDNIGHT + 24).families
    rollups.forget(MIDNIGHT + 401 * 24)
    assert (rollups.window(MIDNIGHT, MIDNIGHT + 24).families, rollups.pairs(day, day + 1)) == ({}, [])
    assert rollups.window(MIDNIGHT, MIDNIGHT + 24).traffic[KEY].n == 3
    assert rollups.read_totals()
    assert rollups.first_closed() == cursor(MIDNIGHT)


def test_days_tell_what_was_observed_and_by_which_classifier(rollups: SqlRollups) -> None:
    for hour in range(MIDNIGHT, MIDNIGHT + 24):
        rollups.close(cursor(hour, classifier="old" if hour < MIDNIGHT + 12 else "new"), rows(), CarryOver())
    for hour in range(MIDNIGHT + 24, MIDNIGHT + 48):
        rollups.close(cursor(hour, rows=0, observed_seconds=0, counts={}), Hour(), CarryOver())
    rollups.close(cursor(MIDNIGHT + 48, counts={"dropped": 1}), rows(), CarryOver())
    first, last = rollups.days(400)
    assert (first.day, first.observed_seconds, first.complete, first.classifiers) == (
        MIDNIGHT // 24,
        86_400,
        True,
        ("old", "new"),
    )
    assert (first.traffic[KEY].n, last.traffic[KEY].n, last.complete, last.day) == (72, 3, False, MIDNIGHT // 24 + 2)
    assert [day.day for day in rollups.days(1)] == [last.day]
    windows = {
        first.day: rollups.window(MIDNIGHT, MIDNIGHT + 24),
        last.day: rollups.window(MIDNIGHT + 48, MIDNIGHT + 49),
    }
    assert rollups.daily(first.day, last.day + 1) == {
        day: {id_: sums.n for id_, sums in window_sums.families.items()} for day, window_sums in windows.items()
    }
    assert list(rollups.daily(first.day + 1, last.day)) == []


def test_months_are_whole_ones_over_the_end_of_a_year(rollups: SqlRollups) -> None:
    december, january, february = (
        int(datetime(year, month, 1, tzinfo=UTC).timestamp()) // 3600
        for year, month in ((2026, 12), (2027, 1), (2027, 2))
    )
    for hour in (december + 100, january - 1, january, february - 1, february):
        rollups.close(cursor(hour), rows(), CarryOver())
    assert [(name, month.traffic[KEY].n, month.complete) for name, month in rollups.months()] == [
        ("2026-12", 6, False),
        ("2027-01", 6, False),
    ]


def test_gateway_counters_become_rows_and_are_no_counts_of_the_window(rollups: SqlRollups) -> None:
    counts = {"gateway/mcp/tools/call/ok": 4, "gateway/paid/research-bundle-v2/402": 1, "dropped": 2}
    rollups.close(cursor(MIDNIGHT, counts=counts), rows(), CarryOver())
    window = rollups.window(MIDNIGHT, MIDNIGHT + 1)
    assert window.gateway == {("mcp", "tools/call", "ok"): 4, ("paid", "research-bundle-v2", "402"): 1}
    assert window.counts == {"dropped": 2}


def test_names_have_one_id_in_every_process(store: Database) -> None:
    first_process, other = SqlDimensions(store), SqlDimensions(store)
    first = first_process.family("Bot", "Maker", "training", "crawler", "direct", "", named=True)
    assert other.family("Bot", "Maker", "training", "crawler", "direct", "", named=True) == first
    assert other.family("Bot", "Maker", "search", "crawler", "direct", "", named=True) != first
    assert first_process.families()[first].purpose == "training"
    with ThreadPoolExecutor(4) as pool:
        ids = set(pool.map(lambda _: SqlDimensions(store).route("/posts/{slug}/"), range(8)))
    assert SqlDimensions(store).routes() == {ids.pop(): "/posts/{slug}/"}
    assert first_process.operator("OpenAI") in other.operators()


def test_materials_keep_their_ids_and_tell_whether_the_edition_has_them(store: Database) -> None:
    names = SqlDimensions(store)
    present, gone = (
        MaterialRow(0, path, "posts", 5, html=True, markdown=True, json=False, current=True)
        for path in ("posts/a", "posts/b")
    )
    ids = names.materials([present, gone])
    assert names.materials([replace(present, published_at=6)]) == {"posts/a": ids["posts/a"]}
    materials = names.all_materials()
    assert (
        materials[ids["posts/a"]].published_at,
        materials[ids["posts/a"]].current,
        materials[ids["posts/b"]].current,
    ) == (
        6,
        True,
        False,
    )
    assert names.materials([present, gone]) == ids
    assert names.all_materials()[ids["posts/b"]].current


def test_a_page_gets_its_id_when_it_is_first_read_and_others_stay_as_they_are(store: Database) -> None:
    names, other = SqlDimensions(store), SqlDimensions(store)
    old, new = (
        MaterialRow(0, path, "posts", 5, html=True, markdown=True, json=False, current=True)
        for path in ("posts/a", "posts/b")
    )
    ids = names.materials([old])
    requested: list[Collection[str]] = []

    def pages(paths: Collection[str]) -> list[MaterialRow]:
        requested.append(paths)
        other.material_ids(paths, lambda _: [new])  # another worker stores it at the same time
        return [row for row in (old, new) if row.canonical_path in paths]

    read = names.material_ids(["posts/a", "posts/b", "posts/never"], pages)
    assert (read["posts/a"], set(read)) == (ids["posts/a"], {"posts/a", "posts/b"})
    assert requested == [["posts/b", "posts/never"]]
    assert names.material_ids(["posts/a", "posts/b"], pages) == read
    assert len(requested) == 1
    assert {row.canonical_path: row.current for row in names.all_materials().values()} == {
        "posts/a": True,
        "posts/b": True,
    }


def test_the_migrations_make_the_rollup_tables_that_the_code_uses(store: Database) -> None:
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": "telemetry_version"})
        assert compare_metadata(context, ROLLUPS) == []


def test_the_rollups_share_a_postgresql_with_the_state_and_have_a_file_of_their_own(
    tmp_path: Path, postgresql: PostgresServer
) -> None:
    address = schema_of(postgresql)
    for opened_store in (
        open_store(tmp_path, address),
        open_rollup_store(tmp_path, address),
        open_store(tmp_path),
        open_rollup_store(tmp_path),
    ):
        opened_store.close()
    assert {file.name for file in tmp_path.glob("*.sqlite")} == {"state.sqlite", "telemetry.sqlite"}


def test_rollups_of_a_newer_version_are_refused_in_words(tmp_path: Path) -> None:
    database = open_rollup_store(tmp_path)
    with database.engine.begin() as connection:
        connection.execute(sa.text("UPDATE telemetry_version SET version_num = 't9999'"))
    with pytest.raises(DatabaseError, match="newer version of citepress"):
        open_rollup_store(tmp_path)


def test_a_store_that_is_gone_says_so(tmp_path: Path) -> None:
    rollups = SqlRollups(open_rollup_store(tmp_path))
    rollups.close(cursor(MIDNIGHT), rows(), CarryOver())
    (tmp_path / "telemetry.sqlite").unlink()
    with pytest.raises(StoreUnavailable):
        rollups.close(cursor(MIDNIGHT + 1), rows(), CarryOver())


def test_one_is_elected_on_a_host_and_another_when_it_resigns(tmp_path: Path) -> None:
    first, other = FileElection(tmp_path), FileElection(tmp_path)
    assert [first.won(), other.won(), first.won()] == [True, False, True]
    first.resign()
    assert [other.won(), first.won()] == [True, False]


def test_one_is_elected_among_nodes_and_another_when_its_connection_breaks(
    tmp_path: Path, postgresql: PostgresServer
) -> None:
    address = schema_of(postgresql)
    nodes = [open_rollup_store(tmp_path, address) for _ in range(2)]
    first, other = map(SqlElection, nodes)
    assert [first.won(), other.won(), first.won()] == [True, False, True]
    with nodes[1].engine.connect() as connection:
        connection.execute(sa.text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"))
        connection.commit()
    assert not first.won()
    assert until(other.won)  # the server may report the end of a connection before it has released its locks
    assert not first.won()
    other.resign()
    assert first.won()
    for node in nodes:
        node.close()
