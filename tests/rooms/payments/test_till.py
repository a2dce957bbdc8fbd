"""The way of money over a real ledger and the simulated chain: what is charged, what is served, and what never is (design, sections 4 and 7)."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citepress.base.canonical import digest
from citepress.contract.store import StoreUnavailable
from citepress.payments.chains.simulated.chain import BUYER, transaction_id
from citepress.payments.outcomes import NotSellable, PendingAnswer, PurchaseResult, RefusedAnswer, Unavailable
from citepress.payments.ports import CannotSucceed, Pause, PaymentRefused, Pending, State, Undecided, Unreachable
from citepress.payments.rails import Lane
from support.paying import SECOND, SECOND_KEY, USDC, give, pay_native, sign_transfer
from support.shopping import RESULT, Market, Unlimited, driver_of, header, holding, market, moved, paid, slow, vector_random

OTHER_BODY = b'{"query":"other memory"}'
NONCE = "0x0e21ecc186b0f4a3f098c04238dfb3e20ba9f5a540c0e5ff1b2d7290ec2a123d"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Market]:
    made = market(tmp_path, counters=Unlimited())
    yield made
    made.close()


def _refused(outcome: object, code: str) -> RefusedAnswer:
    assert isinstance(outcome, RefusedAnswer), outcome
    assert outcome.code == code
    return outcome


def test_the_golden_purchase(tmp_path: Path) -> None:
    shop = market(tmp_path, random=vector_random())
    terms = shop.terms()
    assert terms.quote.entries[0]["extra"]["termsHash"] == "0x798171f2f0a0298b8afb6efde83981c21d6cffa1117044ae10a0049c2778c344"
    field = paid(terms, shop.watch, nonce=NONCE)
    outcome = shop.signed(field)
    assert isinstance(outcome, PurchaseResult)
    assert outcome.body == RESULT
    assert outcome.response == {
        "success": True, "transaction": "0x9bfe443c692877395d3114dffc11a38a4ba339d57ee85addde6117f1105e4c85", "network": "eip155:84532",
        "payer": BUYER, "amount": "50000", "extensions": {"citepress": {"resultSalt": "5b" * 32}},
    }  # fmt: skip
    assert moved(shop) == 50_000
    key = f"eip3009|eip155:84532|{USDC[1].lower()}|{BUYER.lower()}|{NONCE}"
    row = shop.paying.ledger.payment(key)
    assert row
    assert (row.state, row.payer) == (State.SETTLED, BUYER)
    assert row.evidence_sha256 == "b44a9ae6a3549cb8f6c3b118c7c1cc0b7440cff7b6ffe536962b45eca8839814"
    assert shop.probed == ["quote", "claim", "verify", "journal", "broadcast", "receipt", "settle"]
    shop.close()


def test_a_replay_returns_the_same_bytes_without_asking_the_driver(shop: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    field = paid(shop.terms(), shop.watch)
    first = shop.signed(field)
    for name in ("check", "verify", "send", "reconcile"):
        monkeypatch.setattr(driver_of(shop), name, None)
    shop.watch.now += 10 * 86_400
    again = shop.signed(field)
    assert isinstance(first, PurchaseResult)
    assert again == replace(first, replay=True)
    assert moved(shop) == 50_000


def test_permit2_is_settled_too(shop: Market) -> None:
    order = shop.order(lane=Lane.VOLATILE, slug="base-weth")
    outcome = shop.signed(paid(shop.terms(order), shop.watch), order)
    assert isinstance(outcome, PurchaseResult)
    assert outcome.response["amount"] == "16833333333334"


def test_a_native_proof_is_released_only_when_final(shop: Market) -> None:
    order = shop.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = shop.terms(order).quote.entries[0]
    payload = pay_native(shop.chain, entry)
    early = shop.signed(header(entry, payload), order)
    assert isinstance(early, PendingAnswer)
    assert early.response == {
        "success": False,
        "errorReason": "settlement_pending",
        "transaction": payload["transaction"],
        "network": "eip155:97",
        "payer": BUYER,
    }
    assert early.retry_after == 2
    assert shop.paying.ledger.payments() == []
    shop.watch.now += 3
    outcome = shop.signed(header(entry, payload), order)
    assert isinstance(outcome, PurchaseResult)
    assert outcome.body == RESULT
    assert outcome.response["transaction"] == payload["transaction"]


def test_a_native_quote_is_claimable_for_a_day_when_it_was_paid_in_time(shop: Market) -> None:
    order = shop.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = shop.terms(order).quote.entries[0]
    field = header(entry, pay_native(shop.chain, entry))
    shop.watch.now += 900 + 86_000
    assert isinstance(shop.signed(field, order), PurchaseResult)


@pytest.mark.parametrize(
    ("bent", "code"),
    [
        ({"amount": 1}, "amount_mismatch"), ({"to": SECOND}, "recipient_mismatch"), ({"data": "0x" + "00" * 32}, "terms_hash_mismatch"),
        ({"now": 1_795_238_400 + 961}, "paid_too_late"),
    ],
)  # fmt: skip
def test_native_matrix(shop: Market, bent: dict[str, Any], code: str) -> None:
    order = shop.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = shop.terms(order).quote.entries[0]
    payload = pay_native(shop.chain, entry, **bent)
    shop.watch.now += 961 + 3 if "now" in bent else 3
    _refused(shop.signed(header(entry, payload), order), code)
    assert shop.paying.ledger.payments() == []


def test_substitution_matrix(shop: Market) -> None:
    terms, other = shop.terms(), shop.terms(shop.order(OTHER_BODY, result=b"{}"))
    entry = terms.quote.entries[0]
    payload = sign_transfer(entry)
    fresh = _refused(shop.signed(header(entry, payload), shop.order(OTHER_BODY, result=b"{}")), "body_mismatch")
    assert fresh.quote
    assert fresh.quote.body_sha256 == digest(OTHER_BODY)
    _refused(shop.signed(header(entry, payload), shop.order(product="prior-coverage")), "body_mismatch")
    _refused(shop.signed(header(entry, payload), shop.order(lane=Lane.VOLATILE, slug="base-weth")), "body_mismatch")
    same = _refused(shop.signed(header(entry | {"amount": "1"}, payload)), "terms_mismatch")
    assert same.quote == terms.quote
    crossed = header(other.quote.entries[0], payload)
    assert isinstance(shop.signed(header(entry, payload)), PurchaseResult)
    _refused(shop.signed(crossed, shop.order(OTHER_BODY, result=b"{}")), "payment_already_used")
    unknown = entry | {"extra": entry["extra"] | {"quoteId": "q_AAAAAAAAAAAAAAAAAAAAAA"}}
    assert _refused(shop.signed(header(unknown, payload)), "unknown_quote").quote
    assert moved(shop) == 50_000


def test_another_proof_of_the_same_payment_gets_nothing(shop: Market) -> None:
    terms = shop.terms()
    entry = terms.quote.entries[0]
    payload = sign_transfer(entry)
    assert isinstance(shop.signed(header(entry, payload)), PurchaseResult)
    other = sign_transfer(entry, nonce=payload["authorization"]["nonce"], validAfter="1")
    told = _refused(shop.signed(header(entry, other)), "evidence_mismatch")
    assert told.quote is not None
    assert told.quote.id != terms.quote.id, "a paid quote is not offered again"


@pytest.mark.parametrize("field", [b"", b"{}", b"bnVsbA==", b"e30="])
def test_a_malformed_header_gets_fresh_terms(shop: Market, field: bytes) -> None:
    assert _refused(shop.signed(field), "invalid_payload").quote


def test_a_refusal_that_needs_new_terms_gives_way_to_what_the_unsigned_path_says(shop: Market) -> None:
    thin = NotSellable("insufficient_evidence", "nothing", (), 0, 1)
    assert shop.signed(b"", shop.order(result=thin)) == thin
    shop.paying.ledger.pause(Pause("all", "maintenance", "test", shop.watch.now, now=False))
    assert isinstance(shop.signed(b""), Unavailable)


def test_nothing_is_stored_for_what_is_not_sellable(shop: Market) -> None:
    thin = NotSellable("insufficient_evidence", "nothing", (), 0, 1)
    assert shop.preflight(shop.order(result=thin)) == thin
    assert shop.probed == []


def test_an_expired_quote_is_not_charged(shop: Market) -> None:
    terms = shop.terms()
    field = paid(terms, shop.watch, validBefore=str(shop.watch.now + 600))
    shop.watch.now = terms.quote.expires_at - 9
    assert _refused(shop.signed(field), "quote_expired").quote
    assert moved(shop) == 0


def test_an_empty_wallet_is_refused_and_the_quote_stays(shop: Market) -> None:
    terms = shop.terms()
    told = _refused(shop.signed(paid(terms, shop.watch, key=SECOND_KEY)), "insufficient_funds")
    assert told.quote == terms.quote
    assert shop.paying.ledger.payments() == []


def test_client_timeout_then_fresh_purchase_charges_once(shop: Market) -> None:
    first = shop.signed(paid(shop.terms(), shop.watch))
    fresh = shop.terms()
    second = shop.signed(paid(fresh, shop.watch))
    assert isinstance(first, PurchaseResult)
    assert isinstance(second, PurchaseResult)
    assert second.body == first.body
    assert second.response["transaction"] == first.response["transaction"]
    assert second.response["extensions"]["citepress"]["resultSalt"] == fresh.quote.salt.hex()
    assert moved(shop) == 50_000


def test_another_payment_for_a_paid_quote_is_never_sent(shop: Market) -> None:
    terms = shop.terms()
    give(shop.chain, USDC, SECOND, 100_000)
    assert isinstance(shop.signed(paid(terms, shop.watch)), PurchaseResult)
    told = _refused(shop.signed(paid(terms, shop.watch, key=SECOND_KEY)), "quote_already_paid")
    assert told.quote
    assert told.quote.id != terms.quote.id
    assert isinstance(shop.signed(paid(terms, shop.watch)), PurchaseResult), "the same payer is served"
    assert moved(shop) == 50_000


def test_a_payment_that_is_not_decided_in_time_is_pending_and_then_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, rails=holding())
    terms = shop.terms()
    field = paid(terms, shop.watch)
    slow(shop, monkeypatch, *[Pending()] * 9)
    pending = shop.signed(field)
    key = shop.paying.ledger.payments()[0].key
    assert isinstance(pending, PendingAnswer)
    assert pending.quote == terms.quote
    assert pending.response["transaction"] == transaction_id(key)
    monkeypatch.undo()
    assert isinstance(shop.signed(field), PurchaseResult)
    assert moved(shop) == 50_000
    shop.close()


def test_a_fresh_purchase_while_the_first_is_pending_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, rails=holding())
    first, second = shop.terms(), shop.terms()
    slow(shop, monkeypatch, *[Pending()] * 9)
    assert isinstance(shop.signed(paid(first, shop.watch)), PendingAnswer)
    told = shop.signed(paid(second, shop.watch))
    row = shop.paying.ledger.payments()[0]
    assert isinstance(told, PendingAnswer)
    assert told.response["transaction"] == transaction_id(row.key)
    same_quote = shop.signed(paid(first, shop.watch))
    assert isinstance(same_quote, PendingAnswer)
    assert len(shop.paying.ledger.payments()) == 1
    give(shop.chain, USDC, SECOND, 100_000)
    assert shop.signed(paid(first, shop.watch, key=SECOND_KEY)).code == "payment_in_progress"  # type: ignore[union-attr]
    shop.close()


def test_a_payment_that_cannot_succeed_fails_once_and_for_all(shop: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = shop.terms()
    field = paid(terms, shop.watch)
    slow(shop, monkeypatch, CannotSucceed("authorization_cancelled", "0xab"))
    told = _refused(shop.signed(field), "payment_failed")
    assert told.quote == terms.quote
    assert told.response == {
        "success": False,
        "errorReason": "authorization_cancelled",
        "transaction": "0xab",
        "network": "eip155:84532",
        "payer": BUYER,
    }
    assert _refused(shop.signed(field), "payment_failed").response == told.response
    assert isinstance(shop.signed(paid(terms, shop.watch)), PurchaseResult), "the quote is free for another payment"


@pytest.mark.parametrize("name", ["identify", "check"])
def test_a_driver_that_raises_has_refused(shop: Market, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    terms = shop.terms()
    monkeypatch.setattr(driver_of(shop), name, _broken)
    _refused(shop.signed(paid(terms, shop.watch)), "invalid_payload")


def _broken(*_told: Any) -> Any:
    raise RuntimeError("the chain library failed")


@pytest.mark.parametrize("name", ["identify", "check"])
def test_a_driver_that_refuses_costs_nothing(shop: Market, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    terms = shop.terms()
    monkeypatch.setattr(driver_of(shop), name, lambda *_: PaymentRefused("own_code"))
    assert _refused(shop.signed(paid(terms, shop.watch)), "own_code").detail == "own code"
    assert shop.paying.ledger.payments() == []


@pytest.mark.parametrize(("name", "told"), [("verify", None), ("verify", Unreachable("away")), ("send", None)])
def test_a_chain_that_is_away_costs_nothing(shop: Market, monkeypatch: pytest.MonkeyPatch, name: str, told: Any) -> None:
    field = paid(shop.terms(), shop.watch)
    monkeypatch.setattr(driver_of(shop), name, (lambda *_: told) if told else _broken)
    outcome = shop.signed(field)
    assert isinstance(outcome, Unavailable)
    assert outcome.code == "rail_unavailable"
    assert shop.paying.ledger.payments() == []
    monkeypatch.undo()
    assert isinstance(shop.signed(field), PurchaseResult)


def test_a_driver_that_fails_after_the_journal_leaves_the_word_to_the_chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = market(tmp_path, rails=holding())
    field = paid(shop.terms(), shop.watch)
    real = driver_of(shop).send

    def lost(*told: Any) -> None:
        real(*told)
        raise RuntimeError("the facilitator did not answer")

    monkeypatch.setattr(driver_of(shop), "send", lost)
    assert isinstance(shop.signed(field), PurchaseResult)
    monkeypatch.setattr(driver_of(shop), "reconcile", _broken)
    pending = shop.signed(paid(shop.terms(shop.order(OTHER_BODY)), shop.watch), shop.order(OTHER_BODY))
    assert isinstance(pending, PendingAnswer)
    shop.close()


def test_a_contract_wallet_is_guarded_after_verification(shop: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = shop.terms(), shop.terms()
    assert isinstance(shop.signed(paid(first, shop.watch)), PurchaseResult)
    monkeypatch.setattr(driver_of(shop), "check", lambda *_: Undecided())
    told = shop.signed(paid(second, shop.watch))
    assert isinstance(told, PurchaseResult)
    assert told.replay
    assert moved(shop) == 50_000
    assert _refused(shop.signed(paid(first, shop.watch)), "quote_already_paid").quote


def test_the_books_are_closed_while_the_store_is_away(shop: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    field = paid(shop.terms(), shop.watch)

    def away(*_told: Any, **_more: Any) -> Any:
        raise StoreUnavailable("locked", 7)

    for name in ("journal", "quote", "open"):
        monkeypatch.setattr(type(shop.paying.ledger), name, away)
        outcome = shop.signed(field) if name != "open" else shop.preflight()
        assert isinstance(outcome, Unavailable)
        assert (outcome.code, outcome.retry_after) == ("unavailable", 7)
    monkeypatch.undo()
    shop.watch.now += 31
    assert isinstance(shop.signed(field), PurchaseResult)
    assert moved(shop) == 50_000


def test_a_pause_stops_new_quotes_and_its_strict_form_stops_open_ones(shop: Market) -> None:
    field, order = paid(shop.terms(), shop.watch), shop.order(lane=Lane.NATIVE, slug="bsc-bnb")
    entry = shop.terms(order).quote.entries[0]
    shop.paying.ledger.pause(Pause("all", "maintenance", "test", shop.watch.now, now=True))
    assert shop.signed(field).code == "rail_unavailable"  # type: ignore[union-attr]
    native = header(entry, pay_native(shop.chain, entry))
    shop.watch.now += 3
    assert isinstance(shop.signed(native, order), PurchaseResult), "a native proof is always honoured"
    shop.paying.ledger.pause(Pause("all", "maintenance", "test", shop.watch.now, now=False))
    assert isinstance(shop.preflight(), Unavailable)
    assert isinstance(shop.signed(field), PurchaseResult), "an open quote finishes"


def test_a_rail_that_was_closed_is_told(shop: Market, tmp_path: Path) -> None:
    field = paid(shop.terms(), shop.watch)
    smaller = market(tmp_path, rails=[], database=shop.database)
    assert smaller.signed(field).code == "rail_unavailable"  # type: ignore[union-attr]
    smaller.close()
