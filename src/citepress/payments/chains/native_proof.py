"""What a native transfer must be, whichever chain tells of it: the pure part of the checks that every native driver makes."""

import re

from citepress.payments.ports import Entry, Identity, Json, PaymentRefused

LATE = 60
"""Seconds after ``expiresAt`` at which a block may still be."""
_EVM = re.compile(r"0x[0-9a-f]{64}")
_SVM = re.compile(r"[1-9A-HJ-NP-Za-km-z]{64,88}")
"""64 bytes in base 58."""


def transaction(entry: Entry, payload: Json) -> str | PaymentRefused:
    """The transaction that a payload names: a hash in lower case, or a Solana signature."""
    named = payload.get("transaction")
    if set(payload) != {"transaction"} or not isinstance(named, str):
        return PaymentRefused("invalid_payload", "payload has the member transaction, a string, and no others")
    evm = str(entry["network"]).startswith("eip155:")
    tx = named.lower() if evm else named
    if not (_EVM if evm else _SVM).fullmatch(tx):
        return PaymentRefused(
            "invalid_payload", "transaction is 0x and 64 hexadecimal digits" if evm else "transaction is a signature in base 58"
        )
    return tx


def identity(entry: Entry, payload: Json) -> Identity | PaymentRefused:
    """The canonical key of a native payment; only the chain tells its payer."""
    tx = transaction(entry, payload)
    return tx if isinstance(tx, PaymentRefused) else Identity(f"native|{entry['network']}|{tx}", "")


def fault(entry: Entry, to: str, value: int, data: str) -> PaymentRefused | None:
    """What is wrong with a transfer that succeeded: recipient, amount (neither less nor more), and the terms hash that it carries.

    ``data`` is the calldata as ``0x`` and hexadecimal digits (EVM), or the memo (Solana).
    """
    evm = str(entry["network"]).startswith("eip155:")
    pay_to, hashed = str(entry["payTo"]), str(entry["extra"]["termsHash"])
    if (to.lower() != pay_to.lower()) if evm else (to != pay_to):
        return PaymentRefused("recipient_mismatch", "the transfer is not to payTo")
    if value != int(entry["amount"]):
        return PaymentRefused("amount_mismatch", "the transfer is not of the amount")
    if (data.lower() != hashed) if evm else (data != hashed.removeprefix("0x")):
        return PaymentRefused("terms_hash_mismatch", "the transfer does not carry the terms hash")
    return None


def too_late(entry: Entry, block_time: int) -> PaymentRefused | None:
    """Whether a final transfer came after its quote had ended."""
    if block_time <= int(entry["extra"]["expiresAt"]) + LATE:
        return None
    return PaymentRefused("paid_too_late", f"the block is more than {LATE} seconds after expiresAt")
