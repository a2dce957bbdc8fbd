"""Faults that strangers cause are logged, but never much."""

import logging

import pytest

from citepress.base import clock
from citepress.base.bounded_log import LINE_BYTES, PER_CAUSE, WINDOW_SECONDS, BoundedLog

NAME = "citepress.test"


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, to be moved."""
    moment = [1000.0]
    monkeypatch.setattr(clock, "seconds", lambda: moment[0])
    return moment


def deep(count: int) -> None:
    if count:
        deeper(count - 1)
    raise RecursionError("too deep" + "!" * 5000)


def deeper(count: int) -> None:
    deep(count)


@pytest.mark.usefixtures("at")
def test_a_record_is_short_however_deep_the_fault_and_ends_with_what_it_is(caplog: pytest.LogCaptureFixture) -> None:
    try:
        deep(100)
    except RecursionError as error:
        BoundedLog(NAME).fault("no answer to GET " + "/x" * 5000, "192.0.2.1", error)
    (record,) = caplog.records
    assert len(record.getMessage()) <= LINE_BYTES
    assert record.getMessage().startswith("no answer to GET /x")
    assert record.getMessage().endswith("!!!")


def test_a_client_is_logged_once_for_each_cause_and_what_is_left_out_is_counted(
    at: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    log = BoundedLog(NAME)
    for _ in range(1000):
        log.fault("no answer", "192.0.2.1", cause="one")
    log.fault("no answer", "192.0.2.1", cause="two")
    log.fault("no answer", "192.0.2.2", cause="one")
    assert [record.getMessage() for record in caplog.records] == ["no answer"] * 3
    at[0] += WINDOW_SECONDS
    log.fault("no answer", "192.0.2.1", cause="one")
    assert [record.getMessage() for record in caplog.records[3:]] == [
        "suppressed in the last window: 999 further faults (one)",
        "no answer",
    ]


@pytest.mark.usefixtures("at")
def test_many_clients_do_not_make_a_long_log(caplog: pytest.LogCaptureFixture) -> None:
    log = BoundedLog(NAME)
    for number in range(5000):
        log.fault("no answer", f"2001:db8::{number:x}", cause="one")
    assert len(caplog.records) == PER_CAUSE


@pytest.mark.usefixtures("at")
def test_many_causes_do_not_either(caplog: pytest.LogCaptureFixture) -> None:
    log = BoundedLog(NAME)
    with caplog.at_level(logging.ERROR):
        for number in range(5000):
            log.fault(f"fault {number}", "192.0.2.1")
    assert len(caplog.records) < 100
