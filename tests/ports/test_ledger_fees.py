"""What the ledger keeps of network fees, and of fees that nobody knows."""

import sqlalchemy as sa

from citepress_payments.ports.chain import UnknownFee
from citepress_payments.ports.rows import AWAITED, FINAL
from citepress_payments.stores.ledger import SqlLedger
from support.buyers import BUYER, NOW
from support.ledgers import claimed, plan_of, sent
from support.stores import opened

PAID = '{"success":true,"transaction":"0x01"}'
UNKNOWN = UnknownFee("the node does not state the fee")


def test_a_fee_larger_than_64_bits_is_kept_to_the_unit(ledger: SqlLedger) -> None:
    claim = sent(ledger)
    row = ledger.settle(claim.key, claim.quote_id, "0x01", BUYER, PAID, NOW, fee=2**70 + 1)
    assert (row.fee, row.fee_reason) == (str(2**70 + 1), "")


def test_a_fee_that_is_unknown_is_kept_with_its_reason(ledger: SqlLedger) -> None:
    paid, failed = sent(ledger, 1), sent(ledger, 2)
    ledger.settle(paid.key, paid.quote_id, "0x01", BUYER, PAID, NOW, fee=UNKNOWN)
    ledger.fail(failed.key, "authorization_expired", "{}", NOW, fee=UNKNOWN)
    for claim in (paid, failed):
        row = ledger.payment(claim.key)
        assert row
        assert (row.fee, row.fee_reason) == ("", UNKNOWN.reason)


def test_a_fee_becomes_known_once_the_transfer_is_final(ledger: SqlLedger) -> None:
    claim = sent(ledger)
    ledger.settle(claim.key, claim.quote_id, "0x01", BUYER, PAID, NOW, AWAITED, UNKNOWN)
    again = ledger.reclaim(claim.key, "one", NOW + 60)
    assert again
    ledger.confirmed(again, FINAL, NOW + 60, tx="0x01", fee=42)
    row = ledger.payment(claim.key)
    assert row
    assert (row.fee, row.fee_reason, row.finality) == ("42", "", FINAL)


def test_a_look_that_decides_nothing_leaves_the_fee_alone(ledger: SqlLedger) -> None:
    claim = sent(ledger)
    ledger.settle(claim.key, claim.quote_id, "0x01", BUYER, PAID, NOW, AWAITED, 42)
    again = ledger.reclaim(claim.key, "one", NOW + 60)
    assert again
    ledger.confirmed(again, AWAITED, NOW + 60)
    row = ledger.payment(claim.key)
    assert row
    assert row.fee == "42"


def test_solana_payments_of_an_earlier_version_have_an_unknown_fee(address: str) -> None:
    """Version 3 of the tables wrote 0 for every Solana payment, also where we paid the fee."""
    ledger = SqlLedger(opened(address))
    own, others = claimed(ledger, 1, rail="solana-usdc"), claimed(ledger, 2, rail="solana-usdc")
    evm = sent(ledger, 3)
    ledger.journal(own, plan_of("first", raw=b"signed by us"), BUYER, NOW)
    ledger.journal(others, plan_of(""), BUYER, NOW)
    for claim in (own, others, evm):
        ledger.settle(claim.key, claim.quote_id, "tx", BUYER, PAID, NOW)
    with opened(address).writing() as connection:
        connection.execute(sa.text("ALTER TABLE payments DROP COLUMN fee_reason"))
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0003'"))
        connection.execute(sa.text("DROP TABLE payments_version"))  # payments had no history of their own then
    ledger = SqlLedger(opened(address))
    fees = {claim.key: ledger.payment(claim.key) for claim in (own, others, evm)}
    assert [row and row.fee for row in fees.values()] == ["", "0", "0"]
    row = fees[own.key]
    assert row
    assert "earlier version" in row.fee_reason
