"""The EVM family: checksummed addresses, and transactions whose data carries the terms hash."""

import hashlib
import re

from citepress_payments import development_accounts
from citepress_payments.families.family import ChainFamily, DriverModule
from citepress_payments.keccak import keccak256

_HERE = "citepress_payments.chains.evm."
_HASH = re.compile(r"0x[0-9a-f]{64}")
_RESERVED = 1 << 32
"""Addresses below it are precompiled contracts, or were typed by hand; nobody holds a key of them."""
_BURNED = frozenset(
    {
        "0x000000000000000000000000000000000000dead",
        "0xdead000000000000000042069420694206942069",
        "0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead",
        "0x" + "e" * 40,
        "0x" + "f" * 40,
    }
)


class EvmFamily(ChainFamily):
    """Ethereum and the chains that run its virtual machine."""

    name = "evm"
    namespace = "eip155"
    pay_to = "pay_to_evm"
    coin_decimals = 18
    finalities = ("latest", "safe", "finalized")
    transaction_shape = "0x and 64 hexadecimal digits"
    drivers = {  # noqa: RUF012  (a table, never changed)
        ("embedded", "exact"): DriverModule(_HERE + "embedded", "payments-evm"),
        ("rpc", "exact-direct"): DriverModule(_HERE + "native", "payments"),
    }
    reader = DriverModule(_HERE + "reader", "payments-facilitator")

    def canonical_address(self, address: str) -> str:
        """With its checksum (EIP-55)."""
        digits = address[2:].lower()
        hashed = keccak256(digits.encode()).hex()
        mixed = (digit.upper() if int(nibble, 16) > 7 else digit for digit, nibble in zip(digits, hashed))  # noqa: B905, PLR2004  (EIP-55)
        return "0x" + "".join(mixed)

    def address_fault(self, address: str, *, main: bool) -> str:
        """Checked by the checksum, which is required where money is real."""
        digits = address[2:]
        if int(digits, 16) == 0:
            return "nobody has a key for the zero address"
        if digits not in {digits.lower(), digits.upper()}:
            fits = address == self.canonical_address(address)
            return "" if fits else "its checksum (EIP-55) does not fit: a digit or the case of a letter is wrong"
        # See "Recipients need a checksum where money is real" in docs/decisions/payments.md.
        if main and any(digit.isalpha() for digit in digits):
            return (
                "the address has no checksum (EIP-55), so a mistyped digit would not be noticed: copy it in mixed case"
            )
        return ""

    def is_unowned(self, address: str) -> bool:
        """Burn addresses and precompiled contracts."""
        return address.lower() in _BURNED or int(address, 16) < _RESERVED

    def is_development_key(self, address: str) -> bool:
        """The accounts of Hardhat, Anvil, Ganache and Truffle."""
        return address.lower() in development_accounts.EVM

    def is_same_address(self, first: str, second: str) -> bool:
        """In whatever case."""
        return first.lower() == second.lower()

    def canonical_transaction(self, text: str) -> str:
        """Its hash in lower case."""
        return text.lower() if _HASH.fullmatch(text.lower()) else ""

    def transaction_id(self, seed: bytes) -> str:
        """A hash."""
        return "0x" + hashlib.sha256(seed).hexdigest()

    def native_carrier(self, terms_hash: str) -> dict[str, str]:
        """As calldata."""
        return {"data": terms_hash}

    def token_carrier(self, terms_hash: str) -> dict[str, str]:
        """Not at all: an authorization has no place for it."""
        del terms_hash
        return {}

    def carries(self, data: str, terms_hash: str) -> bool:
        """Calldata as ``0x`` and digits, in whatever case."""
        return data.lower() == terms_hash


EVM = EvmFamily()
