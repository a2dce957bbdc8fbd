from dataclasses import replace

import pytest
import sqlalchemy as sa

from citepress.base.canonical import digest
from citepress.payments.ports import (
    LEASE,
    Acquired,
    AlreadyClaimed,
    DuplicatePayment,
    DuplicatePurchase,
    Expired,
    LeaseLost,
    Pause,
    PaymentClaim,
    QuoteTaken,
    Signed,
    State,
)
from citepress.stores.sql.database import Database
from citepress.stores.sql.payments.ledger import SqlLedger
from support.ledgers import MUCH, RESULT, SIGNER, claimed, facts_of, key_of, plan_of, quote_of, sent, settled, signed_plan, won
from support.paying import BUYER, NOW, SECOND

PAID = '{"success":true,"transaction":"0x01"}'
NATIVE = "native|eip155:97|0x" + "7a" * 32


def _state(ledger: SqlLedger, key: str) -> State:
    found = ledger.payment(key)
    assert found is not None
    return found.state


def test_a_claim_is_a_row_with_a_lease_of_thirty_seconds(ledger: SqlLedger) -> None:
    claim = claimed(ledger, 1, evidence='{"a":1}')
    row = ledger.payment(claim.key)
    assert row is not None
    assert (row.state, row.owner, row.epoch, row.lease_until) == (State.CLAIMED, "one", claim.epoch, NOW + LEASE)
    assert (row.payer, row.rail, row.evidence, row.evidence_sha256) == (BUYER, "base-usdc", '{"a":1}', digest(b'{"a":1}'))
    assert (row.reason, row.response, row.created_at, row.quote_id) == ("", "", NOW, claim.quote_id)


def test_while_it_is_worked_on_everybody_else_learns_of_it(ledger: SqlLedger) -> None:
    claim, quote = claimed(ledger, 1), quote_of(1)
    known = ledger.claim(claim.key, quote.id, facts_of(quote), "two", NOW + LEASE - 1)
    assert known == AlreadyClaimed(ledger.payment(claim.key))  # type: ignore[arg-type]
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
    assert [one.tx for one in ledger.sent(old.key)] == ["0x01"]


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
    assert isinstance(ledger.claim(claim.key, quote.id, facts_of(quote, evidence='{"forged":1}'), "two", late), AlreadyClaimed)
    assert isinstance(ledger.claim(claim.key, quote_of(2).id, facts_of(quote), "two", late), AlreadyClaimed)
    outcome = ledger.claim(claim.key, quote.id, facts_of(quote), "two", late)
    assert outcome == Acquired(PaymentClaim(claim.key, quote.id, "two", claim.epoch + 1), State.SENT)
    with pytest.raises(LeaseLost):
        ledger.journal(claim, plan_of("0x02", kind="bump"), BUYER, late)


def test_the_journal_makes_a_payment_sent_and_writes_what_will_be_sent(ledger: SqlLedger) -> None:
    claim = claimed(ledger, 1, payer="", proven=False)
    told = ledger.journal(claim, signed_plan(), BUYER, NOW + 2)
    assert (told.seq, told.nonce, told.signer, told.kind, told.created_at) == (1, 0, SIGNER, "pay", NOW + 2)
    assert told.raw == b"eip155:84532 {} 0"
    assert ledger.sent(claim.key) == [told]
    row = ledger.payment(claim.key)
    assert row is not None
    assert (row.state, row.payer, row.updated_at) == (State.SENT, BUYER, NOW + 2)


def test_what_a_facilitator_sends_has_no_transaction_yet(ledger: SqlLedger) -> None:
    for number in (1, 2):
        claim = claimed(ledger, number)
        told = ledger.journal(claim, plan_of(""), BUYER, NOW)
        assert (told.tx, told.nonce) == ("", None)
        assert ledger.sent(claim.key) == [told]


def test_the_same_transaction_is_journaled_once(ledger: SqlLedger) -> None:
    claim = sent(ledger, 1)
    assert ledger.journal(claim, plan_of("0x01"), BUYER, NOW + 9) == ledger.sent(claim.key)[0]
    assert len(ledger.sent(claim.key)) == 1


def test_nonces_follow_ours_or_the_chains_count_whichever_is_further(ledger: SqlLedger) -> None:
    def nonce(number: int, network: str, pending: int) -> int | None:
        return ledger.journal(claimed(ledger, number), signed_plan(network, pending), BUYER, NOW).nonce

    assert [nonce(1, "eip155:1", 5), nonce(2, "eip155:1", 5), nonce(3, "eip155:1", 9), nonce(4, "eip155:2", 0)] == [5, 6, 9, 0]


def test_a_signer_has_one_row_in_whatever_spelling(ledger: SqlLedger) -> None:
    nonces = [
        ledger.journal(claimed(ledger, number), replace(signed_plan(), signer=spelled), BUYER, NOW).nonce
        for number, spelled in enumerate((SIGNER, SIGNER.lower()))
    ]
    assert nonces == [0, 1]


def test_a_bump_uses_its_nonce_again_and_takes_no_new_one(ledger: SqlLedger) -> None:
    claim = claimed(ledger, 1)
    first = ledger.journal(claim, signed_plan(), BUYER, NOW)
    bump = ledger.journal(claim, signed_plan(kind="bump", nonce=first.nonce), BUYER, NOW + 30)
    assert (bump.seq, bump.nonce, bump.kind) == (2, 0, "bump")
    assert [one.kind for one in ledger.sent(claim.key)] == ["pay", "bump"]
    assert ledger.journal(claimed(ledger, 2), signed_plan(), BUYER, NOW).nonce == 1


def test_a_failed_signature_leaves_no_gap_and_no_sent_payment(ledger: SqlLedger) -> None:
    def fail(_nonce: int) -> Signed:
        raise RuntimeError("the key is gone")

    claim = claimed(ledger, 1)
    with pytest.raises(RuntimeError, match="key is gone"):
        ledger.journal(claim, signed_plan(build=fail), BUYER, NOW)
    assert _state(ledger, claim.key) is State.CLAIMED
    assert ledger.sent(claim.key) == []
    assert ledger.journal(claim, signed_plan(), BUYER, NOW).nonce == 0


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


def test_settling_makes_payment_and_quote_final_at_once_and_once(ledger: SqlLedger) -> None:
    claim = sent(ledger, 1)
    row = ledger.settle(claim.key, claim.quote_id, "0x01", BUYER, PAID, NOW + 5)
    assert (row.state, row.response, row.updated_at, row.payer) == (State.SETTLED, PAID, NOW + 5, BUYER)
    assert row == ledger.payment(claim.key)
    assert ledger.settle(claim.key, claim.quote_id, "0xff", SECOND, "other", NOW + 9) == row
    assert ledger.fail(claim.key, "reason", "{}", NOW + 9) == row
    quote = ledger.quote(claim.quote_id)
    assert quote is not None
    assert quote.paid_by == claim.key
    assert [(event.change, event.tx, event.at) for event in ledger.events(key=claim.key)] == [
        ("sent", "0x01", NOW),
        ("settled", "0x01", NOW + 5),
    ]


def test_a_native_proof_goes_from_claimed_to_settled_with_the_payer_that_the_chain_names(ledger: SqlLedger) -> None:
    quote = quote_of(1, lane="native/bsc-bnb")
    ledger.open(quote, RESULT, MUCH)
    facts = facts_of(quote, rail="bsc-bnb", payer="", proven=False)
    claim = won(ledger.claim(NATIVE, quote.id, facts, "one", NOW))
    assert ledger.settle(claim.key, claim.quote_id, "0x" + "7a" * 32, SECOND, PAID, NOW).payer == SECOND
    assert ledger.prior(SECOND, *_ask(1)) is not None
    assert isinstance(ledger.claim(NATIVE, quote.id, facts, "two", NOW + 9999), AlreadyClaimed)


def test_a_settled_quote_takes_no_other_payment(ledger: SqlLedger) -> None:
    claim, quote = settled(ledger, 1), quote_of(1)
    other = ledger.claim(key_of(2), quote.id, facts_of(quote, payer=SECOND), "two", NOW)
    assert other == QuoteTaken(ledger.payment(claim.key))  # type: ignore[arg-type]


def test_a_failed_payment_is_final_and_frees_its_quote(ledger: SqlLedger) -> None:
    claim, quote = sent(ledger, 1), quote_of(1)
    row = ledger.fail(claim.key, "authorization_expired", '{"success":false}', NOW + 400)
    assert (row.state, row.reason, row.response) == (State.FAILED, "authorization_expired", '{"success":false}')
    assert ledger.settle(claim.key, claim.quote_id, "0x01", BUYER, PAID, NOW + 500) == row
    assert isinstance(ledger.claim(claim.key, quote.id, facts_of(quote), "two", NOW), AlreadyClaimed)
    assert isinstance(ledger.claim(key_of(2), quote.id, facts_of(quote), "two", NOW), Acquired)
    assert [(event.change, event.reason) for event in ledger.events(key=claim.key)] == [("sent", ""), ("failed", "authorization_expired")]


def test_a_payment_that_was_never_sent_does_not_fail(ledger: SqlLedger) -> None:
    claim = claimed(ledger, 1)
    assert ledger.fail(claim.key, "reason", "{}", NOW).state is State.CLAIMED


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
    one, other = sent(ledger, 1), claimed(ledger, 2, now=ahead, claim_until=ahead)
    quote, facts = quote_of(1), facts_of(quote_of(1))
    assert ledger.renew(one, ahead)
    assert {row.key for row in ledger.due(NOW, 9)} == {one.key, other.key}
    assert isinstance(ledger.claim(one.key, quote.id, facts, "two", NOW), Acquired)
    assert isinstance(ledger.claim(other.key, other.quote_id, facts_of(quote_of(2)), "two", NOW), Acquired)
    assert isinstance(ledger.claim(one.key, quote.id, facts, "three", NOW - 10), AlreadyClaimed), "clocks of hosts differ by some seconds"


def test_each_payment_that_is_due_has_its_turn(ledger: SqlLedger) -> None:
    seen = []
    for number in range(3):
        ledger.lapse(sent(ledger, number))
    for turn in range(6):
        row = ledger.due(NOW + turn, 1)[0]
        quote = quote_of(int(row.key[-2:], 16))
        ledger.lapse(won(ledger.claim(row.key, quote.id, facts_of(quote), "two", NOW + 1 + turn)))
        seen.append(row.key)
    assert seen == [key_of(0), key_of(1), key_of(2)] * 2


def test_what_nobody_works_on_is_due_longest_untouched_first(ledger: SqlLedger) -> None:
    sent(ledger, 1)
    second = sent(ledger, 2)
    claimed(ledger, 3, now=NOW + 5)
    settled(ledger, 4)
    ledger.renew(second, NOW + 20)
    assert ledger.due(NOW + LEASE - 1, 10) == []
    assert [row.key for row in ledger.due(NOW + LEASE + 5, 10)] == [key_of(1), key_of(3)]
    assert [row.key for row in ledger.due(NOW + 99, 10)] == [key_of(1), key_of(2), key_of(3)]
    assert [row.key for row in ledger.due(NOW + 99, 1)] == [key_of(1)]


def test_payments_are_listed_newest_first_and_by_state(ledger: SqlLedger) -> None:
    for number in range(3):
        claimed(ledger, number, now=NOW + number)
    settled(ledger, 7)
    assert [row.key for row in ledger.payments(states=(State.CLAIMED,), most=2)] == [key_of(2), key_of(1)]
    assert len(ledger.payments()) == 4


def test_the_history_is_found_by_payment_and_by_quote_and_names_no_quote(ledger: SqlLedger) -> None:
    one, two = settled(ledger, 1), sent(ledger, 2)
    assert [event.change for event in ledger.events(quote_id=one.quote_id)] == ["sent", "settled"]
    assert [event.key for event in ledger.events()] == [one.key, one.key, two.key]
    assert [event.key for event in ledger.events(most=1)] == [two.key]
    assert one.quote_id not in repr(ledger.events())


def test_the_history_cannot_be_changed(ledger: SqlLedger, database: Database) -> None:
    settled(ledger, 1)
    before = ledger.events()
    for statement in ("UPDATE payment_events SET tx = 'forged'", "DELETE FROM payment_events"):
        with pytest.raises(sa.exc.DBAPIError, match="only ever added"), database.engine.begin() as connection:
            connection.execute(sa.text(statement))
    assert ledger.events() == before


def test_a_rail_is_paused_and_resumed_and_the_history_tells_by_whom(ledger: SqlLedger) -> None:
    slow, gas = Pause("base-usdc", "gas is low", "breaker", NOW, now=False), Pause("all", "maintenance", "mo", NOW + 1, now=True)
    ledger.pause(slow)
    ledger.pause(gas)
    assert ledger.pauses() == [gas, slow]
    ledger.pause(replace(slow, reason="still low", since=NOW + 2))
    assert [one.reason for one in ledger.pauses()] == ["maintenance", "still low"]
    assert ledger.resume("base-usdc", "mo", NOW + 3)
    assert not ledger.resume("base-usdc", "mo", NOW + 4)
    assert ledger.pauses() == [gas]
    assert [(event.rail, event.change, event.reason) for event in ledger.events()] == [
        ("base-usdc", "paused", "breaker: gas is low"),
        ("all", "paused", "mo: maintenance"),
        ("base-usdc", "paused", "breaker: still low"),
        ("base-usdc", "resumed", "mo"),
    ]
