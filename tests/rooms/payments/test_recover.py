"""What is left of a payment when a process dies, and how it is finished (design, sections 4.4 and 4.5)."""

import asyncio
import contextlib
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from citepress.contract.store import StoreUnavailable
from citepress.payments import wire
from citepress.payments.outcomes import PendingAnswer, PurchaseResult
from citepress.payments.ports import CannotSucceed, Health, Pending, State
from citepress.payments.rails import Lane
from support.paying import SELLER, USDC, pay_native
from support.shopping import RESULT, Market, header, market, paid

POINTS = ("claim", "verify", "journal", "broadcast", "receipt", "settle")
LEASE = 31
"""Seconds after which a lease has lapsed."""


def _dying(folder: str, point: str, field: bytes) -> None:
    """A process that sends a payment and dies at a point of its way."""

    def probe(here: str) -> None:
        if here == point:
            os._exit(9)

    market(Path(folder), probe=probe).signed(field)
    os._exit(0)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("by", ["the buyer", "recovery"])
def test_a_process_that_dies_anywhere_costs_the_buyer_one_price_at_most(tmp_path: Path, point: str, by: str) -> None:
    shop = market(tmp_path)
    field = paid(shop.terms(), shop.watch)
    dying = multiprocessing.get_context("fork").Process(target=_dying, args=(str(tmp_path), point, field))
    dying.start()
    dying.join(30)
    assert dying.exitcode == 9
    shop.watch.now += LEASE
    if by == "recovery":
        shop.paying.recovery.round()
        left = [row.state for row in shop.paying.ledger.payments()]
        assert left == ([] if point in ("claim", "verify") else [State.SETTLED])
    outcome = shop.signed(field)
    assert isinstance(outcome, PurchaseResult)
    assert outcome.body == RESULT
    assert shop.chain.balance(*USDC, SELLER) == 50_000
    assert len(shop.paying.ledger.sent(shop.paying.ledger.payments()[0].key)) == 1
    shop.close()


def _left_sent(shop: Market, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A payment that stays sent because the chain said nothing in time."""
    field = paid(shop.terms(), shop.watch)
    driver = shop.paying.stands.all[0].driver
    with monkeypatch.context() as patch:
        patch.setattr(driver, "reconcile", lambda *_: Pending())
        assert isinstance(shop.signed(field), PendingAnswer)
    return field


def _market(tmp_path: Path, slug: str = "base-usdc") -> Market:
    return market(tmp_path, rails=[{"slug": slug, "driver": "simulated", "hold_s": 1}])


def test_recovery_settles_what_was_left_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = _market(tmp_path)
    field = _left_sent(shop, monkeypatch)
    shop.paying.recovery.round()
    assert shop.paying.ledger.payments()[0].state is State.SETTLED
    assert isinstance(shop.signed(field), PurchaseResult)
    shop.close()


def test_recovery_fails_what_cannot_succeed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = _market(tmp_path)
    field = _left_sent(shop, monkeypatch)
    monkeypatch.setattr(shop.paying.stands.all[0].driver, "reconcile", lambda *_: CannotSucceed("authorization_expired"))
    shop.paying.recovery.round()
    assert shop.paying.ledger.payments()[0].state is State.FAILED
    told: Any = shop.signed(field)
    assert (told.code, told.response["transaction"]) == ("payment_failed", "")
    shop.close()


def test_a_payment_whose_rail_is_gone_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = _market(tmp_path)
    _left_sent(shop, monkeypatch)
    other = market(tmp_path, rails=[], database=shop.database, watch=shop.watch)
    other.paying.recovery.round()
    assert shop.paying.ledger.payments()[0].state is State.SENT
    other.close()
    shop.close()


def test_a_native_proof_in_hand_when_the_process_died_is_shown_again(tmp_path: Path) -> None:
    shop = market(tmp_path)
    order = shop.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = shop.terms(order).quote.entries[0]
    field = header(entry, pay_native(shop.chain, entry))
    shop.watch.now += 3
    look: Any = shop.paying.shop._till.look  # noqa: SLF001  (a claim as a dead process leaves it)

    job = look(order, wire.signature([field]))
    shop.paying.ledger.claim(job.key, job.quote.id, job.facts(), "dead", shop.watch.now)
    shop.watch.now += LEASE
    shop.paying.recovery.round()
    assert shop.paying.ledger.payments() == []
    assert isinstance(shop.signed(field, order), PurchaseResult)
    shop.close()


def test_rails_are_checked_again_every_five_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = _market(tmp_path)
    stand = shop.paying.stands.all[0]
    shop.paying.recovery.round()
    monkeypatch.setattr(stand.driver, "health", lambda: Health(available=False, reason="no gas"))
    shop.paying.recovery.round()
    assert shop.paying.stands.why_not(stand) == ""
    shop.watch.now += 300
    shop.paying.recovery.round()
    assert shop.paying.stands.why_not(stand) == "no gas"
    monkeypatch.setattr(stand.driver, "health", lambda: 1 / 0)
    shop.watch.now += 300
    shop.paying.recovery.round()
    assert "could not be checked" in shop.paying.stands.why_not(stand)
    shop.close()


def test_recovery_goes_on_when_the_store_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = _market(tmp_path)
    rounds: list[str] = []

    def failing(_self: object) -> None:
        rounds.append("")
        raise (StoreUnavailable("locked") if len(rounds) == 1 else RuntimeError("a mistake"))

    monkeypatch.setattr(type(shop.paying.recovery), "round", failing)
    monkeypatch.setattr("citepress.payments.recovery.EVERY", 0.01)

    async def some() -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(shop.paying.recovery.run(), 0.3)

    asyncio.run(some())
    assert len(rounds) > 2
    shop.close()
