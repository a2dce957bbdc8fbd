"""Counters in a file that several processes map: exact, whoever is killed."""

import os
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from citepress.contract.limits import Limit, LimitState
from citepress.stores.local.shared_counters import (
    BUCKETS,
    SIZE,
    SLOTS,
    WAYS,
    CounterTable,
    SharedCounters,
    SharedCountersError,
)
from support.stores import answers, fork, hold_every_bucket, pipe, spend_shared, spend_until_killed

REST = Limit("rest", 3, 60)
PROCESSES, CLIENTS = 4, 1000


@pytest.fixture
def table(tmp_path: Path) -> CounterTable:
    return CounterTable.create(tmp_path)


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


class Dying(SharedCounters):
    """Stops in the middle of a change, as a process does that is killed there."""

    def die_after(self, stores: int) -> None:
        """Let so many more stores through."""
        self._hashes, self._windows = Column(self, self._hashes), Column(self, self._windows)  # type: ignore[assignment]
        self.left = stores


class KilledError(Exception):
    pass


class Column:
    """A column of the table that counts what is stored in it."""

    def __init__(self, counters: Dying, column: Any) -> None:
        self._counters, self._column = counters, column

    def __getitem__(self, place: Any) -> Any:
        return self._column[place]

    def __setitem__(self, place: int, value: int) -> None:
        if not self._counters.left:
            raise KilledError
        self._counters.left -= 1
        self._column[place] = value


def test_processes_count_a_thousand_clients_exactly_under_load(table: CounterTable) -> None:
    calls = [(table, CLIENTS, REST)] * PROCESSES
    assert sum(answers(spend_shared, *calls)) == CLIENTS * REST.quota


def test_processes_that_are_killed_while_they_count_leave_a_table_that_is_exact(table: CounterTable) -> None:
    limit = Limit("rest", 10_000_000, 60)
    survivor = SharedCounters(table)
    for _ in range(8):
        before = survivor.spend(limit, "same", 0).remaining
        killed = [fork(spend_until_killed, table, limit) for _ in range(3)]
        while before - survivor.spend(limit, "same", 0).remaining < 3000:  # they are in the middle of it
            survivor.spend(limit, "same")
        for process in killed:
            process.kill()
        for process in killed:
            process.join(60)
        at_rest = survivor.spend(limit, "same", 0)
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(lambda _: survivor.spend(limit, "same").allowed, range(1000)))
        assert survivor.spend(limit, "same", 0).remaining == at_rest.remaining - 1000
    assert sum(answers(spend_shared, *[(table, CLIENTS, REST)] * PROCESSES)) == CLIENTS * REST.quota


@pytest.mark.parametrize("stores", range(4))
def test_a_process_killed_between_two_stores_leaves_the_former_or_the_new_window(
    table: CounterTable, stores: int
) -> None:
    clock = Hand()
    dying, after = Dying(table, clock), SharedCounters(table, clock)
    dying.die_after(stores)
    if stores < 3:  # a new window takes three stores
        with pytest.raises(KilledError):
            dying.spend(REST, "a")
        assert after.spend(REST, "a") == LimitState(True, 2, 60)
    else:
        dying.spend(REST, "a")
        assert after.spend(REST, "a") == LimitState(True, 1, 60)
    assert after.spend(REST, "b") == LimitState(True, 2, 60)


def test_the_lock_of_a_killed_process_is_free_at_once(table: CounterTable) -> None:
    parent, child = pipe()
    holder = fork(hold_every_bucket, table, child)
    assert parent.recv() == "locked"
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(SharedCounters(table).spend, REST, "a")
        holder.kill()
        assert waiting.result(60).allowed


def test_a_full_bucket_drops_the_window_that_ends_first(table: CounterTable) -> None:
    clock = Hand()
    counters = SharedCounters(table, clock)
    names = iter(range(10_000_000))
    crowd: list[str] = []
    while len(crowd) <= WAYS:
        name = str(next(names))
        if counters._place("rest", name).bucket == 0:  # noqa: SLF001
            crowd.append(name)
    for name in crowd:
        clock.at += 1
        counters.spend(REST, name)
    assert counters.spend(REST, crowd[1], 0).remaining == 2
    assert counters.spend(REST, crowd[-1], 0).remaining == 2
    assert counters.spend(REST, crowd[0], 0).remaining == 3
    assert SLOTS == BUCKETS * WAYS


def test_the_table_holds_no_address_and_has_no_name_by_which_anybody_could_damage_it(tmp_path: Path) -> None:
    table = CounterTable.create(tmp_path)
    SharedCounters(table).spend(REST, "203.0.113.77")
    assert list(tmp_path.iterdir()) == []
    assert os.fstat(table.file).st_mode & 0o777 == 0o600
    content = os.pread(table.file, SIZE, 0)
    assert len(content) == SIZE
    assert b"203.0.113.77" not in content


def test_two_tables_hash_the_same_client_differently(tmp_path: Path) -> None:
    tables = [SharedCounters(CounterTable.create(tmp_path)) for _ in range(2)]
    first, second = (counters._place("rest", "203.0.113.77").hashed for counters in tables)  # noqa: SLF001
    assert first != second


def test_processes_that_are_given_one_table_count_together(table: CounterTable) -> None:
    calls = [(table, 1, Limit("rest", 10, 60))] * PROCESSES
    assert sum(answers(spend_shared, *calls)) == 10


def test_a_disk_without_room_is_one_sentence_and_leaves_no_file(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SIZE // 2, hard))
    try:
        with pytest.raises(SharedCountersError, match="has no room for the counters"):
            CounterTable.create(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []
