"""The checks of a native transfer that need no chain; every native driver makes them."""

from citepress_payments.families import family_of
from citepress_payments.ports.chain import Identity, PaymentRefused
from citepress_payments.ports.rows import Json, PaymentEntry

LATE = 60
"""Seconds after ``expiresAt`` at which a block may still be."""


def transaction(entry: PaymentEntry, payload: Json) -> str | PaymentRefused:
    """The transaction that a payload names, in its one spelling."""
    text = payload.get("transaction")
    if set(payload) != {"transaction"} or not isinstance(text, str):
        return PaymentRefused("invalid_payload", "payload has the member transaction, a string, and no others")
    family = family_of(str(entry["network"]))
    return family.canonical_transaction(text) or PaymentRefused(
        "invalid_payload", f"transaction is {family.transaction_shape}"
    )


def identity(entry: PaymentEntry, payload: Json) -> Identity | PaymentRefused:
    """The canonical key of a native payment; only the chain knows its payer."""
    tx = transaction(entry, payload)
    return tx if isinstance(tx, PaymentRefused) else Identity(f"native|{entry['network']}|{tx}", "")


def fault(entry: PaymentEntry, to: str, value: int, data: str) -> PaymentRefused | None:
    """What is wrong with a transfer that succeeded: its recipient, its exact amount or its terms hash.

    ``data`` is the calldata as ``0x`` and hexadecimal digits (EVM), or the memo (Solana).
    """
    family = family_of(str(entry["network"]))
    if not family.is_same_address(to, str(entry["payTo"])):
        return PaymentRefused("recipient_mismatch", "the transfer is not to payTo")
    if value != int(entry["amount"]):
        return PaymentRefused("amount_mismatch", "the transfer is not of the amount")
    # Anybody can point at a transfer: only the hash in it ties it to this very quote.
    if not family.carries(data, str(entry["extra"]["termsHash"])):
        return PaymentRefused("terms_hash_mismatch", "the transfer does not carry the terms hash")
    return None


def too_late(entry: PaymentEntry, block_time: int) -> PaymentRefused | None:
    """Whether a final transfer came after its quote had ended."""
    # The time of the block decides, not that of the claim: whoever paid in time may show it a day later.
    if block_time <= int(entry["extra"]["expiresAt"]) + LATE:
        return None
    return PaymentRefused("paid_too_late", f"the block is more than {LATE} seconds after expiresAt")
