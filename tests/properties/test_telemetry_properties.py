"""Windows of rollups, and pairs that are counted in little room."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from citepress_telemetry.model import CarryOver, Closed, FamilySums, Hour, PathSums, Traffic, TrafficKey
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.stores import open_rollup_store
from citepress_telemetry.sums.pairs import PairCounter, merge_pairs
from citepress_telemetry.sums.windows import add_hour, spans

FIRST, HOURS = 500_016 + 7, 90
hours = st.integers(FIRST - 30, FIRST + HOURS + 30)


def _hour(hour: int) -> Hour:
    """Rollups that no other hour has."""
    sums = FamilySums(
        hour, 1, 3, [hour % 5, 0, 0, 0, 1], [1] * 5, [2] * 7, BitMap([hour % 11, hour]), 2, 1, 0, 1, hour % 9, hour % 50
    )
    counts = {"dropped": hour % 3}
    return Hour(
        {TrafficKey("crawler", f"p{hour % 3}", 0, 0, 3): Traffic(hour, 1, 0, 10**12)},
        {hour % 4 + 1: sums, 9: sums},
        {9: PathSums({hour % 6: 1, 65537: hour}, {1: 1})},
        {},
        {"wordpress": 1},
        {hour % 2 + 1: 3},
        {("mcp", "x", "ok"): 1},
        counts,
    )


@pytest.fixture(scope="module")
def rollups(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlRollups]:
    database = open_rollup_store(Path(tmp_path_factory.mktemp("state")))
    store = SqlRollups(database)
    for hour in range(FIRST, FIRST + HOURS):
        store.close(Closed(hour, 1, 1, 3600, False, "x", {}), _hour(hour), CarryOver())
    yield store
    database.close()


@given(first=hours, length=st.integers(0, 120))
def test_days_and_hours_together_are_the_sum_of_hours_alone(rollups: SqlRollups, first: int, length: int) -> None:
    expected = Hour()
    for hour in range(max(first, FIRST), min(first + length, FIRST + HOURS)):
        add_hour(expected, _hour(hour))
    assert rollups.window(first, first + length) == expected


@given(first=hours, length=st.integers(0, 200))
def test_a_window_has_each_of_its_hours_once(first: int, length: int) -> None:
    parts = spans(first, first + length)
    covered = [hour for day in parts.days for hour in range(day * 24, day * 24 + 24)] + [
        hour for span in parts.hours for hour in span
    ]
    assert sorted(covered) == list(range(first, first + length))
    assert sum(map(len, parts.hours)) < 48


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), max_size=300), st.integers(2, 40))
def test_pair_counters_never_overcount_and_bound_what_they_missed(values: list[tuple[int, int]], slots: int) -> None:
    counter = PairCounter(slots=slots)
    for pair in values:
        counter.add(*pair)
    assert len(counter.counters) <= slots
    for pair, true in Counter(values).items():
        assert counter.counters.get(pair, 0) <= true <= counter.counters.get(pair, 0) + counter.subtracted


@given(st.lists(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=120), max_size=4))
def test_bounds_of_several_days_hold_for_listed_pairs_and_for_the_rest(days: list[list[tuple[int, int]]]) -> None:
    lists = []
    for day in days:
        counter = PairCounter(slots=5)
        for pair in day:
            counter.add(*pair)
        lists.append(counter.best(1))
    total = merge_pairs(*lists)
    listed = {(pair.first, pair.second): pair for pair in total if not pair.rest}
    rest = sum(pair.undercount for pair in total if pair.rest)
    for pair, true in Counter(pair for day in days for pair in day).items():
        if pair in listed:
            assert listed[pair].n <= true <= listed[pair].n + listed[pair].undercount
        else:
            assert true <= rest
