"""The guard against paying twice for the same."""

import pytest

from citepress_payments.ports.chain import DuplicatePayment
from citepress_payments.ports.rows import Acquired, DuplicatePurchase, State
from citepress_payments.stores.ledger import SqlLedger
from support.buyers import BUYER, NOW, SECOND
from support.ledgers import (
    MUCH,
    RESULT,
    claimed,
    facts_of,
    key_of,
    plan_of,
    quote_of,
    sent,
    settled,
    won,
)


def _state(ledger: SqlLedger, key: str) -> State:
    payment = ledger.payment(key)
    assert payment is not None
    return payment.state


def _again(ledger: SqlLedger, number: int, of: int, **changed: str) -> tuple[str, str, SqlLedger]:
    """Another quote and payment key for the body of an earlier quote."""
    quote = quote_of(number, body_sha256=quote_of(of).body_sha256, **changed)
    ledger.open(quote, RESULT, MUCH)
    return key_of(number), quote.id, ledger


def test_the_guard_names_a_sent_payment_of_the_same_buyer_for_the_same_body(ledger: SqlLedger) -> None:
    first = sent(ledger, 1)
    key, quote_id, _ = _again(ledger, 2, of=1)
    outcome = ledger.claim(key, quote_id, facts_of(quote_of(1)), "two", NOW)
    assert outcome == DuplicatePurchase(ledger.payment(first.key))  # type: ignore[arg-type]
    assert ledger.prior(BUYER, *_ask(1)) == ledger.payment(first.key)


def _ask(number: int) -> tuple[str, str, str]:
    quote = quote_of(number)
    return quote.product, quote.body_sha256, quote.result_sha256


def test_the_guard_names_a_settled_payment_only_for_the_same_result(ledger: SqlLedger) -> None:
    first = settled(ledger, 1)
    key, quote_id, _ = _again(ledger, 2, of=1)
    assert isinstance(ledger.claim(key, quote_id, facts_of(quote_of(1)), "two", NOW + 250), DuplicatePurchase)
    assert isinstance(ledger.claim(key, quote_id, facts_of(quote_of(1)), "two", NOW + 9999), DuplicatePurchase)
    newer = facts_of(quote_of(1), result_sha256="ab" * 32)
    assert isinstance(ledger.claim(key, quote_id, newer, "two", NOW), Acquired)
    assert ledger.prior(BUYER, *_ask(1)) == ledger.payment(first.key)


def test_the_guard_lets_others_and_other_bodies_and_failed_payments_be(ledger: SqlLedger) -> None:
    first = sent(ledger, 1)
    assert ledger.prior(SECOND, *_ask(1)) is None
    assert ledger.prior(BUYER, *_ask(2)) is None
    assert ledger.prior("", *_ask(1)) is None
    ledger.fail(first.key, "authorization_expired", "{}", NOW)
    assert ledger.prior(BUYER, *_ask(1)) is None
    key, quote_id, _ = _again(ledger, 2, of=1)
    assert isinstance(ledger.claim(key, quote_id, facts_of(quote_of(1)), "two", NOW), Acquired)


def test_the_guard_speaks_at_the_journal_for_a_payer_that_only_the_chain_proves(ledger: SqlLedger) -> None:
    first = sent(ledger, 1)
    key, quote_id, _ = _again(ledger, 2, of=1)
    claim = won(ledger.claim(key, quote_id, facts_of(quote_of(1), proven=False), "two", NOW))
    with pytest.raises(DuplicatePayment) as guarded:
        ledger.journal(claim, plan_of("0x02"), BUYER, NOW)
    assert guarded.value.other == ledger.payment(first.key)
    assert _state(ledger, key) is State.CLAIMED
    assert ledger.sent(key) == []


def test_two_payers_whom_nobody_knows_do_not_guard_each_other(ledger: SqlLedger) -> None:
    first = claimed(ledger, 1, payer="", proven=False)
    key, quote_id, _ = _again(ledger, 2, of=1)
    second = won(ledger.claim(key, quote_id, facts_of(quote_of(1), payer="", proven=False), "two", NOW))
    for claim, tx in ((first, "0x01"), (second, "0x02")):
        assert ledger.journal(claim, plan_of(tx), "", NOW).tx == tx
