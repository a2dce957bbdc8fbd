"""Settlement over a real ledger and the simulated chain: what is charged, what is served, and what never is."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citepress.base.canonical import digest
from citepress.contract.store import StoreUnavailable
from citepress_payments.outcomes import NotSellable, PendingAnswer, PurchaseResult, RefusedAnswer, Unavailable
from citepress_payments.ports.chain import CannotSucceed, PaymentRefused, Pending, Undecided, Unreachable
from citepress_payments.ports.rows import Pause, State
from citepress_payments.rails import Lane
from citepress_payments.simulated_chain.chain import BUYER, transaction_id
from support.buyers import SECOND, SECOND_KEY, USDC, give, pay_native, sign_transfer
from support.payment_service import (
    RESULT,
    PaymentHarness,
    Unlimited,
    brief_payment_harness,
    driver_of,
    header,
    moved,
    paid,
    payment_harness,
    slow,
    vector_random,
)

OTHER_BODY = b'{"query":"other memory"}'
NONCE = "0x0e21ecc186b0f4a3f098c04238dfb3e20ba9f5a540c0e5ff1b2d7290ec2a123d"


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PaymentHarness]:
    process = payment_harness(tmp_path, counters=Unlimited())
    yield process
    process.close()


def _refused(outcome: object, code: str) -> RefusedAnswer:
    assert isinstance(outcome, RefusedAnswer), outcome
    assert outcome.code == code
    return outcome


def test_the_golden_purchase(tmp_path: Path) -> None:
    harness = payment_harness(tmp_path, random=vector_random())
    terms = harness.terms()
    assert (
        terms.quote.entries[0]["extra"]["termsHash"]
        == "0x798171f2f0a0298b8afb6efde83981c21d6cffa1117044ae10a0049c2778c344"
    )
    field = paid(terms, harness.watch, nonce=NONCE)
    outcome = harness.signed(field)
    assert isinstance(outcome, PurchaseResult)
    assert outcome.body == RESULT
    assert outcome.response == {
        "success": True,
        "transaction": "0x9bfe443c692877395d3114dffc11a38a4ba339d57ee85addde6117f1105e4c85",
        "network": "eip155:84532",
        "payer": BUYER,
        "amount": "50000",
        "extensions": {"citepress": {"resultSalt": "5b" * 32}},
    }
    assert moved(harness) == 50_000
    key = f"eip3009|eip155:84532|{USDC[1].lower()}|{BUYER.lower()}|{NONCE}"
    row = harness.paying.ledger.payment(key)
    assert row
    assert (row.state, row.payer) == (State.SETTLED, BUYER)
    assert row.evidence_sha256 == "b44a9ae6a3549cb8f6c3b118c7c1cc0b7440cff7b6ffe536962b45eca8839814"
    assert harness.probed == ["quote", "claim", "verify", "journal", "broadcast", "receipt", "settle"]
    harness.close()


def test_a_replay_returns_the_same_bytes_without_asking_the_driver(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    field = paid(harness.terms(), harness.watch)
    first = harness.signed(field)
    for name in ("check", "verify", "send", "reconcile"):
        monkeypatch.setattr(driver_of(harness), name, None)
    harness.watch.now += 10 * 86_400
    again = harness.signed(field)
    assert isinstance(first, PurchaseResult)
    assert again == replace(first, replay=True)
    assert moved(harness) == 50_000


def test_permit2_is_settled_too(harness: PaymentHarness) -> None:
    order = harness.order(lane=Lane.VOLATILE, slug="base-weth")
    outcome = harness.signed(paid(harness.terms(order), harness.watch), order)
    assert isinstance(outcome, PurchaseResult)
    assert outcome.response["amount"] == "16833333333334"


def test_a_native_proof_is_released_only_when_final(harness: PaymentHarness) -> None:
    order = harness.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = harness.terms(order).quote.entries[0]
    payload = pay_native(harness.chain, entry)
    early = harness.signed(header(entry, payload), order)
    assert isinstance(early, PendingAnswer)
    assert early.response == {
        "success": False,
        "errorReason": "settlement_pending",
        "transaction": payload["transaction"],
        "network": "eip155:97",
        "payer": BUYER,
    }
    assert early.retry_after == 2
    assert harness.paying.ledger.payments() == []
    harness.watch.now += 3
    outcome = harness.signed(header(entry, payload), order)
    assert isinstance(outcome, PurchaseResult)
    assert outcome.body == RESULT
    assert outcome.response["transaction"] == payload["transaction"]


def test_a_native_quote_is_claimable_for_a_day_when_it_was_paid_in_time(harness: PaymentHarness) -> None:
    order = harness.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = harness.terms(order).quote.entries[0]
    field = header(entry, pay_native(harness.chain, entry))
    harness.watch.now += 900 + 86_000
    assert isinstance(harness.signed(field, order), PurchaseResult)


@pytest.mark.parametrize(
    ("bent", "code"),
    [
        ({"amount": 1}, "amount_mismatch"),
        ({"to": SECOND}, "recipient_mismatch"),
        ({"data": "0x" + "00" * 32}, "terms_hash_mismatch"),
        ({"now": 1_795_238_400 + 961}, "paid_too_late"),
    ],
)
def test_native_matrix(harness: PaymentHarness, bent: dict[str, Any], code: str) -> None:
    order = harness.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = harness.terms(order).quote.entries[0]
    payload = pay_native(harness.chain, entry, **bent)
    harness.watch.now += 961 + 3 if "now" in bent else 3
    _refused(harness.signed(header(entry, payload), order), code)
    assert harness.paying.ledger.payments() == []


def test_substitution_matrix(harness: PaymentHarness) -> None:
    terms, other = harness.terms(), harness.terms(harness.order(OTHER_BODY, result=b"{}"))
    entry = terms.quote.entries[0]
    payload = sign_transfer(entry)
    fresh = _refused(harness.signed(header(entry, payload), harness.order(OTHER_BODY, result=b"{}")), "body_mismatch")
    assert fresh.quote
    assert fresh.quote.body_sha256 == digest(OTHER_BODY)
    _refused(harness.signed(header(entry, payload), harness.order(product="prior-coverage")), "body_mismatch")
    _refused(
        harness.signed(header(entry, payload), harness.order(lane=Lane.VOLATILE, slug="base-weth")), "body_mismatch"
    )
    same = _refused(harness.signed(header(entry | {"amount": "1"}, payload)), "terms_mismatch")
    assert same.quote == terms.quote
    crossed = header(other.quote.entries[0], payload)
    assert isinstance(harness.signed(header(entry, payload)), PurchaseResult)
    _refused(harness.signed(crossed, harness.order(OTHER_BODY, result=b"{}")), "payment_already_used")
    unknown = entry | {"extra": entry["extra"] | {"quoteId": "q_AAAAAAAAAAAAAAAAAAAAAA"}}
    assert _refused(harness.signed(header(unknown, payload)), "unknown_quote").quote
    assert moved(harness) == 50_000


def test_another_proof_of_the_same_payment_gets_nothing(harness: PaymentHarness) -> None:
    terms = harness.terms()
    entry = terms.quote.entries[0]
    payload = sign_transfer(entry)
    assert isinstance(harness.signed(header(entry, payload)), PurchaseResult)
    other = sign_transfer(entry, nonce=payload["authorization"]["nonce"], validAfter="1")
    refusal = _refused(harness.signed(header(entry, other)), "evidence_mismatch")
    assert refusal.quote is not None
    assert refusal.quote.id != terms.quote.id, "a paid quote is not offered again"


@pytest.mark.parametrize("field", [b"", b"{}", b"bnVsbA==", b"e30="])
def test_a_malformed_header_gets_fresh_terms(harness: PaymentHarness, field: bytes) -> None:
    assert _refused(harness.signed(field), "invalid_payload").quote


def test_a_refusal_that_needs_new_terms_gives_way_to_what_the_unsigned_path_says(harness: PaymentHarness) -> None:
    thin = NotSellable("insufficient_evidence", "nothing", (), 0, 1)
    assert harness.signed(b"", harness.order(result=thin)) == thin
    harness.paying.ledger.pause(Pause("all", "maintenance", "test", harness.watch.now, now=False))
    assert isinstance(harness.signed(b""), Unavailable)


def test_nothing_is_stored_for_what_is_not_sellable(harness: PaymentHarness) -> None:
    thin = NotSellable("insufficient_evidence", "nothing", (), 0, 1)
    assert harness.preflight(harness.order(result=thin)) == thin
    assert harness.probed == []


def test_an_expired_quote_is_not_charged(harness: PaymentHarness) -> None:
    terms = harness.terms()
    field = paid(terms, harness.watch, validBefore=str(harness.watch.now + 600))
    harness.watch.now = terms.quote.expires_at - 9
    assert _refused(harness.signed(field), "quote_expired").quote
    assert moved(harness) == 0


def test_an_empty_wallet_is_refused_and_the_quote_stays(harness: PaymentHarness) -> None:
    terms = harness.terms()
    refusal = _refused(harness.signed(paid(terms, harness.watch, key=SECOND_KEY)), "insufficient_funds")
    assert refusal.quote == terms.quote
    assert harness.paying.ledger.payments() == []


def test_client_timeout_then_fresh_purchase_charges_once(harness: PaymentHarness) -> None:
    first = harness.signed(paid(harness.terms(), harness.watch))
    fresh = harness.terms()
    second = harness.signed(paid(fresh, harness.watch))
    assert isinstance(first, PurchaseResult)
    assert isinstance(second, PurchaseResult)
    assert second.body == first.body
    assert second.response["transaction"] == first.response["transaction"]
    assert second.response["extensions"]["citepress"]["resultSalt"] == fresh.quote.salt.hex()
    assert moved(harness) == 50_000


def test_another_payment_for_a_paid_quote_is_never_sent(harness: PaymentHarness) -> None:
    terms = harness.terms()
    give(harness.chain, USDC, SECOND, 100_000)
    assert isinstance(harness.signed(paid(terms, harness.watch)), PurchaseResult)
    refusal = _refused(harness.signed(paid(terms, harness.watch, key=SECOND_KEY)), "quote_already_paid")
    assert refusal.quote
    assert refusal.quote.id != terms.quote.id
    assert isinstance(harness.signed(paid(terms, harness.watch)), PurchaseResult), "the same payer is served"
    assert moved(harness) == 50_000


def test_a_payment_that_is_not_decided_in_time_is_pending_and_then_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = brief_payment_harness(tmp_path)
    terms = harness.terms()
    field = paid(terms, harness.watch)
    slow(harness, monkeypatch, *[Pending()] * 99)
    pending = harness.signed(field)
    key = harness.paying.ledger.payments()[0].key
    assert isinstance(pending, PendingAnswer)
    assert pending.quote == terms.quote
    assert pending.response["transaction"] == transaction_id(key)
    monkeypatch.undo()
    assert isinstance(harness.signed(field), PurchaseResult)
    assert moved(harness) == 50_000
    harness.close()


def test_a_fresh_purchase_while_the_first_is_pending_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = brief_payment_harness(tmp_path)
    first, second = harness.terms(), harness.terms()
    slow(harness, monkeypatch, *[Pending()] * 99)
    assert isinstance(harness.signed(paid(first, harness.watch)), PendingAnswer)
    outcome = harness.signed(paid(second, harness.watch))
    row = harness.paying.ledger.payments()[0]
    assert isinstance(outcome, PendingAnswer)
    assert outcome.response["transaction"] == transaction_id(row.key)
    same_quote = harness.signed(paid(first, harness.watch))
    assert isinstance(same_quote, PendingAnswer)
    assert len(harness.paying.ledger.payments()) == 1
    give(harness.chain, USDC, SECOND, 100_000)
    assert harness.signed(paid(first, harness.watch, key=SECOND_KEY)).code == "payment_in_progress"  # type: ignore[union-attr]
    harness.close()


def test_a_payment_that_cannot_succeed_fails_once_and_for_all(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms = harness.terms()
    field = paid(terms, harness.watch)
    slow(harness, monkeypatch, CannotSucceed("authorization_cancelled", "0xab"))
    refusal = _refused(harness.signed(field), "payment_failed")
    assert refusal.quote == terms.quote
    assert refusal.response == {
        "success": False,
        "errorReason": "authorization_cancelled",
        "transaction": "0xab",
        "network": "eip155:84532",
        "payer": BUYER,
    }
    assert _refused(harness.signed(field), "payment_failed").response == refusal.response
    assert isinstance(harness.signed(paid(terms, harness.watch)), PurchaseResult), (
        "the quote is free for another payment"
    )


@pytest.mark.parametrize("name", ["identify", "check"])
def test_a_driver_that_raises_has_refused(harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    terms = harness.terms()
    monkeypatch.setattr(driver_of(harness), name, _broken)
    _refused(harness.signed(paid(terms, harness.watch)), "invalid_payload")


def _broken(*_args: Any) -> Any:
    raise RuntimeError("the chain library failed")


@pytest.mark.parametrize("name", ["identify", "check"])
def test_a_driver_that_refuses_costs_nothing(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    terms = harness.terms()
    monkeypatch.setattr(driver_of(harness), name, lambda *_: PaymentRefused("own_code"))
    assert _refused(harness.signed(paid(terms, harness.watch)), "own_code").detail == "own code"
    assert harness.paying.ledger.payments() == []


@pytest.mark.parametrize(("name", "answer"), [("verify", None), ("verify", Unreachable("away")), ("send", None)])
def test_a_chain_that_is_away_costs_nothing(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch, name: str, answer: Any
) -> None:
    field = paid(harness.terms(), harness.watch)
    monkeypatch.setattr(driver_of(harness), name, (lambda *_: answer) if answer else _broken)
    outcome = harness.signed(field)
    assert isinstance(outcome, Unavailable)
    assert outcome.code == "rail_unavailable"
    assert harness.paying.ledger.payments() == []
    monkeypatch.undo()
    assert isinstance(harness.signed(field), PurchaseResult)


def test_a_driver_that_fails_after_the_journal_leaves_the_word_to_the_chain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = brief_payment_harness(tmp_path)
    field = paid(harness.terms(), harness.watch)
    real = driver_of(harness).send

    def lost(*args: Any) -> None:
        real(*args)
        raise RuntimeError("the facilitator did not answer")

    monkeypatch.setattr(driver_of(harness), "send", lost)
    assert isinstance(harness.signed(field), PurchaseResult)
    monkeypatch.setattr(driver_of(harness), "reconcile", _broken)
    pending = harness.signed(paid(harness.terms(harness.order(OTHER_BODY)), harness.watch), harness.order(OTHER_BODY))
    assert isinstance(pending, PendingAnswer)
    harness.close()


def test_a_contract_wallet_is_guarded_after_verification(
    harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = harness.terms(), harness.terms()
    assert isinstance(harness.signed(paid(first, harness.watch)), PurchaseResult)
    monkeypatch.setattr(driver_of(harness), "check", lambda *_: Undecided())
    outcome = harness.signed(paid(second, harness.watch))
    assert isinstance(outcome, PurchaseResult)
    assert outcome.replay
    assert moved(harness) == 50_000
    assert _refused(harness.signed(paid(first, harness.watch)), "quote_already_paid").quote


def test_the_books_are_closed_while_the_store_is_away(harness: PaymentHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    field = paid(harness.terms(), harness.watch)

    def away(*_args: Any, **_more: Any) -> Any:
        raise StoreUnavailable("locked", 7)

    for name in ("journal", "quote", "open"):
        monkeypatch.setattr(type(harness.paying.ledger), name, away)
        outcome = harness.signed(field) if name != "open" else harness.preflight()
        assert isinstance(outcome, Unavailable)
        assert (outcome.code, outcome.retry_after) == ("unavailable", 7)
    monkeypatch.undo()
    harness.watch.now += 31
    assert isinstance(harness.signed(field), PurchaseResult)
    assert moved(harness) == 50_000


def test_a_pause_stops_new_quotes_and_its_strict_form_stops_open_ones(harness: PaymentHarness) -> None:
    field, order = paid(harness.terms(), harness.watch), harness.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = harness.terms(order).quote.entries[0]
    harness.paying.ledger.pause(Pause("all", "maintenance", "test", harness.watch.now, now=True))
    assert harness.signed(field).code == "rail_unavailable"  # type: ignore[union-attr]
    native = header(entry, pay_native(harness.chain, entry))
    harness.watch.now += 3
    assert isinstance(harness.signed(native, order), PurchaseResult), "a native proof is always honoured"
    harness.paying.ledger.pause(Pause("all", "maintenance", "test", harness.watch.now, now=False))
    assert isinstance(harness.preflight(), Unavailable)
    assert isinstance(harness.signed(field), PurchaseResult), "an open quote finishes"


def test_a_rail_that_was_closed_is_told(harness: PaymentHarness, tmp_path: Path) -> None:
    field = paid(harness.terms(), harness.watch)
    smaller = payment_harness(tmp_path, rails=[], database=harness.database)
    assert smaller.signed(field).code == "rail_unavailable"  # type: ignore[union-attr]
    smaller.close()
