"""The till when many ask at once, and when somebody leaves, waits too long or asks too much (design, sections 4.5 and 4.7)."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from threading import Event as Flag
from threading import Timer
from typing import Any

import pytest

from citepress.base.canonical import digest
from citepress.contract.store import StoreUnavailable
from citepress.payments import wire
from citepress.payments.attempt import renewed_lease
from citepress.payments.chains.simulated.chain import BUYER
from citepress.payments.outcomes import OverQuota, PendingAnswer, PurchaseResult, Terms, Unavailable
from citepress.payments.pool import Pool
from citepress.payments.ports import LeaseLost, Paid, PaymentClaim, Pending, State
from citepress.payments.rails import Lane
from support.paying import SECOND_KEY, pay_native, sign_transfer
from support.shopping import (
    BODY,
    RESULT,
    Market,
    Unlimited,
    decoded,
    driver_of,
    header,
    holding,
    market,
    moved,
    paid,
    run,
    slow,
)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Market]:
    made = market(tmp_path, counters=Unlimited())
    yield made
    made.close()


def test_24_copies_make_one_transfer(shop: Market) -> None:
    field = paid(shop.terms(), shop.watch)

    async def copies() -> list[object]:
        return await asyncio.gather(*[shop.paying.shop.signed(shop.order(), [field]) for _ in range(24)])

    outcomes = asyncio.run(copies())
    assert {outcome.body for outcome in outcomes if isinstance(outcome, PurchaseResult)} == {RESULT}
    assert all(isinstance(outcome, PurchaseResult) for outcome in outcomes)
    assert moved(shop) == 50_000
    assert len(shop.paying.ledger.payments()) == 1


def test_a_copy_in_another_process_waits_for_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = market(tmp_path, rails=holding(seconds=10))
    two = market(tmp_path, rails=holding(seconds=10), database=one.database, watch=one.watch)
    field, sending, go = paid(one.terms(), one.watch), Flag(), Flag()
    real = driver_of(one).send

    def held(*told: Any) -> None:
        sending.set()
        assert go.wait(10)
        real(*told)

    monkeypatch.setattr(driver_of(one), "send", held)
    monkeypatch.setattr(driver_of(two), "send", None)

    async def both() -> tuple[object, object]:
        first = asyncio.create_task(one.paying.shop.signed(one.order(), [field]))
        await asyncio.to_thread(sending.wait, 10)
        second = asyncio.create_task(two.paying.shop.signed(two.order(), [field]))
        await asyncio.sleep(0.3)
        go.set()
        return await first, await second

    first, second = asyncio.run(both())
    assert isinstance(first, PurchaseResult)
    assert isinstance(second, PurchaseResult)
    assert second.replay
    assert moved(one) == 50_000
    one.close()
    two.close()


def test_a_copy_elsewhere_that_runs_out_of_patience_says_what_the_row_says(tmp_path: Path) -> None:
    one = market(tmp_path, rails=holding())
    two = market(tmp_path, rails=holding(), database=one.database, watch=one.watch)
    terms = one.terms()
    entry = terms.quote.entries[0]
    payload = sign_transfer(entry)
    order = one.order()
    job = one.paying.shop._till.look(order, wire.Signature(entry, payload))  # noqa: SLF001  (a claim as another process leaves it)
    claim = one.paying.ledger.claim(job.key, terms.quote.id, job.facts(), "elsewhere", one.watch.now).claim  # type: ignore[union-attr]
    assert two.signed(header(entry, payload)).code == "payment_in_progress"  # type: ignore[union-attr]
    one.paying.ledger.release(claim)
    again = (two.signed(header(entry, payload)) for _ in range(20))  # the first may share the answer of the one that still waits
    assert any(isinstance(outcome, PurchaseResult) for outcome in again)
    one.close()
    two.close()


def test_disconnect_still_settles_once(shop: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    field, sending, go = paid(shop.terms(), shop.watch), Flag(), Flag()
    real = driver_of(shop).send

    def held(*told: Any) -> None:
        sending.set()
        assert go.wait(10)
        real(*told)

    monkeypatch.setattr(driver_of(shop), "send", held)

    async def leaving() -> None:
        task = asyncio.create_task(shop.paying.shop.signed(shop.order(), [field]))
        await asyncio.to_thread(sending.wait, 10)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        go.set()

    asyncio.run(leaving())
    shop.paying.shop._pool.close()  # noqa: SLF001  (waits for what runs)
    assert shop.paying.ledger.payments()[0].state is State.SETTLED
    assert moved(shop) == 50_000


def test_pool_full_is_503_before_claim(shop: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    field, go, full = paid(shop.terms(), shop.watch), Flag(), Pool(1, 0)
    monkeypatch.setattr(shop.paying.shop, "_pool", full)
    busy = full.start("another", lambda: (go.wait(10), FULL_WORK)[1])
    outcome = shop.signed(field)
    assert isinstance(outcome, Unavailable)
    assert shop.paying.ledger.payments() == []
    go.set()
    assert busy
    assert busy.result(10) is FULL_WORK
    assert isinstance(shop.signed(field), PurchaseResult)
    full.close()


FULL_WORK = Unavailable("unavailable", "", 1)


def test_the_answer_does_not_wait_longer_than_the_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, rails=holding())
    field, go = paid(shop.terms(), shop.watch), Flag()
    real = driver_of(shop).verify
    monkeypatch.setattr(driver_of(shop), "verify", lambda *told: (go.wait(10), real(*told))[1])
    assert shop.signed(field).code == "payment_in_progress"  # type: ignore[union-attr]
    go.set()
    shop.close()
    assert shop.paying.ledger.payments()[0].state is State.SETTLED


def test_a_proof_whose_claim_was_given_away_is_asked_for_again(shop: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    order = shop.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = shop.terms(order).quote.entries[0]
    field = header(entry, pay_native(shop.chain, entry))
    shop.watch.now += 3
    driver, ledger = driver_of(shop, "bsc-bnb"), shop.paying.ledger
    real = driver.verify

    def slow(*told: Any) -> Any:
        for row in ledger.payments():
            ledger.release(PaymentClaim(row.key, row.quote_id, row.owner, row.epoch))
        return real(*told)

    monkeypatch.setattr(driver, "verify", slow)
    assert shop.signed(field, order).code == "payment_in_progress"  # type: ignore[union-attr]
    monkeypatch.undo()
    assert isinstance(shop.signed(field, order), PurchaseResult)


def test_too_many_failed_payments_are_stopped_before_the_chain(tmp_path: Path) -> None:
    shop = market(tmp_path)
    field = paid(shop.terms(), shop.watch, key=SECOND_KEY)
    codes = [getattr(shop.signed(field), "code", "") for _ in range(20)]
    assert codes == ["insufficient_funds"] * 20
    outcome = shop.signed(field)
    assert isinstance(outcome, OverQuota)
    assert outcome.limit.quota == 20
    shop.close()


def test_quotas_of_preflights_and_open_quotes(tmp_path: Path) -> None:
    shop = market(tmp_path)
    rates = [shop.paying.shop.spend("198.51.100.1", signed=False) for _ in range(31)]
    assert [rate.over is None for rate in rates] == [True] * 30 + [False]
    assert rates[0].limit.quota == 30
    signed = [shop.paying.shop.spend("198.51.100.1", signed=True) for _ in range(121)]
    assert [rate.over is None for rate in signed] == [True] * 120 + [False]
    assert all(isinstance(shop.preflight(), Terms) for _ in range(30))
    assert isinstance(shop.preflight(), OverQuota)
    shop.close()


def test_paid_is_what_reconcile_says_not_what_send_says(shop: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    field = paid(shop.terms(), shop.watch)
    slow(shop, monkeypatch, Pending("0x1"), Paid("0xfront", BUYER))
    outcome = shop.signed(field)
    assert isinstance(outcome, PurchaseResult)
    assert outcome.response["transaction"] == "0xfront"


def test_the_header_of_an_answer_is_made_of_the_response(shop: Market) -> None:
    outcome = shop.signed(paid(shop.terms(), shop.watch))
    assert isinstance(outcome, PurchaseResult)
    assert decoded(wire.encoded(outcome.response)) == outcome.response
    assert run(shop.paying.shop.preflight(shop.order(BODY))).quote.body_sha256 == digest(BODY)  # type: ignore[union-attr]


def test_a_copy_elsewhere_takes_over_when_the_first_lets_go(tmp_path: Path) -> None:
    one = market(tmp_path, rails=holding(seconds=10))
    two = market(tmp_path, rails=holding(seconds=10), database=one.database, watch=one.watch)
    field = paid(one.terms(), one.watch)
    job: Any = one.paying.shop._till.look(one.order(), wire.signature([field]))  # noqa: SLF001  (a claim as another process leaves it)
    held: Any = one.paying.ledger.claim(job.key, job.quote.id, job.facts(), "elsewhere", one.watch.now)
    letting_go = Timer(0.3, one.paying.ledger.release, [held.claim])
    letting_go.start()
    assert isinstance(two.signed(field), PurchaseResult)
    letting_go.join()
    assert moved(one) == 50_000
    one.close()
    two.close()


def test_a_claim_that_was_lost_sends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, rails=holding())
    field = paid(shop.terms(), shop.watch)
    monkeypatch.setattr(type(shop.paying.ledger), "journal", _lost)
    assert shop.signed(field).code == "payment_in_progress"  # type: ignore[union-attr]
    assert moved(shop) == 0
    shop.close()


def _lost(*_told: Any) -> Any:
    raise LeaseLost


def test_a_lease_that_is_lost_while_the_chain_is_asked_stays_pending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, rails=holding())
    field = paid(shop.terms(), shop.watch)
    monkeypatch.setattr(driver_of(shop), "reconcile", _lost)
    assert isinstance(shop.signed(field), PendingAnswer)
    monkeypatch.undo()
    assert isinstance(shop.signed(field), PurchaseResult)
    shop.close()


def test_an_answer_is_pending_while_the_chain_is_still_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, rails=holding())
    field, go = paid(shop.terms(), shop.watch), Flag()
    real = driver_of(shop).reconcile
    monkeypatch.setattr(driver_of(shop), "reconcile", lambda *told: (go.wait(10), real(*told))[1])
    pending = shop.signed(field)
    assert isinstance(pending, PendingAnswer)
    assert pending.response["transaction"].startswith("0x")
    go.set()
    shop.close()
    assert shop.paying.ledger.payments()[0].state is State.SETTLED


def test_a_lease_is_renewed_until_the_work_is_done_or_the_claim_is_lost(shop: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = shop.paying.ledger
    job: Any = shop.paying.shop._till.look(shop.order(), wire.signature([paid(shop.terms(), shop.watch)]))  # noqa: SLF001  (a job in hand)
    won: Any = ledger.claim(job.key, job.quote.id, job.facts(), "me", shop.watch.now)
    real, renewed, away = type(ledger).renew, Flag(), [StoreUnavailable("locked")]

    def renew(*told: Any) -> bool:
        if away:
            raise away.pop()
        kept_on = real(*told)
        renewed.set()
        return kept_on

    monkeypatch.setattr(type(ledger), "renew", renew)
    shop.watch.now += 20
    with renewed_lease(ledger, won.claim, shop.watch, 0.01):
        assert renewed.wait(10)
    row = ledger.payment(job.key)
    assert row
    assert row.lease_until == shop.watch.now + 30
    ledger.release(won.claim)
    renewed.clear()
    with renewed_lease(ledger, won.claim, shop.watch, 0.01):
        assert renewed.wait(10)
