"""What strangers, accidents and operators may try against a payment; none of it costs the buyer anything."""

import asyncio
import base64
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest

from citepress.contract.limits import Limit, LimitState
from citepress.stores.local.counters import LocalCounters
from citepress_payments import wire
from citepress_payments.limits import FAILED, Quotas
from citepress_payments.outcomes import OverQuota, PendingAnswer, PurchaseResult, RefusedAnswer, Unavailable
from citepress_payments.ports.chain import PaymentRefused, Pending, Undecided
from citepress_payments.ports.rows import PaymentFacts, State
from citepress_payments.rails import Lane
from citepress_payments.simulated_chain.chain import BUYER
from support.buyers import pay_native
from support.payment_service import (
    RESULT,
    STATIC,
    PaymentHarness,
    Unlimited,
    brief_payment_harness,
    driver_of,
    header,
    moved,
    paid,
    payment_harness,
    run,
    slow,
)
from support.waiting import PATIENCE_S

STRANGER = "198.51.100.66"


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PaymentHarness]:
    process = payment_harness(tmp_path, counters=Unlimited())
    yield process
    process.close()


class Spoiled(LocalCounters):
    """Counters by which everybody has sent too many payments that failed."""

    def spend(self, limit: Limit, client: str, cost: int = 1) -> LimitState:
        return LimitState(False, 0, 60) if limit is FAILED else super().spend(limit, client, cost)


@pytest.mark.parametrize("text", ['"' + '\\"' * 6100, '"\\' * 6100, "[" * 12_000, '{"a":' * 2400, '"' * 12_001])
def test_no_header_takes_long_to_refuse(text: str) -> None:
    field = base64.b64encode(text.encode())
    began = time.process_time()
    with pytest.raises(wire.MalformedError):
        wire.signature([field])
    assert time.process_time() - began < 2


@pytest.mark.parametrize("name", ["q_\0", "q_" + "é" * 22, "q_" + "a" * 4000, "' OR 1=1 --", ""])
def test_a_name_that_no_quote_can_have_is_unknown_before_the_ledger_is_asked(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    entry = dict(harness.terms().quote.entries[0])
    entry["extra"] = {**entry["extra"], "quoteId": name}
    calls: list[str] = []
    real = harness.paying.ledger.quote
    monkeypatch.setattr(harness.paying.ledger, "quote", lambda id_: calls.append(id_) or real(id_))
    refused = harness.signed(header(entry, {}))
    assert isinstance(refused, RefusedAnswer)
    assert (refused.code, calls) == ("unknown_quote", [])


def test_a_stranger_who_shows_a_buyers_transfer_for_his_own_quote_only_makes_the_buyer_wait(tmp_path: Path) -> None:
    harness = payment_harness(
        tmp_path, rails=[{"slug": "bsc-bnb", "driver": "simulated", "prices": STATIC, "hold_s": 5}]
    )
    order, strange = (
        harness.order(lane=Lane.NATIVE, slug="bsc-bnb"),
        harness.order(lane=Lane.NATIVE, slug="bsc-bnb", client=STRANGER),
    )
    mine, his = harness.terms(order).quote.entries[0], harness.terms(strange).quote.entries[0]
    proof = pay_native(harness.chain, mine)
    harness.watch.now += 3
    driver, inside, go = driver_of(harness, "bsc-bnb"), Flag(), Flag()
    real = driver.verify

    def verify(entry: Any, payload: Any) -> Any:
        if entry["extra"]["quoteId"] == his["extra"]["quoteId"]:
            inside.set()
            go.wait(PATIENCE_S)
        return real(entry, payload)

    driver.verify = verify

    async def both() -> tuple[Any, Any]:
        first = asyncio.ensure_future(harness.paying.service.signed(strange, [header(his, proof)]))
        await asyncio.to_thread(inside.wait, PATIENCE_S)
        asyncio.get_running_loop().call_later(0.5, go.set)
        second = await harness.paying.service.signed(order, [header(mine, proof)])
        return await first, second

    first, second = run(both())
    assert first.code == "terms_hash_mismatch"
    assert isinstance(second, PurchaseResult), second
    harness.close()


def test_a_stranger_cannot_use_up_the_failures_of_a_payer_that_he_only_names(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(Quotas, "spoil", lambda _, *who: counted.extend(who))
    monkeypatch.setattr(driver_of(harness), "check", lambda *_: Undecided())
    monkeypatch.setattr(
        driver_of(harness), "verify", lambda *_: PaymentRefused("invalid_exact_evm_payload_signature", payer=BUYER)
    )
    harness.signed(paid(harness.terms(), harness.watch))
    assert counted == ["203.0.113.7", ""]


def test_whoever_has_sent_money_is_served_in_spite_of_failed_payments_and_pauses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = brief_payment_harness(tmp_path, counters=Spoiled())
    field = paid(harness.terms(), harness.watch)
    assert isinstance(harness.signed(field), OverQuota)
    calm = brief_payment_harness(tmp_path, database=harness.database, watch=harness.watch, counters=Unlimited())
    slow(calm, monkeypatch, *[Pending("0x1", BUYER)] * 99)
    assert isinstance(calm.signed(field), PendingAnswer)
    assert isinstance(harness.signed(field), PurchaseResult)
    harness.close()
    calm.close()


def test_what_was_paid_is_served_after_its_rail_was_closed(harness: PaymentHarness, tmp_path: Path) -> None:
    field = paid(harness.terms(), harness.watch)
    assert isinstance(harness.signed(field), PurchaseResult)
    smaller = payment_harness(tmp_path, rails=[], database=harness.database)
    again = smaller.signed(field)
    assert isinstance(again, PurchaseResult)
    assert again.body == RESULT
    other = header(harness.terms().quote.entries[0], {"authorization": {}})
    assert isinstance(smaller.signed(other), Unavailable)
    smaller.close()


def test_a_proof_settles_only_the_quote_that_it_was_checked_for(tmp_path: Path) -> None:
    harness = payment_harness(tmp_path, counters=Unlimited())
    order, strange = (
        harness.order(lane=Lane.NATIVE, slug="bsc-bnb"),
        harness.order(lane=Lane.NATIVE, slug="bsc-bnb", client=STRANGER),
    )
    mine, his = harness.terms(order).quote.entries[0], harness.terms(strange).quote
    proof = pay_native(harness.chain, mine)
    harness.watch.now += 3
    driver, real = driver_of(harness, "bsc-bnb"), driver_of(harness, "bsc-bnb").verify

    def verify(entry: Any, payload: Any) -> Any:
        outcome = real(entry, payload)
        row = harness.paying.ledger.payments()[
            0
        ]  # this process stands still until its lease has lapsed, and a stranger comes
        harness.watch.now += 31
        facts = PaymentFacts(
            row.rail,
            "",
            False,
            row.product,
            row.body_sha256,
            row.result_sha256,
            row.evidence,
            row.evidence_sha256,
            his.keep_until,
        )
        harness.paying.ledger.claim(row.key, his.id, facts, "stranger", harness.watch.now)
        return outcome

    driver.verify = verify
    outcome = harness.signed(header(mine, proof), order)
    assert not isinstance(outcome, PurchaseResult)
    assert [row.state for row in harness.paying.ledger.payments()] == [State.CLAIMED]
    driver.verify = real
    harness.watch.now += 31
    assert isinstance(harness.signed(header(his.entries[0], proof), strange), RefusedAnswer)
    assert isinstance(harness.signed(header(mine, proof), order), PurchaseResult)
    harness.close()


def test_one_payment_that_cannot_be_looked_up_does_not_keep_recovery_from_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = brief_payment_harness(tmp_path, counters=Unlimited())
    slow(harness, monkeypatch, *[Pending("0x1", BUYER)] * 99)
    bodies = [b'{"query":"one"}', b'{"query":"two"}']
    for body in bodies:
        order = harness.order(body)
        assert isinstance(harness.signed(paid(harness.terms(order), harness.watch), order), PendingAnswer)
    monkeypatch.undo()
    first = harness.paying.ledger.due(harness.watch.now, 9)[0]
    real = harness.paying.recovery.settlement.resume

    def resume(job: Any) -> Any:
        if job.key == first.key:
            raise RuntimeError("broken")
        return real(job)

    monkeypatch.setattr(harness.paying.recovery.settlement, "resume", resume)
    harness.paying.recovery.round()
    assert sorted(row.state for row in harness.paying.ledger.payments()) == [State.SENT, State.SETTLED]
    harness.close()


def test_payments_are_finished_before_rails_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = brief_payment_harness(tmp_path, counters=Unlimited())
    slow(harness, monkeypatch, *[Pending("0x1", BUYER)] * 99)
    assert isinstance(harness.signed(paid(harness.terms(), harness.watch)), PendingAnswer)
    monkeypatch.undo()
    states: list[State] = []
    monkeypatch.setattr(
        type(harness.paying.rails), "check", lambda _: states.append(harness.paying.ledger.payments()[0].state)
    )
    harness.paying.recovery.round()
    assert states == [State.SETTLED]
    harness.close()


def test_a_fault_of_the_ledger_tells_the_log_no_secret(harness: PaymentHarness) -> None:
    quote = harness.terms().quote
    with pytest.raises(Exception, match="UNIQUE") as raised:
        harness.paying.ledger.open(quote, RESULT, 99)
    assert quote.id not in str(raised.value)


def test_signed_requests_do_not_wait_for_ever_for_a_ledger_that_is_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = payment_harness(tmp_path, counters=Unlimited())
    field, go = paid(harness.terms(), harness.watch), Flag()
    monkeypatch.setattr("citepress_payments.service.LOOK_SECONDS", 0.3)
    real = harness.paying.ledger.quote
    monkeypatch.setattr(harness.paying.ledger, "quote", lambda id_: go.wait(PATIENCE_S) and real(id_))
    outcome = harness.signed(field)
    go.set()
    assert isinstance(outcome, Unavailable)
    assert moved(harness) == 0
    harness.close()


def test_a_result_that_was_swept_just_now_is_told_and_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = payment_harness(tmp_path, keep_paid_days=30, counters=Unlimited())
    field = paid(harness.terms(), harness.watch)
    assert isinstance(harness.signed(field), PurchaseResult)
    harness.watch.now += 31 * 86_400
    ledger, real = harness.paying.ledger, harness.paying.ledger.payment

    def payment(key: str) -> Any:
        ledger.sweep(harness.watch.now)
        return real(key)

    monkeypatch.setattr(ledger, "payment", payment)
    outcome = harness.signed(field)
    assert isinstance(outcome, RefusedAnswer)
    assert outcome.code == "unknown_quote"
    assert outcome.quote
    harness.close()
