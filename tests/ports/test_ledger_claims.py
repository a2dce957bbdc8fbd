"""Who may work on a payment: claims, leases and who takes over."""

import pytest

from citepress.base.canonical import digest
from citepress_payments.ports.chain import LeaseLost
from citepress_payments.ports.rows import LEASE, Acquired, AlreadyClaimed, Expired, PaymentClaim, QuoteTaken, State
from citepress_payments.stores.ledger import SqlLedger
from support.buyers import BUYER, NOW
from support.ledgers import (
    MUCH,
    RESULT,
    claimed,
    facts_of,
    key_of,
    plan_of,
    quote_of,
    sent,
    won,
)

PAID = '{"success":true,"transaction":"0x01"}'


def _state(ledger: SqlLedger, key: str) -> State:
    payment = ledger.payment(key)
    assert payment is not None
    return payment.state


def test_a_claim_is_a_row_with_a_lease_of_thirty_seconds(ledger: SqlLedger) -> None:
    claim = claimed(ledger, 1, evidence='{"a":1}')
    row = ledger.payment(claim.key)
    assert row is not None
    assert (row.state, row.owner, row.epoch, row.lease_until) == (State.CLAIMED, "one", claim.epoch, NOW + LEASE)
    assert (row.payer, row.rail, row.evidence, row.evidence_sha256) == (
        BUYER,
        "base-usdc",
        '{"a":1}',
        digest(b'{"a":1}'),
    )
    assert (row.reason, row.response, row.created_at, row.quote_id) == ("", "", NOW, claim.quote_id)


def test_while_it_is_worked_on_everybody_else_learns_of_it(ledger: SqlLedger) -> None:
    claim, quote = claimed(ledger, 1), quote_of(1)
    outcome = ledger.claim(claim.key, quote.id, facts_of(quote), "two", NOW + LEASE - 1)
    assert outcome == AlreadyClaimed(ledger.payment(claim.key))  # type: ignore[arg-type]
    other = ledger.claim(key_of(2), quote.id, facts_of(quote), "two", NOW)
    assert other == QuoteTaken(ledger.payment(claim.key))  # type: ignore[arg-type]


def test_a_claim_may_be_renewed_by_its_owner(ledger: SqlLedger) -> None:
    claim, quote = claimed(ledger, 1), quote_of(1)
    assert ledger.renew(claim, NOW + 10)
    assert isinstance(ledger.claim(claim.key, quote.id, facts_of(quote), "two", NOW + LEASE + 9), AlreadyClaimed)
    assert isinstance(ledger.claim(claim.key, quote.id, facts_of(quote), "two", NOW + LEASE + 10), Acquired)
    assert not ledger.renew(claim, NOW + LEASE + 11)


def test_an_owner_that_lost_its_lease_can_do_nothing_any_more(ledger: SqlLedger) -> None:
    old, quote = claimed(ledger, 1), quote_of(1)
    new = won(ledger.claim(old.key, quote.id, facts_of(quote), "two", NOW + LEASE))
    with pytest.raises(LeaseLost):
        ledger.journal(old, plan_of(), BUYER, NOW + LEASE)
    ledger.release(old)
    assert not ledger.renew(old, NOW + LEASE)
    assert ledger.renew(new, NOW + LEASE)
    assert ledger.journal(new, plan_of(), BUYER, NOW + LEASE).seq == 1
    assert [broadcast.tx for broadcast in ledger.sent(old.key)] == ["0x01"]


def test_a_row_that_was_removed_and_made_again_does_not_fit_the_old_claim(ledger: SqlLedger) -> None:
    old, quote = claimed(ledger, 1), quote_of(1)
    ledger.release(old)
    won(ledger.claim(old.key, quote.id, facts_of(quote), old.owner, NOW + 1))
    with pytest.raises(LeaseLost):
        ledger.journal(old, plan_of(), BUYER, NOW + 2)


def test_a_lease_that_lapsed_with_nobody_after_it_still_journals(ledger: SqlLedger) -> None:
    claim = claimed(ledger, 1)
    assert ledger.journal(claim, plan_of(), BUYER, NOW + 99).tx == "0x01"


def test_another_payment_takes_a_quote_whose_claim_died_before_anything_was_sent(ledger: SqlLedger) -> None:
    dead, quote = claimed(ledger, 1), quote_of(1)
    assert isinstance(ledger.claim(key_of(2), quote.id, facts_of(quote), "two", NOW + LEASE), Acquired)
    assert ledger.payment(dead.key) is None
    with pytest.raises(LeaseLost):
        ledger.journal(dead, plan_of(), BUYER, NOW + LEASE)
    with pytest.raises(LeaseLost):
        ledger.settle(dead.key, dead.quote_id, "0x1", BUYER, PAID, NOW + LEASE)
    with pytest.raises(LeaseLost):
        ledger.fail(dead.key, "gone", "{}", NOW + LEASE)


def test_a_released_claim_leaves_no_row_and_no_event(ledger: SqlLedger) -> None:
    claim = claimed(ledger, 1)
    ledger.release(claim)
    assert ledger.payment(claim.key) is None
    assert ledger.events() == []
    assert isinstance(ledger.claim(key_of(2), claim.quote_id, facts_of(quote_of(1)), "two", NOW), Acquired)


def test_a_sent_payment_is_not_released(ledger: SqlLedger) -> None:
    claim = sent(ledger, 1)
    ledger.release(claim)
    assert _state(ledger, claim.key) is State.SENT


def test_a_quote_is_not_claimed_when_its_time_is_over_or_it_is_unknown(ledger: SqlLedger) -> None:
    quote = quote_of(1)
    ledger.open(quote, RESULT, MUCH)
    assert ledger.claim(key_of(1), quote.id, facts_of(quote), "one", NOW + 291) == Expired()
    assert ledger.claim(key_of(1), "q_unknown", facts_of(quote), "one", NOW) == Expired()
    assert isinstance(ledger.claim(key_of(1), quote.id, facts_of(quote), "one", NOW + 290), Acquired)


def test_a_dead_claim_does_not_come_back_after_the_quotes_time(ledger: SqlLedger) -> None:
    claim, quote = claimed(ledger, 1), quote_of(1)
    assert ledger.claim(claim.key, quote.id, facts_of(quote), "two", NOW + 291) == Expired()
    assert ledger.payment(claim.key) is None


def test_a_sent_payment_whose_owner_went_away_is_taken_over_with_the_same_evidence_only(ledger: SqlLedger) -> None:
    claim, quote = sent(ledger, 1), quote_of(1)
    late = NOW + 3000
    assert isinstance(ledger.claim(claim.key, quote.id, facts_of(quote), "two", NOW + LEASE - 1), AlreadyClaimed)
    assert isinstance(
        ledger.claim(claim.key, quote.id, facts_of(quote, evidence='{"forged":1}'), "two", late), AlreadyClaimed
    )
    assert isinstance(ledger.claim(claim.key, quote_of(2).id, facts_of(quote), "two", late), AlreadyClaimed)
    outcome = ledger.claim(claim.key, quote.id, facts_of(quote), "two", late)
    assert outcome == Acquired(PaymentClaim(claim.key, quote.id, "two", claim.epoch + 1), State.SENT)
    with pytest.raises(LeaseLost):
        ledger.journal(claim, plan_of("0x02", kind="bump"), BUYER, late)


def test_a_lease_that_was_given_up_is_free_at_once_and_its_owner_does_not_get_it_back(ledger: SqlLedger) -> None:
    claim, quote = sent(ledger, 1), quote_of(1)
    ledger.lapse(claim)
    assert not ledger.renew(claim, NOW)
    with pytest.raises(LeaseLost):
        ledger.journal(claim, plan_of("0x02", kind="bump"), BUYER, NOW)
    assert [row.key for row in ledger.due(NOW, 10)] == [claim.key]
    taken = won(ledger.claim(claim.key, quote.id, facts_of(quote), "two", NOW))
    ledger.lapse(claim)
    assert ledger.renew(taken, NOW)


def test_a_claim_that_was_not_sent_is_not_given_up(ledger: SqlLedger) -> None:
    claim = claimed(ledger, 1)
    ledger.lapse(claim)
    assert ledger.renew(claim, NOW)


def test_a_lease_of_a_clock_that_was_put_right_keeps_nobody_waiting(ledger: SqlLedger) -> None:
    ahead = NOW + 86_400
    first, other = sent(ledger, 1), claimed(ledger, 2, now=ahead, claim_until=ahead)
    quote, facts = quote_of(1), facts_of(quote_of(1))
    assert ledger.renew(first, ahead)
    assert {row.key for row in ledger.due(NOW, 9)} == {first.key, other.key}
    assert isinstance(ledger.claim(first.key, quote.id, facts, "two", NOW), Acquired)
    assert isinstance(ledger.claim(other.key, other.quote_id, facts_of(quote_of(2)), "two", NOW), Acquired)
    assert isinstance(ledger.claim(first.key, quote.id, facts, "three", NOW - 10), AlreadyClaimed), (
        "clocks of hosts differ by some seconds"
    )
