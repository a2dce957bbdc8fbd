"""Killed at any point of a payment: the same request then gives the same bytes, and one price has moved."""

import contextlib
import signal
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

import pytest

from citepress_payments.ports.rows import State
from citepress_payments.stores.ledger import SqlLedger
from support.database_servers import postgresql_running, schema_of
from support.ledgers import POINTS
from support.payment_service import decoded
from support.server_with_payments import (
    COVERAGE,
    PRICE,
    PaymentServer,
    body_of,
    killed_server,
    payment_server_over,
    signed_for,
)
from support.stores import opened
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.long
LAPSE = 31
"""Seconds after which a lease has lapsed: each restart has a clock so much further on."""


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Address of the ledger, and how the service is told of it."""
    if request.param == "sqlite":
        yield str(tmp_path / "state" / "state.sqlite"), {}
        return
    with postgresql_running() as server:
        address = schema_of(server)
        yield address, {"database_url": address}


@pytest.mark.requirement("handshake settled", "handshake replay")
def test_a_service_killed_at_any_point_serves_the_same_request_and_moves_one_price(
    database: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    address, environment = database
    arm, state, log = tmp_path / "arm", tmp_path / "state", tmp_path / "log"
    header = b""
    for place, point in enumerate((*POINTS, "the end")):
        with (
            killed_server(state, arm, LAPSE * place, log, **environment) as server,
            payment_server_over(server, address) as counter,
        ):
            if place:
                _finished(counter, body_of(place - 1), header)
                assert counter.moved() == place * PRICE, POINTS[place - 1]
            if point in POINTS:
                header = _killed(counter, arm, point, body_of(place))
                assert server.process.wait(PATIENCE_S) == -signal.SIGKILL, point
    with contextlib.closing(opened(address)) as store:
        ledger = SqlLedger(store)
        rows = ledger.payments()
        assert [row.state for row in rows] == [State.SETTLED] * len(POINTS)
        assert [len(ledger.sent(row.key)) for row in rows] == [1] * len(POINTS)


def _killed(counter: PaymentServer, arm: Path, point: str, body: bytes) -> bytes:
    """Buy until the service dies; the signature, which is empty where none was sent."""
    header = b"" if point == "quote" else signed_for(counter.terms(COVERAGE, body))
    arm.write_text(point, "utf-8")
    with pytest.raises((ConnectionError, HTTPException)):
        counter.post(COVERAGE, body, header)
    assert not arm.exists(), point
    return header


def _finished(counter: PaymentServer, body: bytes, header: bytes) -> None:
    """The same request after the restart, twice."""
    signed = header or signed_for(counter.terms(COVERAGE, body))
    answer = counter.post(COVERAGE, body, signed)
    assert answer.status == 200, answer.text
    assert decoded(answer.fields["payment-response"].encode())["success"] is True
    again = counter.post(COVERAGE, body, signed)
    assert (again.status, again.body, again.fields["payment-response"]) == (
        200,
        answer.body,
        answer.fields["payment-response"],
    )
