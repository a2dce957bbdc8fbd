"""How a payment ends, what is due, the history and pauses."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from citepress.stores.sql.database import Database
from citepress_payments.ports.rows import AWAITED, LEASE, POSTPONED, Acquired, AlreadyClaimed, Pause, QuoteTaken, State
from citepress_payments.stores.ledger import SqlLedger
from support.buyers import BUYER, NOW, SECOND
from support.ledgers import (
    MUCH,
    RESULT,
    claimed,
    facts_of,
    key_of,
    quote_of,
    sent,
    settled,
    won,
)

PAID = '{"success":true,"transaction":"0x01"}'
NATIVE = "native|eip155:97|0x" + "7a" * 32


def _ask(number: int) -> tuple[str, str, str]:
    quote = quote_of(number)
    return quote.product, quote.body_sha256, quote.result_sha256


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
    assert [(event.change, event.reason) for event in ledger.events(key=claim.key)] == [
        ("sent", ""),
        ("failed", "authorization_expired"),
    ]


def test_a_payment_that_was_never_sent_does_not_fail(ledger: SqlLedger) -> None:
    claim = claimed(ledger, 1)
    assert ledger.fail(claim.key, "reason", "{}", NOW).state is State.CLAIMED


def test_each_payment_that_is_due_has_its_turn(ledger: SqlLedger) -> None:
    keys = []
    for number in range(3):
        ledger.lapse(sent(ledger, number))
    for turn in range(6):
        row = ledger.due(NOW + turn, 1)[0]
        quote = quote_of(int(row.key[-2:], 16))
        ledger.lapse(won(ledger.claim(row.key, quote.id, facts_of(quote), "two", NOW + 1 + turn)))
        keys.append(row.key)
    assert keys == [key_of(0), key_of(1), key_of(2)] * 2


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
    first, two = settled(ledger, 1), sent(ledger, 2)
    assert [event.change for event in ledger.events(quote_id=first.quote_id)] == ["sent", "settled"]
    assert [event.key for event in ledger.events()] == [first.key, first.key, two.key]
    assert [event.key for event in ledger.events(most=1)] == [two.key]
    assert first.quote_id not in repr(ledger.events())


def test_the_history_cannot_be_changed(ledger: SqlLedger, database: Database) -> None:
    settled(ledger, 1)
    before = ledger.events()
    for statement in ("UPDATE payment_events SET tx = 'forged'", "DELETE FROM payment_events"):
        with pytest.raises(sa.exc.DBAPIError, match="only ever added"), database.engine.begin() as connection:
            connection.execute(sa.text(statement))
    assert ledger.events() == before


def test_a_rail_is_paused_and_resumed_and_the_history_tells_by_whom(ledger: SqlLedger) -> None:
    slow, gas = (
        Pause("base-usdc", "gas is low", "breaker", NOW, now=False),
        Pause("all", "maintenance", "mo", NOW + 1, now=True),
    )
    ledger.pause(slow)
    ledger.pause(gas)
    assert ledger.pauses() == [gas, slow]
    ledger.pause(replace(slow, reason="still low", since=NOW + 2))
    assert [pause.reason for pause in ledger.pauses()] == ["maintenance", "still low"]
    assert ledger.resume("base-usdc", "mo", NOW + 3)
    assert not ledger.resume("base-usdc", "mo", NOW + 4)
    assert ledger.pauses() == [gas]
    assert [(event.rail, event.change, event.reason) for event in ledger.events()] == [
        ("base-usdc", "paused", "breaker: gas is low"),
        ("all", "paused", "mo: maintenance"),
        ("base-usdc", "paused", "breaker: still low"),
        ("base-usdc", "resumed", "mo"),
    ]


def test_a_sent_payment_that_cannot_be_looked_up_makes_room_for_the_others(ledger: SqlLedger) -> None:
    now = NOW + LEASE
    stuck, other = sent(ledger, 1).key, sent(ledger, 2).key
    (first,) = ledger.due(now, 1)
    assert first.key == stuck
    ledger.postpone(first, now)
    assert [row.key for row in ledger.due(now, 100)] == [other]
    assert [row.key for row in ledger.due(now + POSTPONED, 100)] == [other, stuck], "later it is the last"


def test_an_awaited_payment_that_cannot_be_looked_up_makes_room_for_the_others(ledger: SqlLedger) -> None:
    now = NOW + LEASE
    for claim in (sent(ledger, 1), sent(ledger, 2)):
        ledger.settle(claim.key, claim.quote_id, "0x01", BUYER, PAID, NOW, AWAITED)
    first, second = ledger.unconfirmed(now, 100)
    ledger.postpone(first, now)
    assert ledger.unconfirmed(now, 100) == [second]
    assert [row.key for row in ledger.unconfirmed(now + POSTPONED, 100)] == [second.key, first.key]
    assert {row.updated_at for row in ledger.payments()} == {NOW}, "the time of the sale is kept"


def test_a_payment_that_somebody_has_taken_is_not_postponed(ledger: SqlLedger) -> None:
    now = NOW + LEASE
    claim = sent(ledger, 1)
    ledger.settle(claim.key, claim.quote_id, "0x01", BUYER, PAID, NOW, AWAITED)
    (row,) = ledger.unconfirmed(now, 100)
    assert ledger.reclaim(row.key, "two", now)
    ledger.postpone(row, now)
    assert [row.key for row in ledger.unconfirmed(now + LEASE, 100)] == [row.key]
