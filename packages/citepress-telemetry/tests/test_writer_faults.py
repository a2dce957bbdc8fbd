"""What happens to counts when the store is locked, full or slow, and that nobody else notices."""

import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from citepress.contract.store import StoreUnavailable
from citepress_telemetry.capture.tap import Tap
from citepress_telemetry.ports import SpoolEmptied
from support.traffic_counter import GPTBOT, HOUR, TrafficCounter
from support.waiting import PATIENCE_S

SECRET = "s3cret-of-a-client"  # noqa: S105  (a mark that must not show up)


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[TrafficCounter]:
    counter = TrafficCounter(tmp_path, wait=0.05)
    yield counter
    counter.close()


def test_what_a_full_list_drops_is_counted_in_its_hour_and_the_rest_is_written(counted: TrafficCounter) -> None:
    for _ in range(60_000):
        counted.ask()
    assert counted.tap.dropped == 10_000
    counted.writer.turn()
    assert (counted.spool.last(HOUR), counted.spool.counted(HOUR)) == (50_000, {"dropped": 10_000})


def test_a_locked_store_costs_a_batch_which_is_counted_and_the_next_is_written(counted: TrafficCounter) -> None:
    counted.writer.turn()
    for _ in range(3):
        counted.ask()
    with counted.locked(), pytest.raises(StoreUnavailable):
        counted.writer.turn()
    counted.ask()
    assert len(counted.rows()) == 1
    assert counted.spool.counted(HOUR) == {"dropped": 3}


def test_a_store_that_is_locked_for_a_moment_costs_nothing(tmp_path: Path) -> None:
    counted = TrafficCounter(tmp_path, wait=0.05, timeout=PATIENCE_S)
    counted.writer.turn()
    counted.ask()
    free, held = threading.Event(), threading.Event()

    def hold() -> None:
        with counted.locked():
            held.set()
            free.wait(PATIENCE_S)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(PATIENCE_S)
    threading.Timer(0.3, free.set).start()
    assert len(counted.rows()) == 1
    assert counted.spool.counted(HOUR) == {}
    holder.join()
    counted.close()


def test_a_full_disk_costs_counts_until_there_is_room_again(counted: TrafficCounter) -> None:
    counted.ask()
    assert len(counted.rows()) == 1

    def full(connection: Any, _record: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    engine = counted.spool.database.engine
    engine.dispose()
    sa.event.listen(engine, "connect", full)
    for _ in range(1000):
        counted.ask()
    counted.writer.turn()
    assert len(counted.rows()) == 1
    sa.event.remove(engine, "connect", full)
    engine.dispose()
    counted.ask()
    assert len(counted.rows()) == 2
    assert counted.spool.counted(HOUR) == {"dropped": 1000}


def test_an_event_that_cannot_be_sorted_takes_nobody_with_it_and_leaves_nothing_in_the_log(
    counted: TrafficCounter, caplog: pytest.LogCaptureFixture
) -> None:
    counted.ask()
    for _ in range(5):
        counted.ask()
        broken = list(counted.tap.events[-1])
        broken[5], broken[10] = SECRET, f"no leaf but {SECRET}"
        counted.tap.events.append(tuple(broken))  # type: ignore[arg-type]
    with caplog.at_level(logging.DEBUG):
        rows = counted.rows()
    assert len(rows) == 6
    counted.writer.turn()
    assert counted.spool.counted(HOUR) == {"dropped": 5}
    assert "AttributeError" in caplog.text
    assert SECRET not in caplog.text


def test_a_stop_writes_what_waits(counted: TrafficCounter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citepress_telemetry.capture.writer.FLUSH_S", PATIENCE_S)
    counted.writer.start()
    for _ in range(2500):
        counted.ask()
    counted.writer.stop()
    assert counted.spool.last(HOUR) == 2500


def test_a_stop_does_not_wait_for_a_store_that_is_locked(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    counted = TrafficCounter(tmp_path, wait=0.05, timeout=10 * PATIENCE_S)
    counted.writer.turn()
    with counted.locked():
        counted.writer.start()
        for _ in range(2500):
            counted.ask()
        time.sleep(0.3)
        begun = time.monotonic()
        counted.writer.stop()
        assert time.monotonic() - begun < PATIENCE_S
    assert GPTBOT not in caplog.text
    counted.close()


def test_requests_do_not_wait_for_a_writer_that_is_stuck(counted: TrafficCounter) -> None:
    counted.writer.turn()
    with counted.locked():
        counted.writer.start()
        times = sorted(_timed(counted.tap, counted) for _ in range(2000))
        counted.writer.stop()
    assert times[1000] < 1  # whoever waits for the lock waits four seconds


def _timed(tap: Tap, counted: TrafficCounter) -> float:
    begun = time.perf_counter()
    counted.ask()
    assert tap.events is not None
    return time.perf_counter() - begun


def test_rows_that_the_database_lost_in_a_crash_are_counted_as_dropped(
    counted: TrafficCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(7):
        counted.ask()
    counted.writer.turn()
    with monkeypatch.context() as patched:
        patched.setattr(counted.spool, "_same", emptied)
        for _ in range(2):
            counted.ask()
        with pytest.raises(StoreUnavailable):  # the counts wait for the next turn
            counted.writer.turn()
    counted.ask()
    counted.writer.turn()
    assert counted.spool.counted(HOUR)["dropped"] == 7 + 2


def emptied(_connection: object) -> None:
    raise SpoolEmptied("gone")


def test_a_worker_that_is_stopped_says_so_and_one_that_is_killed_does_not(counted: TrafficCounter) -> None:
    counted.ask()
    counted.writer.turn()
    assert counted.spool.vanished(HOUR) == 1
    counted.writer.start()
    counted.writer.stop()
    assert counted.spool.vanished(HOUR) == 0
