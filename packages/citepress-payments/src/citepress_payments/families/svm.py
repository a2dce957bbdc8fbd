"""The Solana family: base 58, and memos that carry the terms hash."""

import hashlib
import re

from citepress_payments import development_accounts
from citepress_payments.base58 import base58, is_point, unbase58
from citepress_payments.families.family import ChainFamily, DriverModule

_HERE = "citepress_payments.chains.svm."
_SIGNATURE = re.compile(r"[1-9A-HJ-NP-Za-km-z]{64,88}")
"""64 bytes in base 58."""
_KEY_BYTES = 32
_BURNED = frozenset({"1nc1nerator11111111111111111111111111111111", "11111111111111111111111111111111"})
SPL_MEMO_DIGITS = 32
"""Digits of the terms hash in an SPL memo: stock buyers fix a compute limit that longer memos exceed."""


class SvmFamily(ChainFamily):
    """Clusters of Solana."""

    name = "svm"
    namespace = "solana"
    pay_to = "pay_to_svm"
    coin_decimals = 9
    finalities = ("finalized",)
    transaction_shape = "a signature in base 58"
    drivers = {  # noqa: RUF012  (a table, never changed)
        ("embedded", "exact"): DriverModule(_HERE + "embedded", "payments-svm"),
        ("rpc", "exact-direct"): DriverModule(_HERE + "native", "payments"),
    }
    reader = DriverModule(_HERE + "reader", "payments-facilitator")

    def canonical_address(self, address: str) -> str:
        """As it is: base 58 has one spelling."""
        return address

    def address_fault(self, address: str, *, main: bool) -> str:
        """Checked by length and curve; base 58 has no checksum."""
        del main
        data = unbase58(address)
        if len(data) != _KEY_BYTES:
            return f"it holds {len(data)} bytes, and an address of Solana {_KEY_BYTES}"
        if not is_point(data):
            return (
                "it is not a point of ed25519, so no wallet has a key of it: a letter is wrong, or it is a program's"
                " account"
            )
        return ""

    def is_unowned(self, address: str) -> bool:
        """The incinerator and the system program."""
        return address in _BURNED

    def is_development_key(self, address: str) -> bool:
        """Accounts of published mnemonics and seeds."""
        return address in development_accounts.SVM

    def is_same_address(self, first: str, second: str) -> bool:
        """Letter by letter."""
        return first == second

    def canonical_transaction(self, text: str) -> str:
        """Its first signature."""
        return text if _SIGNATURE.fullmatch(text) else ""

    def transaction_id(self, seed: bytes) -> str:
        """64 bytes in base 58."""
        return base58(b"\x01" + hashlib.sha512(seed).digest()[1:])

    def native_carrier(self, terms_hash: str) -> dict[str, str]:
        """As a memo."""
        return {"memo": terms_hash.removeprefix("0x")}

    def token_carrier(self, terms_hash: str) -> dict[str, str]:
        """As a short memo."""
        return {"memo": terms_hash.removeprefix("0x")[:SPL_MEMO_DIGITS]}

    def carries(self, data: str, terms_hash: str) -> bool:
        """A memo, letter by letter."""
        return data == terms_hash.removeprefix("0x")


SVM = SvmFamily()
