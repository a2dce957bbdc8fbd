"""The aggregator over a real spool and real rollups: what is due, what is deleted, and what a fault leaves."""

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from citepress.contract.store import StoreUnavailable
from citepress.stores.local.election import FileElection
from citepress_telemetry.model import Closed, Hour, Imported
from citepress_telemetry.ports import Batch, SpoolRow
from citepress_telemetry.rollup.aggregator import Aggregator, AggregatorRules
from citepress_telemetry.rollup.debounce import CHECKS, nothing
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.sql.spool_base import SqlSpool
from citepress_telemetry.stores import open_rollup_store
from support.waiting import PATIENCE_S, until

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = int(NOON.timestamp()) // 3600


@dataclass
class Place:
    """Stores in a folder and what runs over them."""

    state: Path
    rules: AggregatorRules = field(default_factory=lambda: AggregatorRules("2026.11.1+abc"))
    renders: list[datetime] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.database = open_rollup_store(self.state)
        self.rollups, self.dimensions, self.spool = (
            SqlRollups(self.database),
            SqlDimensions(self.database),
            open_spool(self.state),
        )
        self.bot = self.dimensions.family("Bot", "Maker", "training", "crawler", "direct", "", named=True)

    def aggregator(
        self,
        spool: SqlSpool | None = None,
        render: Callable[[], None] | None = None,
        edition: Callable[[], bytes | None] = nothing,
    ) -> Aggregator:
        renderer = render or (lambda: self.renders.append(NOON))
        return Aggregator(
            spool or self.spool, self.rollups, self.dimensions, self.rules, self.stop, renderer, edition=edition
        )

    def write(self, hour: int, count: int = 1, minute: int = 0, *, beats: int = 1, **counts: int) -> None:
        """Requests of one bot in an hour."""
        rows = [
            SpoolRow(0, hour * 3_600_000 + minute * 60_000 + at, 7, self.bot, 3, 0, 0, 0, 200, 1, 1, 0, 0, 0)
            for at in range(count)
        ]
        self.spool.append(
            "a", Batch(rows, {(hour, name): n for name, n in counts.items()}, [(hour, slot) for slot in range(beats)])
        )

    def closed_hours(self) -> list[tuple[int, int, int]]:
        """(hours after the first, rows, seconds observed) of every closed hour."""
        return [(cursor.hour - HOUR, cursor.rows, cursor.observed_seconds) for cursor in self.rollups.closed(0, 10**7)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    fresh = Place(tmp_path)
    yield fresh
    fresh.spool.close()
    fresh.database.close()


def after(hours: float) -> datetime:
    return NOON + timedelta(hours=hours)


def test_an_hour_closes_five_minutes_after_its_end(place: Place) -> None:
    place.write(HOUR, 3, beats=360, dropped=2)
    aggregator = place.aggregator()
    assert aggregator.close_due(after(1) + timedelta(seconds=299)) == 0
    assert aggregator.close_due(after(1) + timedelta(seconds=300)) == 1
    assert place.closed_hours() == [(0, 3, 3600)]
    closed = place.rollups.last_closed()
    assert closed
    assert (closed.classifier, closed.counts, closed.last_row, closed.imported) == (
        "2026.11.1+abc",
        {"dropped": 2, "crashed": 1},
        3,
        False,
    )


def test_hours_without_requests_close_too_and_tell_what_was_observed(place: Place) -> None:
    place.write(HOUR, 2, beats=6)
    place.write(HOUR + 3, 1, beats=30)
    assert place.aggregator().close_due(after(4.1)) == 4
    assert place.closed_hours() == [(0, 2, 60), (1, 0, 0), (2, 0, 0), (3, 1, 300)]


def test_without_a_sign_of_life_there_is_nothing_to_close(place: Place) -> None:
    assert place.aggregator().close_due(after(50)) == 0
    assert place.closed_hours() == []


def test_reports_are_rendered_when_something_closed_and_after_a_start(place: Place) -> None:
    aggregator = place.aggregator()
    aggregator.close_due(after(0))
    assert len(place.renders) == 1
    place.write(HOUR, 1)
    for moment in (after(0.5), after(1.1), after(1.2)):
        aggregator.close_due(moment)
    assert len(place.renders) == 2


def test_reports_are_rendered_once_over_an_edition_that_came_to_rest(place: Place) -> None:
    """Three editions in three looks are one change; a pointer that cannot be read is none."""
    pointers = iter([b"1", b"1", b"1", b"2", b"3", b"3", b"3", b"3", None, b"3"])
    aggregator = place.aggregator(edition=lambda: next(pointers))
    counts = []
    for _ in range(8):
        aggregator.close_due(after(0))
        counts.append(len(place.renders))
    assert counts == [1, 1, 1, 1, 2, 2, 2, 2]


def test_an_edition_that_never_rests_is_rendered_over_all_the_same(place: Place) -> None:
    numbers = iter(range(1000))
    aggregator = place.aggregator(edition=lambda: b"%d" % next(numbers))
    for _ in range(1 + 2 * CHECKS):
        aggregator.close_due(after(0))
    assert len(place.renders) == 3


def test_a_report_that_cannot_be_rendered_stops_no_counting(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("no room")

    place.write(HOUR)
    assert place.aggregator(render=fail).close_due(after(1.1)) == 1
    assert "the previous ones remain" in caplog.text


def test_raw_rows_go_after_their_hours_and_never_before_they_are_closed(place: Place) -> None:
    place.write(HOUR, 5)
    place.write(HOUR + 80, 5)
    place.aggregator().close_due(after(81.1))
    assert place.closed_hours()[0] == (0, 5, 10)
    assert list(place.spool.hours()) == [HOUR + 80]


def test_the_oldest_closed_hours_go_first_when_the_spool_is_too_large(place: Place) -> None:
    place.rules = AggregatorRules("x", spool_max_mb=1)
    for hour in range(4):
        place.write(HOUR + hour, 9000)
    assert place.spool.size() > 1_000_000
    place.aggregator().close_due(after(3.1))  # the fourth hour goes on and stays
    assert place.spool.size() <= 1_000_000
    left = list(place.spool.hours())
    assert left == sorted(left)
    assert left[-1] == HOUR + 3
    assert place.closed_hours() == [(0, 9000, 10), (1, 9000, 10), (2, 9000, 10)]


def test_an_hour_that_is_lost_before_it_could_close_counts_as_unobserved(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    place.rules = AggregatorRules("x", retention_hours=3)
    place.write(HOUR, 5)
    place.aggregator().close_due(after(1.1))
    place.write(HOUR + 1, 5)
    with monkeypatch.context() as patch:
        patch.setattr(SqlRollups, "close", _away)
        with pytest.raises(StoreUnavailable):
            place.aggregator().close_due(after(5.1))
    assert place.spool.hours() == []
    assert "counts as unobserved" in caplog.text
    place.aggregator().close_due(after(5.2))
    assert place.closed_hours()[1] == (1, 0, 0)


def _away(*_: object) -> None:
    raise StoreUnavailable("the disk is full")


def test_salts_are_overwritten_ten_minutes_past_midnight(place: Place) -> None:
    day = HOUR // 24
    first = place.spool.salt(day)
    midnight = datetime(2026, 11, 22, tzinfo=UTC)
    aggregator = place.aggregator()
    aggregator.close_due(midnight + timedelta(seconds=599))
    assert place.spool.salt(day) == first
    aggregator.close_due(midnight + timedelta(seconds=600))
    with pytest.raises(LookupError):
        place.spool.salt(day)
    assert first not in b"".join(file.read_bytes() for file in place.state.iterdir())


def test_salts_that_cannot_be_overwritten_are_tried_again_and_hours_close_meanwhile(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(HOUR)
    tried: list[int] = []

    def busy(day: int) -> None:
        tried.append(day)
        raise StoreUnavailable("a reader holds the log")

    monkeypatch.setattr(place.spool, "forget_salts", busy)
    aggregator = place.aggregator()
    assert [aggregator.close_due(after(1.1)), aggregator.close_due(after(1.2))] == [1, 0]
    assert tried == [HOUR // 24] * 2


def test_an_imported_hour_is_left_as_it_is_and_sessions_go_on_after_it(place: Place) -> None:
    place.write(HOUR, 2, minute=50)
    aggregator = place.aggregator()
    aggregator.close_due(after(1.1))
    file = Imported(b"h", 1, b"d", 1, 1, HOUR + 1)
    place.rollups.close_imported(Closed(HOUR + 1, 9, 0, 3600, True, "x", {}), Hour(), [file])
    place.write(HOUR + 2, 1)
    assert aggregator.close_due(after(3.1)) == 1
    assert place.closed_hours() == [(0, 2, 10), (1, 9, 3600), (2, 1, 10)]
    sessions = [place.rollups.window(HOUR + at, HOUR + at + 1).families.get(place.bot) for at in range(3)]
    assert [sums and (sums.sessions, sums.depth_sum) for sums in sessions] == [(0, 0), None, (2, 3)]


def test_old_imports_do_not_make_the_aggregator_close_the_years_between(place: Place) -> None:
    place.rollups.close_imported(Closed(HOUR - 50_000, 9, 0, 3600, True, "x", {}), Hour(), [])
    place.write(HOUR)
    assert place.aggregator().close_due(after(1.1)) == 1


def test_a_stop_in_the_middle_of_an_hour_writes_nothing_of_it(place: Place) -> None:
    place.write(HOUR, 20_000)

    class Stopping(type(place.spool)):  # type: ignore[misc]
        """A spool during whose reading the signal comes."""

    def read(hour: int, after: int = 0) -> Iterator[SpoolRow]:
        for number, row in enumerate(place.spool.read(hour, after)):
            if number == 10_000:
                place.stop.set()
            yield row

    spool = Stopping(place.spool.database)
    spool.read = read
    assert place.aggregator(spool).close_due(after(1.1)) == 0
    assert place.closed_hours() == []
    place.stop.clear()
    assert place.aggregator().close_due(after(1.2)) == 1
    assert place.closed_hours() == [(0, 20_000, 10)]


def test_only_the_elected_one_closes_and_it_ends_when_told(place: Place) -> None:
    place.write(HOUR)
    other = FileElection(place.state)
    assert other.won()
    thread = threading.Thread(target=place.aggregator().run, args=(FileElection(place.state), lambda: after(1.1), 0.01))
    thread.start()
    thread.join(0.3)
    assert place.closed_hours() == []
    other.resign()
    assert until(place.closed_hours)
    assert place.closed_hours() == [(0, 1, 10)]
    place.stop.set()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert other.won()


def test_a_fault_in_one_turn_is_logged_and_the_next_turn_goes_on(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    place.write(HOUR)
    calls: list[int] = []
    close = SqlRollups.close

    def once(self: SqlRollups, *arguments: object) -> bool:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("a bug")
        place.stop.set()
        return close(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(SqlRollups, "close", once)
    with caplog.at_level(logging.ERROR):
        place.aggregator().run(FileElection(place.state), lambda: after(1.1), 0.01)
    assert "a bug" in caplog.text
    assert place.closed_hours() == [(0, 1, 10)]
