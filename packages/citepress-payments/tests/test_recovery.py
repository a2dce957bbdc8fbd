"""What is left of a payment when a process dies, and how it is finished (design, sections 4.4 and 4.5)."""

import asyncio
import contextlib
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from citepress.contract.store import StoreUnavailable
from citepress_payments import wire
from citepress_payments.outcomes import PendingAnswer, PurchaseResult
from citepress_payments.ports.chain import CannotSucceed, Health, Pending
from citepress_payments.ports.rows import State
from citepress_payments.rails import Lane
from support.buyers import SELLER, USDC, pay_native
from support.payment_service import RESULT, PaymentHarness, brief_payment_harness, header, paid, payment_harness
from support.waiting import PATIENCE_S, until_async

POINTS = ("claim", "verify", "journal", "broadcast", "receipt", "settle")
LEASE = 31
"""Seconds after which a lease has lapsed."""


def _dying(folder: str, point: str, field: bytes) -> None:
    """A process that sends a payment and dies at a point of its way."""

    def probe(here: str) -> None:
        if here == point:
            os._exit(9)

    payment_harness(Path(folder), probe=probe).signed(field)
    os._exit(0)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("by", ["the buyer", "recovery"])
def test_a_process_that_dies_anywhere_costs_the_buyer_one_price_at_most(tmp_path: Path, point: str, by: str) -> None:
    harness = payment_harness(tmp_path)
    field = paid(harness.terms(), harness.watch)
    dying = multiprocessing.get_context("fork").Process(target=_dying, args=(str(tmp_path), point, field))
    dying.start()
    dying.join(PATIENCE_S)
    assert dying.exitcode == 9
    harness.watch.now += LEASE
    if by == "recovery":
        harness.paying.recovery.round()
        left = [row.state for row in harness.paying.ledger.payments()]
        assert left == ([] if point in ("claim", "verify") else [State.SETTLED])
    outcome = harness.signed(field)
    assert isinstance(outcome, PurchaseResult)
    assert outcome.body == RESULT
    assert harness.chain.balance(*USDC, SELLER) == 50_000
    assert len(harness.paying.ledger.sent(harness.paying.ledger.payments()[0].key)) == 1
    harness.close()


def _left_sent(harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A payment that stays sent because the chain said nothing in time."""
    field = paid(harness.terms(), harness.watch)
    driver = harness.paying.rails.all[0].driver
    with monkeypatch.context() as patch:
        patch.setattr(driver, "reconcile", lambda *_: Pending())
        assert isinstance(harness.signed(field), PendingAnswer)
    return field


def test_recovery_settles_what_was_left_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = brief_payment_harness(tmp_path)
    field = _left_sent(harness, monkeypatch)
    harness.paying.recovery.round()
    assert harness.paying.ledger.payments()[0].state is State.SETTLED
    assert isinstance(harness.signed(field), PurchaseResult)
    harness.close()


def test_recovery_fails_what_cannot_succeed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = brief_payment_harness(tmp_path)
    field = _left_sent(harness, monkeypatch)
    monkeypatch.setattr(
        harness.paying.rails.all[0].driver, "reconcile", lambda *_: CannotSucceed("authorization_expired")
    )
    harness.paying.recovery.round()
    assert harness.paying.ledger.payments()[0].state is State.FAILED
    outcome: Any = harness.signed(field)
    assert (outcome.code, outcome.response["transaction"]) == ("payment_failed", "")
    harness.close()


def test_a_payment_whose_rail_is_gone_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = brief_payment_harness(tmp_path)
    _left_sent(harness, monkeypatch)
    other = payment_harness(tmp_path, rails=[], database=harness.database, watch=harness.watch)
    other.paying.recovery.round()
    assert harness.paying.ledger.payments()[0].state is State.SENT
    assert harness.paying.ledger.due(harness.watch.now, 100) == [], "a round looks at others first"
    other.close()
    harness.close()


def test_a_native_proof_in_hand_when_the_process_died_is_shown_again(tmp_path: Path) -> None:
    harness = payment_harness(tmp_path)
    order = harness.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = harness.terms(order).quote.entries[0]
    field = header(entry, pay_native(harness.chain, entry))
    harness.watch.now += 3
    look: Any = harness.paying.service._settlement.look  # noqa: SLF001  (a claim as a dead process leaves it)

    job = look(order, wire.signature([field]))
    harness.paying.ledger.claim(job.key, job.quote.id, job.facts(), "dead", harness.watch.now)
    harness.watch.now += LEASE
    harness.paying.recovery.round()
    assert harness.paying.ledger.payments() == []
    assert isinstance(harness.signed(field, order), PurchaseResult)
    harness.close()


def test_rails_are_checked_again_every_five_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = brief_payment_harness(tmp_path)
    rail = harness.paying.rails.all[0]
    harness.paying.recovery.round()
    monkeypatch.setattr(rail.driver, "health", lambda: Health(available=False, reason="no gas"))
    harness.paying.recovery.round()
    assert harness.paying.rails.unavailable_reason(rail) == ""
    harness.watch.now += 300
    harness.paying.recovery.round()
    assert harness.paying.rails.unavailable_reason(rail) == "no gas"
    monkeypatch.setattr(rail.driver, "health", lambda: 1 / 0)
    harness.watch.now += 300
    harness.paying.recovery.round()
    assert "could not be checked" in harness.paying.rails.unavailable_reason(rail)
    harness.close()


def test_recovery_goes_on_when_the_store_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = brief_payment_harness(tmp_path)
    rounds: list[str] = []

    def failing(_self: object) -> None:
        rounds.append("")
        raise (StoreUnavailable("locked") if len(rounds) == 1 else RuntimeError("a mistake"))

    monkeypatch.setattr(type(harness.paying.recovery), "round", failing)
    monkeypatch.setattr("citepress_payments.recovery.EVERY", 0.01)

    async def some() -> None:
        running = asyncio.create_task(harness.paying.recovery.run())
        assert await until_async(lambda: len(rounds) > 2)
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running

    asyncio.run(some())
    harness.close()
