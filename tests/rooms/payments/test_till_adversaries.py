"""What strangers, accidents and operators may try against a payment, and what it costs the buyer: nothing (design, section 7)."""

import asyncio
import base64
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest

from citepress.contract.limits import Limit, LimitState
from citepress.payments import wire
from citepress.payments.chains.simulated.chain import BUYER
from citepress.payments.limits import FAILED, Quotas
from citepress.payments.outcomes import OverQuota, PendingAnswer, PurchaseResult, RefusedAnswer, Unavailable
from citepress.payments.ports import PaymentFacts, PaymentRefused, Pending, State, Undecided
from citepress.payments.rails import Lane
from citepress.stores.local.counters import LocalCounters
from support.paying import pay_native
from support.shopping import RESULT, STATIC, Market, Unlimited, driver_of, header, holding, market, moved, paid, run, slow

STRANGER = "198.51.100.66"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Market]:
    made = market(tmp_path, counters=Unlimited())
    yield made
    made.close()


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
    assert time.process_time() - began < 0.1


@pytest.mark.parametrize("name", ["q_\0", "q_" + "é" * 22, "q_" + "a" * 4000, "' OR 1=1 --", ""])
def test_a_name_that_no_quote_can_have_is_unknown_before_the_ledger_is_asked(
    shop: Market, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    entry = dict(shop.terms().quote.entries[0])
    entry["extra"] = {**entry["extra"], "quoteId": name}
    asked: list[str] = []
    real = shop.paying.ledger.quote
    monkeypatch.setattr(shop.paying.ledger, "quote", lambda id_: asked.append(id_) or real(id_))
    refused = shop.signed(header(entry, {}))
    assert isinstance(refused, RefusedAnswer)
    assert (refused.code, asked) == ("unknown_quote", [])


def test_a_stranger_who_shows_a_buyers_transfer_for_his_own_quote_only_makes_the_buyer_wait(tmp_path: Path) -> None:
    shop = market(tmp_path, rails=[{"slug": "bsc-bnb", "driver": "simulated", "prices": STATIC, "hold_s": 5}])
    order, strange = shop.order(lane=Lane.NATIVE, slug="bsc-bnb"), shop.order(lane=Lane.NATIVE, slug="bsc-bnb", client=STRANGER)
    mine, his = shop.terms(order).quote.entries[0], shop.terms(strange).quote.entries[0]
    proof = pay_native(shop.chain, mine)
    shop.watch.now += 3
    driver, inside, go = driver_of(shop, "bsc-bnb"), Flag(), Flag()
    real = driver.verify

    def verify(entry: Any, payload: Any) -> Any:
        if entry["extra"]["quoteId"] == his["extra"]["quoteId"]:
            inside.set()
            go.wait(10)
        return real(entry, payload)

    driver.verify = verify

    async def both() -> tuple[Any, Any]:
        first = asyncio.ensure_future(shop.paying.shop.signed(strange, [header(his, proof)]))
        await asyncio.to_thread(inside.wait, 10)
        asyncio.get_running_loop().call_later(0.5, go.set)
        second = await shop.paying.shop.signed(order, [header(mine, proof)])
        return await first, second

    first, second = run(both())
    assert first.code == "terms_hash_mismatch"
    assert isinstance(second, PurchaseResult), second
    shop.close()


def test_a_stranger_cannot_use_up_the_failures_of_a_payer_that_he_only_names(shop: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    monkeypatch.setattr(Quotas, "spoil", lambda _, *who: counted.extend(who))
    monkeypatch.setattr(driver_of(shop), "check", lambda *_: Undecided())
    monkeypatch.setattr(driver_of(shop), "verify", lambda *_: PaymentRefused("invalid_exact_evm_payload_signature", payer=BUYER))
    shop.signed(paid(shop.terms(), shop.watch))
    assert counted == ["203.0.113.7", ""]


def test_whoever_has_sent_money_is_served_in_spite_of_failed_payments_and_pauses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, rails=holding(), counters=Spoiled())
    field = paid(shop.terms(), shop.watch)
    assert isinstance(shop.signed(field), OverQuota)
    calm = market(tmp_path, rails=holding(), database=shop.database, watch=shop.watch, counters=Unlimited())
    slow(calm, monkeypatch, *[Pending("0x1", BUYER)] * 9)
    assert isinstance(calm.signed(field), PendingAnswer)
    assert isinstance(shop.signed(field), PurchaseResult)
    shop.close()
    calm.close()


def test_what_was_paid_is_served_after_its_rail_was_closed(shop: Market, tmp_path: Path) -> None:
    field = paid(shop.terms(), shop.watch)
    assert isinstance(shop.signed(field), PurchaseResult)
    smaller = market(tmp_path, rails=[], database=shop.database)
    again = smaller.signed(field)
    assert isinstance(again, PurchaseResult)
    assert again.body == RESULT
    other = header(shop.terms().quote.entries[0], {"authorization": {}})
    assert isinstance(smaller.signed(other), Unavailable)
    smaller.close()


def test_a_proof_settles_only_the_quote_that_it_was_checked_for(tmp_path: Path) -> None:
    shop = market(tmp_path, counters=Unlimited())
    order, strange = shop.order(lane=Lane.NATIVE, slug="bsc-bnb"), shop.order(lane=Lane.NATIVE, slug="bsc-bnb", client=STRANGER)
    mine, his = shop.terms(order).quote.entries[0], shop.terms(strange).quote
    proof = pay_native(shop.chain, mine)
    shop.watch.now += 3
    driver, real = driver_of(shop, "bsc-bnb"), driver_of(shop, "bsc-bnb").verify

    def verify(entry: Any, payload: Any) -> Any:
        told = real(entry, payload)
        row = shop.paying.ledger.payments()[0]  # this process stands still until its lease has lapsed, and a stranger comes
        shop.watch.now += 31
        facts = PaymentFacts(
            row.rail, "", False, row.product, row.body_sha256, row.result_sha256, row.evidence, row.evidence_sha256, his.keep_until
        )
        shop.paying.ledger.claim(row.key, his.id, facts, "stranger", shop.watch.now)
        return told

    driver.verify = verify
    outcome = shop.signed(header(mine, proof), order)
    assert not isinstance(outcome, PurchaseResult)
    assert [row.state for row in shop.paying.ledger.payments()] == [State.CLAIMED]
    driver.verify = real
    shop.watch.now += 31
    assert isinstance(shop.signed(header(his.entries[0], proof), strange), RefusedAnswer)
    assert isinstance(shop.signed(header(mine, proof), order), PurchaseResult)
    shop.close()


def test_one_payment_that_cannot_be_looked_up_does_not_keep_recovery_from_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = market(tmp_path, rails=holding(), counters=Unlimited())
    slow(shop, monkeypatch, *[Pending("0x1", BUYER)] * 30)
    bodies = [b'{"query":"one"}', b'{"query":"two"}']
    for body in bodies:
        order = shop.order(body)
        assert isinstance(shop.signed(paid(shop.terms(order), shop.watch), order), PendingAnswer)
    monkeypatch.undo()
    first = shop.paying.ledger.due(shop.watch.now, 9)[0]
    real = shop.paying.recovery.till.resume

    def resume(job: Any) -> Any:
        if job.key == first.key:
            raise RuntimeError("broken")
        return real(job)

    monkeypatch.setattr(shop.paying.recovery.till, "resume", resume)
    shop.paying.recovery.round()
    assert sorted(row.state for row in shop.paying.ledger.payments()) == [State.SENT, State.SETTLED]
    shop.close()


def test_payments_are_finished_before_rails_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, rails=holding(), counters=Unlimited())
    slow(shop, monkeypatch, *[Pending("0x1", BUYER)] * 9)
    assert isinstance(shop.signed(paid(shop.terms(), shop.watch)), PendingAnswer)
    monkeypatch.undo()
    seen: list[State] = []
    monkeypatch.setattr(type(shop.paying.stands), "check", lambda _: seen.append(shop.paying.ledger.payments()[0].state))
    shop.paying.recovery.round()
    assert seen == [State.SETTLED]
    shop.close()


def test_a_fault_of_the_ledger_tells_the_log_no_secret(shop: Market) -> None:
    quote = shop.terms().quote
    with pytest.raises(Exception, match="UNIQUE") as raised:
        shop.paying.ledger.open(quote, RESULT, 99)
    assert quote.id not in str(raised.value)


def test_signed_requests_do_not_wait_for_ever_for_a_ledger_that_is_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, counters=Unlimited())
    field, go = paid(shop.terms(), shop.watch), Flag()
    monkeypatch.setattr("citepress.payments.service.LOOK_SECONDS", 0.3)
    real = shop.paying.ledger.quote
    monkeypatch.setattr(shop.paying.ledger, "quote", lambda id_: go.wait(10) and real(id_))
    told = shop.signed(field)
    go.set()
    assert isinstance(told, Unavailable)
    assert moved(shop) == 0
    shop.close()


def test_a_result_that_was_swept_just_now_is_told_and_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, keep_paid_days=30, counters=Unlimited())
    field = paid(shop.terms(), shop.watch)
    assert isinstance(shop.signed(field), PurchaseResult)
    shop.watch.now += 31 * 86_400
    ledger, real = shop.paying.ledger, shop.paying.ledger.payment

    def payment(key: str) -> Any:
        ledger.sweep(shop.watch.now)
        return real(key)

    monkeypatch.setattr(ledger, "payment", payment)
    told = shop.signed(field)
    assert isinstance(told, RefusedAnswer)
    assert told.code == "unknown_quote"
    assert told.quote
    shop.close()
