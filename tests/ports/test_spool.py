"""The spool over each database: batches are whole, ids grow, salts can be forgotten, hours can be dropped."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from citepress.contract.store import StoreUnavailable
from citepress.stores.sql.database import open_postgresql, open_sqlite
from citepress_telemetry.identify.user_agents.scanning import bursts_of
from citepress_telemetry.ports import EMBEDDED, ENDED, Batch, BurstRule, SpoolEmptied, SpoolRow
from citepress_telemetry.sql.spool import PostgresqlSpool, SqliteSpool
from citepress_telemetry.sql.spool_base import OWN, SqlSpool
from support.database_servers import PostgresServer, schema_of

HOUR = 498_000
MS = 3_600_000
NET = 2**56 - 1


def spool_at(address: str) -> SqlSpool:
    return PostgresqlSpool(open_postgresql(address)) if "://" in address else SqliteSpool(open_sqlite(Path(address)))


@pytest.fixture
def spool(address: str) -> Iterator[SqlSpool]:
    opened_spool = spool_at(address)
    yield opened_spool
    opened_spool.close()


def row(at: int = 0, **members: int | None) -> SpoolRow:
    """A row so many milliseconds into the hour."""
    first_row = SpoolRow(0, HOUR * MS + at, NET, 1, 3, 2, 4, 0, 200, 2**33, 5, 0, 0, 0)
    return first_row._replace(**members)


def test_rows_come_back_whole_in_the_order_of_time_and_writing(spool: SqlSpool) -> None:
    rows = [row(50), row(10, net=None), row(10, family=7, miss=2**32 - 1), row(MS)]
    spool.append("a", Batch(rows))
    stored_rows = list(spool.read(HOUR))
    assert [row[1:] for row in stored_rows] == [rows[1][1:], rows[2][1:], rows[0][1:]]
    assert [row.id for row in stored_rows] == [2, 3, 1]
    assert list(spool.read(HOUR, 2)) == [stored_rows[1]]
    assert [row.ts for row in spool.read(HOUR + 1)] == [(HOUR + 1) * MS]
    assert (spool.last(HOUR), spool.last(HOUR + 1), spool.last(HOUR + 2)) == (3, 1, 0)
    assert list(spool.read(HOUR + 2)) == []
    assert spool.hours() == [HOUR, HOUR + 1]


def test_a_batch_is_written_whole_or_not_at_all(spool: SqlSpool) -> None:
    spool.append("a", Batch([row()], {(HOUR, "self"): 1}))
    with pytest.raises(StoreUnavailable):
        spool.append("a", Batch([row(), row(family=None)], {(HOUR, "self"): 5, (HOUR + 9, "self"): 5}, [(HOUR, 3)]))
    assert (spool.last(HOUR), spool.counted(HOUR), spool.observed_slots(HOUR), spool.hours()) == (
        1,
        {"self": 1},
        0,
        [HOUR],
    )


def test_counters_of_workers_are_added_and_their_beats_joined(spool: SqlSpool) -> None:
    spool.append(
        "a",
        Batch(counts={(HOUR, "dropped"): 2, (HOUR, "gateway/limit/mcp/limited"): 1}, beats=[(HOUR, 0), (HOUR, 359)]),
    )
    spool.append("a", Batch(counts={(HOUR, "dropped"): 3}, beats=[(HOUR, 5)]))
    spool.append("b", Batch(counts={(HOUR, "dropped"): 10, (HOUR + 1, "dropped"): 1}, beats=[(HOUR, 5), (HOUR, 6)]))
    assert spool.counted(HOUR) == {"dropped": 15, "gateway/limit/mcp/limited": 1}
    assert (spool.observed_slots(HOUR), spool.observed_slots(HOUR + 1), spool.counted(HOUR + 2)) == (4, 0, {})
    assert spool.hours() == [HOUR, HOUR + 1]


def test_bursts_are_networks_that_were_refused_many_distinct_paths_in_a_slot(spool: SqlSpool) -> None:
    rule = BurstRule(600_000, 5, 2, (1, 2))
    refused = {"status": 404}
    rows = [row(n, net=1, miss=n + 1, **refused) for n in range(5)]  # five paths in a slot
    rows += [row(n, net=2, miss=1, **refused) for n in range(9)]  # one path again and again
    rows += [row(rule.slot_ms - 3 + n, net=3, miss=n + 1, **refused) for n in range(5)]  # five across a border
    rows += [row(n, net=None, miss=n + 1, **refused) for n in range(9)]  # nobody in particular
    rows += [row(rule.slot_ms + n, net=4, miss=0, **refused) for n in range(9)]  # paths that fit
    rows += [row(n, net=5, miss=n + 1, status=200) for n in range(9)]  # former pages, answered
    rows += [row(n, net=6, miss=n + 1, flags=EMBEDDED, **refused) for n in range(9)]  # the pictures of a broken page
    rows += [row(n, net=7, miss=n + 1, status=301, probe=3) for n in range(5)]  # probes that were redirected
    rows += [row(n, net=8, miss=n + 1, status=301) for n in range(9)]  # former pages that have moved
    rows += [row(n, net=9, miss=1, status=200, probe=n + 1) for n in range(2)]  # two sorts of hostile probes, answered
    rows += [
        row(n, net=10, miss=n, status=200, probe=2 + n % 2 * 5) for n in range(9)
    ]  # one sort, and another that is not hostile
    spool.append("a", Batch(rows))
    assert {net for net, _ in spool.bursts(HOUR, rule)} == {1, 7, 9}
    assert (1, HOUR * MS // rule.slot_ms) in spool.bursts(HOUR, rule)
    assert spool.bursts(HOUR + 1, rule) == frozenset()
    assert bursts_of(spool.read(HOUR), rule) == spool.bursts(HOUR, rule)


def test_a_worker_that_says_that_it_ends_has_not_vanished(spool: SqlSpool) -> None:
    spool.append("killed", Batch(beats=[(HOUR, 3)]))
    spool.append("stopped", Batch(counts={(HOUR, ENDED): 1}, beats=[(HOUR, 3)]))
    spool.append("goes on", Batch(beats=[(HOUR, 3), (HOUR + 1, 0)]))
    assert (spool.vanished(HOUR - 1), spool.vanished(HOUR), spool.vanished(HOUR + 1)) == (0, 1, 1)
    assert (spool.first_beat(HOUR), spool.first_beat(HOUR + 2)) == (3, None)


def test_a_database_that_lost_its_unlogged_tables_is_noticed_once_and_written_again(postgresql: PostgresServer) -> None:
    with closing(PostgresqlSpool(open_postgresql(schema_of(postgresql)))) as spool:
        spool.append("a", Batch([row(1)], beats=[(HOUR, 0)]))
        with spool.database.writing() as connection:  # what the server does after a crash
            for name in (*OWN, f"ev_{HOUR}"):
                connection.execute(sa.text(f"TRUNCATE {name}"))
        with pytest.raises(SpoolEmptied):
            spool.append("a", Batch([row(2)]))
        spool.append("a", Batch([row(2)]))
        assert [row.ts for row in spool.read(HOUR)] == [row(2).ts]


def test_texts_are_summed_by_hours(spool: SqlSpool) -> None:
    spool.append("a", Batch(unlisted={(HOUR, "OwlBot"): 5, (HOUR + 1, "OwlBot"): 6, (HOUR, "FoxBot"): 20}))
    spool.append("b", Batch(unlisted={(HOUR, "OwlBot"): 1}))
    assert list(spool.unlisted(HOUR, HOUR + 2).items()) == [("FoxBot", 20), ("OwlBot", 12)]
    assert spool.unlisted(HOUR + 1, HOUR + 2) == {"OwlBot": 6}
    spool.drop(HOUR + 720)
    assert spool.unlisted(HOUR, HOUR + 1) == {"FoxBot": 20, "OwlBot": 6}
    spool.drop(HOUR + 721)
    assert spool.unlisted(HOUR, HOUR + 2) == {"OwlBot": 6}


def test_everyone_has_the_same_salt_of_a_day_and_another_one_the_next(spool: SqlSpool, address: str) -> None:
    with closing(spool_at(address)) as other:
        assert spool.salt(20_000) == other.salt(20_000) != other.salt(20_001) == spool.salt(20_001)
        assert len(spool.salt(20_000)) == 32


def test_a_forgotten_salt_is_neither_had_nor_made_again(spool: SqlSpool) -> None:
    salt = spool.salt(20_002)
    spool.salt(20_000)
    spool.forget_salts(20_002)
    for day in (20_000, 20_001, 19_000):
        with pytest.raises(LookupError):
            spool.salt(day)
    spool.forget_salts(20_002)
    assert spool.salt(20_002) == salt
    spool.forget_salts(20_003)
    with pytest.raises(LookupError):
        spool.salt(20_002)


def test_in_sqlite_no_byte_of_a_forgotten_salt_stays_in_its_files(sqlite_address: str) -> None:
    spool = spool_at(sqlite_address)
    salt = spool.salt(20_000)
    files = [Path(sqlite_address + ending) for ending in ("", "-wal")]
    assert any(salt in file.read_bytes() for file in files)
    spool.forget_salts(20_001)
    assert not any(salt in file.read_bytes() for file in files)
    spool.close()


def test_in_postgresql_a_forgotten_salt_goes_with_its_file_and_was_never_in_the_log(
    postgresql: PostgresServer, postgresql_address: str
) -> None:
    spool = spool_at(postgresql_address)
    salt = spool.salt(20_000)
    former = _file_of_salts(postgresql, spool)
    assert former.exists()
    spool.forget_salts(20_001)
    with psycopg.connect(postgresql.get_uri(), autocommit=True) as connection:
        connection.execute("CHECKPOINT")  # until then the name of a removed file stays, empty
    assert not former.exists() or not former.read_bytes()
    assert _file_of_salts(postgresql, spool) != former
    assert not _holds(postgresql, salt)
    spool.close()


def _file_of_salts(server: PostgresServer, spool: SqlSpool) -> Path:
    with spool.database.reading() as connection:
        return Path(server.pgdata) / str(connection.scalar(sa.text("SELECT pg_relation_filepath('spool_salt')")))


def _holds(server: PostgresServer, data: bytes) -> bool:
    return any(
        data in file.read_bytes() for file in Path(server.pgdata).rglob("*") if file.is_file() and not file.is_symlink()
    )


def test_while_a_reader_holds_the_log_a_salt_cannot_be_forgotten_and_then_it_can(sqlite_address: str) -> None:
    spool, waiting = spool_at(sqlite_address), SqliteSpool(open_sqlite(Path(sqlite_address), wait=0.1))
    spool.append("a", Batch([row()]))
    salt = spool.salt(20_000)
    reading = spool.read(HOUR)
    next(reading)
    with pytest.raises(StoreUnavailable):
        waiting.forget_salts(20_001)
    reading.close()
    waiting.forget_salts(20_001)
    assert salt not in Path(sqlite_address + "-wal").read_bytes()
    spool.close()
    waiting.close()


def test_a_dropped_hour_is_gone_its_room_is_free_and_it_can_begin_again(spool: SqlSpool) -> None:
    spool.append("a", Batch([row(n) for n in range(2000)], {(HOUR, "self"): 1}, [(HOUR, 1)]))
    full = spool.size()
    spool.drop(HOUR)
    assert (spool.hours(), spool.last(HOUR), spool.counted(HOUR), spool.observed_slots(HOUR)) == ([], 0, {}, 0)
    assert full - spool.size() > 60_000
    spool.append("a", Batch([row(1)]))
    assert spool.last(HOUR) == 1


def test_an_hour_that_somebody_else_dropped_costs_one_try(spool: SqlSpool, address: str) -> None:
    spool.append("a", Batch([row()]))
    with closing(spool_at(address)) as other:
        other.drop(HOUR)
    with pytest.raises(StoreUnavailable):
        spool.append("a", Batch([row()]))
    spool.append("a", Batch([row()]))
    assert spool.last(HOUR) == 1


def test_a_row_takes_at_most_sixty_bytes_in_sqlite(sqlite_address: str) -> None:
    spool = spool_at(sqlite_address)
    before = spool.size()
    for start in range(0, 20_000, 1000):
        spool.append(
            "a",
            Batch(
                [
                    row(n * 50, bytes=12_000, miss=0, status=200, family=n % 60, route=n % 90, material=n % 6000)
                    for n in range(start, start + 1000)
                ]
            ),
        )
    assert (spool.size() - before) / 20_000 <= 60
    spool.close()


def test_a_spool_of_another_format_is_begun_anew(spool: SqlSpool, address: str) -> None:
    spool.append("a", Batch([row()], {(HOUR, "self"): 1}))
    salt = spool.salt(20_000)
    with spool.database.writing() as connection:
        connection.execute(sa.text("UPDATE spool_format SET n = 999"))
    with closing(spool_at(address)) as fresh:
        assert fresh.hours() == []
        assert fresh.salt(20_000) != salt
    with closing(spool_at(address)) as again:
        again.append("a", Batch([row()]))
        assert again.hours() == [HOUR]


def test_four_writers_at_once_lose_nothing_and_ids_become_visible_in_their_order(address: str) -> None:
    spool_at(address).close()
    ids: list[int] = []

    def write(worker: str) -> None:
        with closing(spool_at(address)) as own:
            for turn in range(10):
                own.append(worker, Batch([row(turn, family=int(worker))] * 20, {(HOUR, "self"): 1}))

    def follow() -> None:
        with closing(spool_at(address)) as own:
            while len(ids) < 800:
                ids.extend(row.id for row in own.read(HOUR, ids[-1] if ids else 0))
                ids.sort()

    threads = [threading.Thread(target=write, args=(str(number),)) for number in range(4)] + [
        threading.Thread(target=follow, daemon=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert ids == list(range(1, 801))
    with closing(spool_at(address)) as spool:
        assert spool.counted(HOUR) == {"self": 40}


def test_what_is_kept_of_signed_requests_goes_with_its_row_until_it_is_forgotten(spool: SqlSpool) -> None:
    spool.append("a", Batch([row(1), row(2, family=9), row(MS)], held={1: b"kept", 2: b"next"}))
    (id_,) = (row.id for row in spool.read(HOUR) if row.family == 9)
    assert (spool.signed(HOUR), list(spool.signed(HOUR + 1).values()), len(list(spool.read(HOUR)))) == (
        {id_: b"kept"},
        [b"next"],
        2,
    )
    spool.forget_signed(HOUR + 1)
    assert (spool.signed(HOUR), len(spool.signed(HOUR + 1))) == ({}, 1)
    spool.drop(HOUR + 1)
    assert spool.signed(HOUR + 1) == {}


def test_a_salt_is_renewed_at_once(spool: SqlSpool) -> None:
    first = spool.salt(20_000)
    spool.renew_salt(20_000)
    assert spool.salt(20_000) not in {first, b""}
    assert spool.salts() == {20_000: True}
    spool.forget_salts(20_001)
    assert spool.salts() == {20_000: False}
