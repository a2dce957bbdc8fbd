"""Rollups equal an independent count, whatever crashed, came twice, came late or was started again."""

import contextlib
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest

from citepress_telemetry.model import CarryOver, Closed, Hour
from citepress_telemetry.ports import Batch
from citepress_telemetry.rollup.aggregator import LATE_HOURS, Aggregator, AggregatorRules
from citepress_telemetry.sql import rollups as stored
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.sql.spool_base import SqlSpool
from citepress_telemetry.stores import open_rollup_store
from citepress_telemetry.sums.windows import day_of
from support.database_servers import schema_of
from support.telemetry_count import HOUR_MS, Arrival, Count, count, flat, true_pairs
from support.telemetry_traffic import Names, named, traffic

pytestmark = pytest.mark.long

NEW_YEAR = int(datetime(2027, 1, 1, tzinfo=UTC).timestamp()) // 3600
DAYS = range(NEW_YEAR - 48, NEW_YEAR + 24)
"""Three days, over the end of a month and a year."""
NIGHT = range(NEW_YEAR - 10, NEW_YEAR + 6)
WRITERS = ("a", "b", "c", "d")


class PowerCut(BaseException):
    """The process is gone."""


class Stage:
    """A spool and rollups over which aggregators come and go."""

    def __init__(self, state: Path, address: str | None, seed: int) -> None:
        database = open_rollup_store(state, address)
        self.rollups, self.dimensions, self.spool = (
            SqlRollups(database),
            SqlDimensions(database),
            open_spool(state, address),
        )
        self.names: Names = named(self.dimensions)
        self.chance = random.Random(seed)  # noqa: S311  (a test repeats)
        self.starts = self.cuts = self.replays = 0
        self.aggregator = self.started()

    def started(self) -> Aggregator:
        """A new aggregator, as after a start."""
        self.starts += 1
        rules = AggregatorRules("2026.11.1+00000000", retention_hours=400)
        return Aggregator(self.spool, self.rollups, SqlDimensions(self.rollups._database), rules, Event(), lambda: None)  # noqa: SLF001

    def close_until(self, hour: int) -> None:
        """Let everything before an hour be closed, through power cuts."""
        now = datetime.fromtimestamp(hour * 3600 + 300, UTC)
        while True:
            try:
                with self._cut():
                    self.aggregator.close_due(now)
            except PowerCut:
                self.aggregator = self.started()
            else:
                break
        if self.chance.random() < 0.2:
            self.aggregator = self.started()
        if self.chance.random() < 0.3:
            self.replays += 1
            again = Closed(hour - 1, 5, 5, 3600, False, "x", {"dropped": 5})
            assert not self.rollups.close(again, Hour(), CarryOver())

    @contextlib.contextmanager
    def _cut(self) -> Iterator[None]:
        """The power may go before the commit, or just after it."""
        kind = self.chance.random()
        with pytest.MonkeyPatch.context() as patch:
            if kind < 0.25:
                patch.setattr(stored, "write_open", self._gone)
            elif kind < 0.35:
                patch.setattr(SqlRollups, "forget", self._gone)
            elif kind < 0.4:
                patch.setattr(stored, "_update_cursor", self._gone)
            yield

    def close(self) -> None:
        """End the connections."""
        self.spool.close()
        self.rollups._database.close()  # noqa: SLF001

    def _gone(self, *_: object) -> None:
        self.cuts += 1
        raise PowerCut


def _write(spool: SqlSpool, arrivals: list[Arrival], chance: random.Random) -> None:
    """Four writers, in batches that are in no order of time."""
    waiting = {
        writer: [arrival.row for arrival in arrivals if arrival.row.ts % 4 == at] for at, writer in enumerate(WRITERS)
    }
    while any(waiting.values()):
        writer = chance.choice([name for name, rows in waiting.items() if rows])
        rows, waiting[writer] = waiting[writer][:50], waiting[writer][50:]
        chance.shuffle(rows)
        hour = rows[0].ts // HOUR_MS
        spool.append(
            writer, Batch(rows, {(hour, "self"): 2, (hour, "gateway/mcp/tools/call/ok"): 1}, [(hour, len(rows))])
        )


@dataclass(frozen=True)
class Played:
    """What was written, and where it was counted."""

    stage: Stage
    arrivals: list[Arrival]
    hours: range

    @property
    def rollups(self) -> SqlRollups:
        return self.stage.rollups


def _play(stage: Stage, hours: range, visits: int, seed: int) -> Played:
    arrivals = traffic(stage.names, hours.start, len(hours), visits, seed)
    for hour in range(hours.start, hours.stop + LATE_HOURS + 2):
        late = [arrival for arrival in arrivals if arrival.row.ts // HOUR_MS + min(arrival.late, LATE_HOURS) == hour]
        _write(stage.spool, late, stage.chance)
        stage.close_until(hour + 1)
    return Played(stage, arrivals, hours)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    lite, folder = request.param == "sqlite", tmp_path_factory.mktemp("state")
    stage = Stage(folder, None if lite else schema_of(request.getfixturevalue("postgresql")), 1)
    yield _play(stage, DAYS, 2500, 1) if lite else _play(stage, NIGHT, 1500, 2)
    stage.close()


@pytest.fixture(scope="module")
def counted(played: Played) -> dict[int, Count]:
    on_time = [arrival for arrival in played.arrivals if arrival.late < LATE_HOURS]
    return count(on_time, played.stage.dimensions.families(), played.stage.names.routes[0])


def _summed(counted: dict[int, Count], hours: range) -> Count:
    total = Count()
    for hour in hours:
        total += counted.get(hour, Count())
    return total


def _without_reads(count: Count) -> Count:
    return Count(Counter({key: n for key, n in count.sums.items() if key[0] != "read"}), count.most, count.sets)


def test_the_power_was_cut_and_hours_were_replayed(played: Played) -> None:
    stage = played.stage
    assert (stage.cuts > 10, stage.replays > 5, stage.starts > 15) == (True, True, True)
    assert {arrival.late for arrival in played.arrivals} >= {0, 1, 24}


def test_every_hour_says_what_was_counted_by_hand(played: Played, counted: dict[int, Count]) -> None:
    for hour in played.hours:
        assert (
            flat(played.rollups.window(hour, hour + 1)).comparable()
            == _without_reads(counted.get(hour, Count())).comparable()
        ), hour


def test_days_and_any_window_are_the_sums_of_their_hours(played: Played, counted: dict[int, Count]) -> None:
    first, end = played.hours.start, played.hours.stop
    midnight = NEW_YEAR
    for begin, stop in (
        (first, end),
        (first, midnight),
        (midnight, end),
        (first + 1, end - 1),
        (midnight - 24, midnight),
        (first, first),
    ):
        expected = _without_reads(_summed(counted, range(begin, stop)))
        assert flat(played.rollups.window(begin, stop)).comparable() == expected.comparable(), (begin, stop)


def test_readership_since_the_beginning_has_every_read(played: Played, counted: dict[int, Count]) -> None:
    reads = {key: n for key, n in _summed(counted, played.hours).sums.items() if key[0] == "read"}
    totals = played.rollups.read_totals()
    assert flat(Hour(), totals).sums == reads
    hours: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for hour in played.hours:
        for key in counted[hour].sums:
            if key[0] == "read":
                hours[key[1:5]].append(hour)
    assert {tuple(key): (read.first, read.last) for key, read in totals.items()} == {
        key: (all_[0], all_[-1]) for key, all_ in hours.items()
    }


def test_readership_of_the_last_hours_is_theirs_alone(played: Played, counted: dict[int, Count]) -> None:
    first = played.hours.stop - 10  # what is older than 48 hours has been let go
    reads = {key: n for key, n in _summed(counted, range(first, played.hours.stop)).sums.items() if key[0] == "read"}
    assert flat(Hour(), played.rollups.reads(first, played.hours.stop)).sums == reads


def test_pairs_never_overcount_and_their_bound_holds(played: Played) -> None:
    truth = true_pairs(played.arrivals, played.stage.dimensions.families())
    first, end = day_of(played.hours.start), day_of(played.hours.stop - 1) + 1
    spans = [(day, day + 1) for day in range(first, end)] + [(first, end)]
    assert played.rollups.pairs(first, end)
    for begin, stop in spans:
        for pair in played.rollups.pairs(begin, stop):
            true = sum(truth[day, *pair[:3]] for day in range(begin, stop))
            assert pair.n <= true <= pair.n + pair.undercount


def test_late_rows_are_told_and_rows_that_come_too_late_are_dropped(played: Played) -> None:
    counts = played.rollups.window(played.hours.start, played.hours.stop).counts
    assert counts["late"] == sum(0 < arrival.late < LATE_HOURS for arrival in played.arrivals)
    assert counts["dropped"] == sum(arrival.late >= LATE_HOURS for arrival in played.arrivals)


def test_counters_of_writers_are_told_and_those_of_late_batches_too(played: Played) -> None:
    window = played.rollups.window(played.hours.start, played.hours.stop)
    spooled = sum(played.stage.spool.counted(hour)["self"] for hour in played.hours)
    assert spooled - 2 * window.counts["dropped"] <= window.counts["self"] <= spooled
    assert window.gateway == {("mcp", "tools/call", "ok"): window.counts["self"] // 2}


def test_classes_totals_representations_and_statuses_have_one_sum(played: Played) -> None:
    window = played.rollups.window(played.hours.start, played.hours.stop)
    total = sum(arrival.late < LATE_HOURS for arrival in played.arrivals)
    assert sum(traffic.n for traffic in window.traffic.values()) == total
    impostors = sum(sums.verify[4] for sums in window.families.values())
    assert sum(sums.n for sums in window.families.values()) == total - impostors < total
    for sums in window.families.values():
        assert sum(sums.rep) == sum(sums.status) == sum(sums.verify[:4]) == sums.n
        assert sum(sums.depth_hist) == sums.sessions


def test_every_hour_is_closed_once_and_has_all_its_rows(played: Played) -> None:
    closed = played.rollups.closed(played.hours.start, played.hours.stop)
    assert [cursor.hour for cursor in closed] == list(played.hours)
    assert sum(cursor.rows for cursor in closed) == sum(arrival.late < LATE_HOURS for arrival in played.arrivals)
