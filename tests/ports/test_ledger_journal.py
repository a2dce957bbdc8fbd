"""What is written before it is sent: the journal and the nonces of our signers."""

from dataclasses import replace

import pytest

from citepress_payments.ports.chain import Signed
from citepress_payments.ports.rows import State
from citepress_payments.stores.ledger import SqlLedger
from support.buyers import BUYER, NOW
from support.ledgers import (
    SIGNER,
    claimed,
    plan_of,
    sent,
    signed_plan,
)


def _state(ledger: SqlLedger, key: str) -> State:
    payment = ledger.payment(key)
    assert payment is not None
    return payment.state


def test_the_journal_makes_a_payment_sent_and_writes_what_will_be_sent(ledger: SqlLedger) -> None:
    claim = claimed(ledger, 1, payer="", proven=False)
    outcome = ledger.journal(claim, signed_plan(), BUYER, NOW + 2)
    assert (outcome.seq, outcome.nonce, outcome.signer, outcome.kind, outcome.created_at) == (
        1,
        0,
        SIGNER,
        "pay",
        NOW + 2,
    )
    assert outcome.raw == b"eip155:84532 {} 0"
    assert ledger.sent(claim.key) == [outcome]
    row = ledger.payment(claim.key)
    assert row is not None
    assert (row.state, row.payer, row.updated_at) == (State.SENT, BUYER, NOW + 2)


def test_what_a_facilitator_sends_has_no_transaction_yet(ledger: SqlLedger) -> None:
    for number in (1, 2):
        claim = claimed(ledger, number)
        outcome = ledger.journal(claim, plan_of(""), BUYER, NOW)
        assert (outcome.tx, outcome.nonce) == ("", None)
        assert ledger.sent(claim.key) == [outcome]


def test_the_same_transaction_is_journaled_once(ledger: SqlLedger) -> None:
    claim = sent(ledger, 1)
    assert ledger.journal(claim, plan_of("0x01"), BUYER, NOW + 9) == ledger.sent(claim.key)[0]
    assert len(ledger.sent(claim.key)) == 1


def test_nonces_follow_ours_or_the_chains_count_whichever_is_further(ledger: SqlLedger) -> None:
    def nonce(number: int, network: str, pending: int) -> int | None:
        return ledger.journal(claimed(ledger, number), signed_plan(network, pending), BUYER, NOW).nonce

    assert [nonce(1, "eip155:1", 5), nonce(2, "eip155:1", 5), nonce(3, "eip155:1", 9), nonce(4, "eip155:2", 0)] == [
        5,
        6,
        9,
        0,
    ]


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
    assert [broadcast.kind for broadcast in ledger.sent(claim.key)] == ["pay", "bump"]
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
