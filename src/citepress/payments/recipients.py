"""Who may be paid: an address that was copied whole, and that nobody else holds the key of; pure."""

from citepress.contract.paid import SIMULATED_SELLER
from citepress.payments import development_accounts
from citepress.payments.base58 import is_point, unbase58
from citepress.payments.keccak import keccak256
from citepress.payments.permit2 import PERMIT2, PERMIT2_PROXY
from citepress.payments.rails import ALL

_KEY_BYTES = 32
_RESERVED = 1 << 32
"""EVM addresses below it are precompiled contracts, or were typed by hand; nobody holds a key of them."""
_BURNED_EVM = frozenset({
    "0x000000000000000000000000000000000000dead", "0xdead000000000000000042069420694206942069",
    "0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead", "0x" + "e" * 40, "0x" + "f" * 40,
})  # fmt: skip
_BURNED_SVM = frozenset({"1nc1nerator11111111111111111111111111111111", "11111111111111111111111111111111"})
_MACHINERY = frozenset({PERMIT2.lower(), PERMIT2_PROXY.lower()})
_ASSETS = frozenset(place.asset.lower() for rail in ALL for place in (rail.main, rail.test) if place)


def checksummed(address: str) -> str:
    """An EVM address in its one spelling (EIP-55)."""
    digits = address[2:].lower()
    hashed = keccak256(digits.encode()).hex()
    return "0x" + "".join(digit.upper() if int(hashed[place], 16) >= 8 else digit for place, digit in enumerate(digits))  # noqa: PLR2004  (EIP-55)


def development_key(address: str) -> bool:
    """Whether the private key of an account is public, on EVM chains or Solana."""
    return address.lower() in development_accounts.EVM or address in development_accounts.SVM


def recipient_fault(family: str, address: str, *, main: bool, simulated: bool) -> str:
    """Why ``address`` may not be paid; empty where it may. ``simulated``: no chain stands behind the rail."""
    wrong = _evm_shape(address, main=main) if family == "evm" else _svm_shape(address)
    if wrong:
        return wrong
    if address.lower() == SIMULATED_SELLER.lower() and not simulated:
        return "this is the placeholder of `citepress payments init`, which nobody holds: write an address of your own"
    return _held_by_others(address) if main else ""


def _evm_shape(address: str, *, main: bool) -> str:
    digits = address[2:]
    if int(digits, 16) == 0:
        return "nobody holds the zero address"
    if digits in {digits.lower(), digits.upper()}:
        unsure = main and any(digit.isalpha() for digit in digits)
        return "the address has no checksum (EIP-55), so a mistyped digit would not be noticed: copy it in mixed case" if unsure else ""
    return "" if address == checksummed(address) else "its checksum (EIP-55) does not fit: a digit or the case of a letter is wrong"


def _svm_shape(address: str) -> str:
    data = unbase58(address)
    if len(data) != _KEY_BYTES:
        return f"it holds {len(data)} bytes, and an address of Solana {_KEY_BYTES}"
    return (
        "" if is_point(data) else "it is no point of ed25519, so no wallet has a key of it: a letter is wrong, or it is a program's account"
    )


def _held_by_others(address: str) -> str:
    lower = address.lower()
    if development_key(address):
        return "its private key is public: it is an account of a development mnemonic, and whoever looks first would take the money"
    if lower in _BURNED_EVM or address in _BURNED_SVM or (lower.startswith("0x") and int(lower, 16) < _RESERVED):
        return "nobody holds a key of this address: what is paid to it is lost"
    if lower in _MACHINERY:
        return "this is a contract that payments pass through: what is paid to it is lost"
    return "this is the contract of a token: what is paid to it is lost" if lower in _ASSETS else ""
