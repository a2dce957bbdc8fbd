from collections import Counter

import pytest

from citepress.stores.sql.database import Database
from citepress_payments.ports.chain import Signed
from citepress_payments.ports.rows import State
from citepress_payments.simulated_chain.store import SqlSimulatedChain
from citepress_payments.stores.ledger import SqlLedger
from support.buyers import BUYER, NOW, SELLER, USDC
from support.ledgers import (
    MUCH,
    POINTS,
    RESULT,
    buy,
    claim_together,
    die_at,
    die_while_signing,
    facts_of,
    journal_for_one_body,
    journal_many,
    key_of,
    payload_of,
    quote_of,
    signed_plan,
    won,
)
from support.simulated_chain import Watch
from support.stores import answers, barrier, fork, opened

HALF = 12
PRICE = 50_000


def test_of_24_claims_of_one_payment_in_two_processes_one_wins(address: str) -> None:
    ledger, quote = SqlLedger(opened(address)), quote_of(1)
    ledger.open(quote, RESULT, MUCH)
    start = barrier(2)
    calls = [
        (address, [(key_of(1), quote, f"process {place} thread {thread}") for thread in range(HALF)], start)
        for place in range(2)
    ]
    outcomes = Counter(name for names in answers(claim_together, *calls) for name in names)
    assert outcomes == {"Acquired": 1, "AlreadyClaimed": 23}
    assert len(ledger.payments()) == 1


def test_of_24_payments_for_one_quote_in_two_processes_one_wins(address: str) -> None:
    ledger, quote = SqlLedger(opened(address)), quote_of(1)
    ledger.open(quote, RESULT, MUCH)
    start = barrier(2)
    calls = [
        (address, [(key_of(place * HALF + thread), quote, f"{place} {thread}") for thread in range(HALF)], start)
        for place in range(2)
    ]
    outcomes = Counter(name for names in answers(claim_together, *calls) for name in names)
    assert outcomes == {"Acquired": 1, "QuoteTaken": 23}
    assert len(ledger.payments()) == 1


def test_24_payments_two_processes_contiguous_nonces(address: str) -> None:
    opened(address).close()
    start = barrier(2)
    calls = [(address, range(place * HALF, place * HALF + HALF), start) for place in range(2)]
    nonces = sorted(nonce for nonces in answers(journal_many, *calls) for nonce in nonces)
    assert nonces == list(range(24))
    ledger = SqlLedger(opened(address))
    sent = [broadcast for row in ledger.payments(states=(State.SENT,)) for broadcast in ledger.sent(row.key)]
    assert sorted(broadcast.nonce or 0 for broadcast in sent) == list(range(24))
    assert len({broadcast.tx for broadcast in sent}) == 24


def test_of_24_payments_of_one_buyer_for_one_body_one_is_sent(address: str) -> None:
    opened(address).close()
    start = barrier(2)
    calls = [(address, range(place * HALF, place * HALF + HALF), start) for place in range(2)]
    outcomes = Counter(name for names in answers(journal_for_one_body, *calls) for name in names)
    assert outcomes == {"sent": 1, "DuplicatePayment": 23}
    assert len(SqlLedger(opened(address)).payments(states=(State.SENT,))) == 1


LEFT = {
    "quote": (None, 0, 0),
    "claim": (State.CLAIMED, 0, 0),
    "verify": (State.CLAIMED, 0, 0),
    "journal": (State.SENT, 1, 0),
    "broadcast": (State.SENT, 1, PRICE),
    "receipt": (State.SENT, 1, PRICE),
    "settle": (State.SETTLED, 1, PRICE),
}
"""By the point at which a process dies: the state of the payment, its broadcasts, and what has moved on the chain."""


@pytest.mark.parametrize("point", POINTS)
def test_whoever_dies_on_the_way_the_payment_is_made_once(address: str, point: str) -> None:
    database, payload = opened(address), payload_of()
    process = fork(die_at, address, payload, point)
    process.join(60)
    assert process.exitcode == -9
    ledger, chain = SqlLedger(database), SqlSimulatedChain(database)
    state, broadcasts, moved = LEFT[point]
    row = ledger.payment(key_of(1))
    assert (None if row is None else row.state) == state
    assert (len(ledger.sent(key_of(1))), chain.balance(*USDC, SELLER)) == (broadcasts, moved)
    assert (key_of(1) in {due.key for due in ledger.due(NOW + 30, 10)}) == (state in {State.CLAIMED, State.SENT})
    assert buy(database, payload, NOW + 30, lambda _: None, "recovery") is State.SETTLED
    assert buy(database, payload, NOW + 99, lambda _: None, "replay") is State.SETTLED
    assert chain.balance(*USDC, SELLER) == PRICE
    assert len(ledger.sent(key_of(1))) == 1
    assert [event.change for event in ledger.events()] == ["sent", "settled"]
    quote = ledger.quote(quote_of(1).id)
    assert quote is not None
    assert quote.paid_by == key_of(1)


def test_whoever_dies_while_signing_takes_no_nonce_along(address: str) -> None:
    process = fork(die_while_signing, address)
    process.join(60)
    assert process.exitcode == -9
    ledger, quote = SqlLedger(opened(address)), quote_of(1)
    row = ledger.payment(key_of(1))
    assert row is not None
    assert (row.state, ledger.sent(key_of(1))) == (State.CLAIMED, [])
    claim = won(ledger.claim(key_of(1), quote.id, facts_of(quote), "two", NOW + 30))
    assert ledger.journal(claim, signed_plan(), BUYER, NOW + 30).nonce == 0


def test_signing_happens_inside_the_transaction(ledger: SqlLedger, database: Database) -> None:
    """What is signed and not committed is nowhere: another connection sees the payment as claimed."""
    states: list[State] = []

    def look(nonce: int) -> Signed:
        payment = SqlLedger(database).payment(key_of(1))
        states.extend([payment.state] if payment else [])
        return Signed(f"0x{nonce}", b"raw")

    quote = quote_of(1)
    ledger.open(quote, RESULT, MUCH)
    claim = won(ledger.claim(key_of(1), quote.id, facts_of(quote), "one", Watch()()))
    ledger.journal(claim, signed_plan(build=look), BUYER, NOW)
    assert states == [State.CLAIMED]
