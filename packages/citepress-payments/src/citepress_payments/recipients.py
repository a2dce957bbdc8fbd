"""Who may be paid: an address that was copied whole, and that nobody else holds the key of; pure."""

from citepress_payments.families import ChainFamily
from citepress_payments.permit2 import PERMIT2, PERMIT2_PROXY
from citepress_payments.rails import ALL
from citepress_payments.settings import SIMULATED_SELLER

_MACHINERY = frozenset({PERMIT2.lower(), PERMIT2_PROXY.lower()})
_ASSETS = frozenset(place.asset.lower() for rail in ALL for place in (rail.main, rail.test) if place)


def recipient_fault(family: ChainFamily, address: str, *, main: bool, simulated: bool) -> str:
    """Why ``address`` may not be paid; empty where it may. ``simulated``: the rail has no chain."""
    fault = family.address_fault(address, main=main)
    if fault:
        return fault
    if address.lower() == SIMULATED_SELLER.lower() and not simulated:
        return "this is the placeholder of `citepress payments init`, for which nobody has a key: set your own address"
    return _held_by_others(family, address) if main else ""


def _held_by_others(family: ChainFamily, address: str) -> str:
    if family.is_development_key(address):
        return (
            "its private key is public: it is an account of a development mnemonic, and whoever looks first would take"
            " the money"
        )
    if family.is_unowned(address):
        return "nobody has a key for this address: payments to it are lost"
    if address.lower() in _MACHINERY:
        return "this is a contract that payments pass through: what is paid to it is lost"
    return "this is the contract of a token: what is paid to it is lost" if address.lower() in _ASSETS else ""
