"""Settlement when many ask at once, and when a client leaves, waits too long or asks too much."""

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
from citepress_payments import wire
from citepress_payments.attempt import renewed_lease
from citepress_payments.outcomes import OverQuota, PendingAnswer, PurchaseResult, Terms, Unavailable
from citepress_payments.pool import Pool
from citepress_payments.ports.chain import LeaseLost, Paid, Pending
from citepress_payments.ports.rows import PaymentClaim, State
from citepress_payments.rails import Lane
from citepress_payments.simulated_chain.chain import BUYER
from support.buyers import SECOND_KEY, pay_native, sign_transfer
from support.payment_service import (
    BODY,
    RESULT,
    PaymentHarness,
    Unlimited,
    brief_payment_harness,
    decoded,
    driver_of,
    header,
    holding,
    moved,
    paid,
    payment_harness,
    run,
    slow,
)
from support.waiting import PATIENCE_S


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PaymentHarness]:
    process = payment_harness(tmp_path, counters=Unlimited())
    yield process
    process.close()


def test_24_copies_make_one_transfer(harness: PaymentHarness) -> None:
    field = paid(harness.terms(), harness.watch)

    async def copies() -> list[object]:
        return await asyncio.gather(*[harness.paying.service.signed(harness.order(), [field]) for _ in range(24)])

    outcomes = asyncio.run(copies())
    assert {outcome.body for outcome in outcomes if isinstance(outcome, PurchaseResult)} == {RESULT}
    assert all(isinstance(outcome, PurchaseResult) for outcome in outcomes)
    assert moved(harness) == 50_000
    assert len(harness.paying.ledger.payments()) == 1


def test_a_copy_in_another_process_waits_for_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first_process = payment_harness(tmp_path, rails=holding(seconds=10))
    two = payment_harness(
        tmp_path, rails=holding(seconds=10), database=first_process.database, watch=first_process.watch
    )
    field, sending, go = paid(first_process.terms(), first_process.watch), Flag(), Flag()
    real = driver_of(first_process).send

    def held(*args: Any) -> None:
        sending.set()
        assert go.wait(PATIENCE_S)
        real(*args)

    monkeypatch.setattr(driver_of(first_process), "send", held)
    monkeypatch.setattr(driver_of(two), "send", None)

    async def both() -> tuple[object, object]:
        first = asyncio.create_task(first_process.paying.service.signed(first_process.order(), [field]))
        await asyncio.to_thread(sending.wait, PATIENCE_S)
        second = asyncio.create_task(two.paying.service.signed(two.order(), [field]))
        await asyncio.sleep(0.3)
        go.set()
        return await first, await second

    first, second = asyncio.run(both())
    assert isinstance(first, PurchaseResult)
    assert isinstance(second, PurchaseResult)
    assert second.replay
    assert moved(first_process) == 50_000
    first_process.close()
    two.close()


def test_a_copy_elsewhere_that_runs_out_of_patience_says_what_the_row_says(tmp_path: Path) -> None:
    first = payment_harness(tmp_path, rails=holding())
    two = payment_harness(tmp_path, rails=holding(), database=first.database, watch=first.watch)
    terms = first.terms()
    entry = terms.quote.entries[0]
    payload = sign_transfer(entry)
    order = first.order()
    job = first.paying.service._settlement.look(order, wire.Signature(entry, payload))  # noqa: SLF001  (a claim as another process leaves it)
    claim = first.paying.ledger.claim(job.key, terms.quote.id, job.facts(), "elsewhere", first.watch.now).claim  # type: ignore[union-attr]
    assert two.signed(header(entry, payload)).code == "payment_in_progress"  # type: ignore[union-attr]
    first.paying.ledger.release(claim)
    again = (
        two.signed(header(entry, payload)) for _ in range(20)
    )  # the first may share the answer of the one that still waits
    assert any(isinstance(outcome, PurchaseResult) for outcome in again)
    first.close()
    two.close()


def test_disconnect_still_settles_once(harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    field, sending, go = paid(harness.terms(), harness.watch), Flag(), Flag()
    real = driver_of(harness).send

    def held(*args: Any) -> None:
        sending.set()
        assert go.wait(PATIENCE_S)
        real(*args)

    monkeypatch.setattr(driver_of(harness), "send", held)

    async def leaving() -> None:
        task = asyncio.create_task(harness.paying.service.signed(harness.order(), [field]))
        await asyncio.to_thread(sending.wait, PATIENCE_S)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        go.set()

    asyncio.run(leaving())
    harness.paying.service._pool.close()  # noqa: SLF001  (waits for what runs)
    assert harness.paying.ledger.payments()[0].state is State.SETTLED
    assert moved(harness) == 50_000


def test_pool_full_is_503_before_claim(harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    field, go, full = paid(harness.terms(), harness.watch), Flag(), Pool(1, 0)
    monkeypatch.setattr(harness.paying.service, "_pool", full)
    busy = full.start("another", lambda: (go.wait(PATIENCE_S), FULL_WORK)[1])
    outcome = harness.signed(field)
    assert isinstance(outcome, Unavailable)
    assert harness.paying.ledger.payments() == []
    go.set()
    assert busy
    assert busy.result(PATIENCE_S) is FULL_WORK
    assert isinstance(harness.signed(field), PurchaseResult)
    full.close()


FULL_WORK = Unavailable("unavailable", "", 1)


def test_the_answer_does_not_wait_longer_than_the_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = payment_harness(tmp_path, rails=holding())
    field, go = paid(harness.terms(), harness.watch), Flag()
    real = driver_of(harness).verify
    monkeypatch.setattr(driver_of(harness), "verify", lambda *args: (go.wait(PATIENCE_S), real(*args))[1])
    assert harness.signed(field).code == "payment_in_progress"  # type: ignore[union-attr]
    go.set()
    harness.close()
    assert harness.paying.ledger.payments()[0].state is State.SETTLED


def test_a_proof_whose_claim_was_given_away_is_asked_for_again(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = harness.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = harness.terms(order).quote.entries[0]
    field = header(entry, pay_native(harness.chain, entry))
    harness.watch.now += 3
    driver, ledger = driver_of(harness, "bsc-bnb"), harness.paying.ledger
    real = driver.verify

    def slow(*args: Any) -> Any:
        for row in ledger.payments():
            ledger.release(PaymentClaim(row.key, row.quote_id, row.owner, row.epoch))
        return real(*args)

    monkeypatch.setattr(driver, "verify", slow)
    assert harness.signed(field, order).code == "payment_in_progress"  # type: ignore[union-attr]
    monkeypatch.undo()
    assert isinstance(harness.signed(field, order), PurchaseResult)


def test_too_many_failed_payments_are_stopped_before_the_chain(tmp_path: Path) -> None:
    harness = payment_harness(tmp_path)
    field = paid(harness.terms(), harness.watch, key=SECOND_KEY)
    codes = [getattr(harness.signed(field), "code", "") for _ in range(20)]
    assert codes == ["insufficient_funds"] * 20
    outcome = harness.signed(field)
    assert isinstance(outcome, OverQuota)
    assert outcome.limit.quota == 20
    harness.close()


def test_quotas_of_preflights_and_open_quotes(tmp_path: Path) -> None:
    harness = payment_harness(tmp_path)
    rates = [harness.paying.service.spend("198.51.100.1", signed=False) for _ in range(31)]
    assert [rate.over is None for rate in rates] == [True] * 30 + [False]
    assert rates[0].limit.quota == 30
    signed = [harness.paying.service.spend("198.51.100.1", signed=True) for _ in range(121)]
    assert [rate.over is None for rate in signed] == [True] * 120 + [False]
    assert all(isinstance(harness.preflight(), Terms) for _ in range(30))
    assert isinstance(harness.preflight(), OverQuota)
    harness.close()


def test_paid_is_what_reconcile_says_not_what_send_says(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    field = paid(harness.terms(), harness.watch)
    slow(harness, monkeypatch, Pending("0x1"), Paid("0xfront", BUYER))
    outcome = harness.signed(field)
    assert isinstance(outcome, PurchaseResult)
    assert outcome.response["transaction"] == "0xfront"


def test_the_header_of_an_answer_is_made_of_the_response(harness: PaymentHarness) -> None:
    outcome = harness.signed(paid(harness.terms(), harness.watch))
    assert isinstance(outcome, PurchaseResult)
    assert decoded(wire.encode_header(outcome.response)) == outcome.response
    assert run(harness.paying.service.preflight(harness.order(BODY))).quote.body_sha256 == digest(BODY)  # type: ignore[union-attr]


def test_a_copy_elsewhere_takes_over_when_the_first_lets_go(tmp_path: Path) -> None:
    first = payment_harness(tmp_path, rails=holding(seconds=10))
    two = payment_harness(tmp_path, rails=holding(seconds=10), database=first.database, watch=first.watch)
    field = paid(first.terms(), first.watch)
    job: Any = first.paying.service._settlement.look(first.order(), wire.signature([field]))  # noqa: SLF001  (a claim as another process leaves it)
    held: Any = first.paying.ledger.claim(job.key, job.quote.id, job.facts(), "elsewhere", first.watch.now)
    letting_go = Timer(0.3, first.paying.ledger.release, [held.claim])
    letting_go.start()
    assert isinstance(two.signed(field), PurchaseResult)
    letting_go.join()
    assert moved(first) == 50_000
    first.close()
    two.close()


def test_a_claim_that_was_lost_sends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = brief_payment_harness(tmp_path)
    field = paid(harness.terms(), harness.watch)
    monkeypatch.setattr(type(harness.paying.ledger), "journal", _lost)
    assert harness.signed(field).code == "payment_in_progress"  # type: ignore[union-attr]
    assert moved(harness) == 0
    harness.close()


def _lost(*_args: Any) -> Any:
    raise LeaseLost


def test_a_lease_that_is_lost_while_the_chain_is_asked_stays_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = brief_payment_harness(tmp_path)
    field = paid(harness.terms(), harness.watch)
    monkeypatch.setattr(driver_of(harness), "reconcile", _lost)
    assert isinstance(harness.signed(field), PendingAnswer)
    monkeypatch.undo()
    assert isinstance(harness.signed(field), PurchaseResult)
    harness.close()


def test_an_answer_is_pending_while_the_chain_is_still_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = payment_harness(tmp_path, rails=holding())
    field, go = paid(harness.terms(), harness.watch), Flag()
    real = driver_of(harness).reconcile
    monkeypatch.setattr(driver_of(harness), "reconcile", lambda *args: (go.wait(PATIENCE_S), real(*args))[1])
    pending = harness.signed(field)
    assert isinstance(pending, PendingAnswer)
    assert pending.response["transaction"].startswith("0x")
    go.set()
    harness.close()
    assert harness.paying.ledger.payments()[0].state is State.SETTLED


def test_a_lease_is_renewed_until_the_work_is_done_or_the_claim_is_lost(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = harness.paying.ledger
    signed = wire.signature([paid(harness.terms(), harness.watch)])
    job: Any = harness.paying.service._settlement.look(harness.order(), signed)  # noqa: SLF001
    won: Any = ledger.claim(job.key, job.quote.id, job.facts(), "me", harness.watch.now)
    real, renewed, away = type(ledger).renew, Flag(), [StoreUnavailable("locked")]

    def renew(*args: Any) -> bool:
        if away:
            raise away.pop()
        kept_on = real(*args)
        renewed.set()
        return kept_on

    monkeypatch.setattr(type(ledger), "renew", renew)
    harness.watch.now += 20
    with renewed_lease(ledger, won.claim, harness.watch, 0.01):
        assert renewed.wait(PATIENCE_S)
    row = ledger.payment(job.key)
    assert row
    assert row.lease_until == harness.watch.now + 30
    ledger.release(won.claim)
    renewed.clear()
    with renewed_lease(ledger, won.claim, harness.watch, 0.01):
        assert renewed.wait(PATIENCE_S)
