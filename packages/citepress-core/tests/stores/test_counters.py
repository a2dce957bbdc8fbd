from concurrent.futures import ThreadPoolExecutor

from citepress.contract.limits import Limit, LimitState
from citepress.stores.local.counters import LocalCounters

REST = Limit("rest", 3, 60)


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def test_a_window_begins_with_the_first_request_and_ends_with_its_length() -> None:
    clock = Hand()
    counters = LocalCounters(clock)
    assert counters.spend(REST, "a") == LimitState(True, 2, 60)
    clock.at += 59.5
    assert counters.spend(REST, "a") == LimitState(True, 1, 1)
    clock.at += 0.5
    assert counters.spend(REST, "a") == LimitState(True, 2, 60)


def test_beyond_the_quota_nothing_is_spent() -> None:
    counters = LocalCounters(Hand())
    assert [counters.spend(REST, "a").allowed for _ in range(5)] == [True, True, True, False, False]
    assert counters.spend(REST, "a").remaining == 0


def test_a_cost_is_taken_whole_or_not_at_all() -> None:
    counters = LocalCounters(Hand())
    assert counters.spend(REST, "a", 2) == LimitState(True, 1, 60)
    assert counters.spend(REST, "a", 2) == LimitState(False, 1, 60)
    assert counters.spend(REST, "a", 1) == LimitState(True, 0, 60)


def test_clients_and_limits_are_counted_apart() -> None:
    counters = LocalCounters(Hand())
    other = Limit("mcp", 3, 60)
    assert [counters.spend(limit, client).remaining for limit, client in ((REST, "a"), (REST, "b"), (other, "a"))] == [
        2,
        2,
        2,
    ]


def test_memory_is_bounded_and_the_oldest_window_goes_first() -> None:
    clock = Hand()
    counters = LocalCounters(clock, most=10)
    for number in range(25):
        clock.at += 1
        counters.spend(REST, str(number))
    assert counters.spend(REST, "24").remaining == 1
    assert counters.spend(REST, "15").remaining == 1
    assert counters.spend(REST, "14").remaining == 2
    assert sum(map(len, counters._windows.values())) == 10  # noqa: SLF001


def test_finished_windows_are_swept_as_new_ones_begin() -> None:
    clock = Hand()
    counters = LocalCounters(clock)
    for number in range(100):
        counters.spend(REST, str(number))
    clock.at += 61
    for number in range(200, 260):
        counters.spend(REST, str(number))
    assert sum(map(len, counters._windows.values())) == 60  # noqa: SLF001


def test_threads_never_spend_more_than_the_quota() -> None:
    counters = LocalCounters(Hand())
    limit = Limit("rest", 500, 60)
    with ThreadPoolExecutor(8) as pool:
        allowed = sum(pool.map(lambda _: counters.spend(limit, "a").allowed, range(1000)))
    assert allowed == 500


def test_a_new_window_never_has_more_seconds_left_than_it_is_long() -> None:
    """``now + 60 - now`` is a little more than 60 where the sum needs one more binary digit."""
    starts = (8192 - 60 + number / 7 for number in range(400))
    assert {LocalCounters(lambda start=start: start).spend(REST, "a").reset for start in starts} == {60}
