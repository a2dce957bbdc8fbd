"""The simulated chain's facts: its networks, its published buyer, what that buyer begins with, and how its transactions are named."""

import hashlib

from citepress.contract.paid import TEST_BUYER, TEST_BUYER_KEY
from citepress.payments.base58 import base58
from citepress.payments.ports import Entry, SimulatedChain
from citepress.payments.rails import ALL
from citepress.payments.rails.usdc import SOLANA_DEVNET

NETWORKS = frozenset([*(f"eip155:{chain}" for chain in (84532, 97, 31337, 43113, 80002, 421614, 11155111)), SOLANA_DEVNET])
"""Test networks only: a signature for a main network would be a bearer cheque."""
BUYER, BUYER_KEY = TEST_BUYER, TEST_BUYER_KEY
"""The well-known second development account, published for whoever tries the demo."""
BUYER_SVM = "2cJMWb3YRJv1MiqmKGYZTvMo6otrL7Y2rign9H1Na1EA"
"""The buyer on the simulated Solana: nobody knows a key of it, and none is needed."""
FINAL_AFTER = 3
"""Blocks, of one second each, after which a block is final."""
COIN_SEED, TOKEN_SEED = 10**21, 10**12
"""Units that the buyer begins with: of assets with 18 decimals, and of others."""
_NAMING = b"citepress-simulated-1\n"


def opening_balance(network: str, asset: str, account: str) -> int:
    """What an account holds of a declared test asset before its first transfer; names as they are kept (``canonical``)."""
    if network not in NETWORKS or account not in {canonical(BUYER), BUYER_SVM}:
        return 0
    for rail in ALL:
        if rail.test and (rail.test.network, canonical(rail.test.asset)) == (network, asset):
            return COIN_SEED if rail.decimals >= 18 else TOKEN_SEED  # noqa: PLR2004  (wei)
    return 0


def canonical(name: str) -> str:
    """An address, asset or id as the chain keeps it: hexadecimal in lower case, base 58 as it is."""
    return name.lower() if name[:2] in {"0x", "0X"} else name


def transaction_id(key: str) -> str:
    """The id of the transaction that a payment key makes: the same each time."""
    return "0x" + hashlib.sha256(_NAMING + key.encode()).hexdigest()


def send_native(
    chain: SimulatedChain, entry: Entry, payer: str, now: int, *,
    nonce: int = 0, to: str | None = None, amount: int | None = None, data: str | None = None,
) -> str:  # fmt: skip
    """Make the plain transfer that a native entry asks for, at block ``now``; return its transaction id.

    ``nonce`` tells transfers apart that are alike. Raises ``ValueError`` with the chain's code, and ``StoreUnavailable``.
    """
    network, extra = str(entry["network"]), entry["extra"]
    payee, units = to or str(entry["payTo"]), int(entry["amount"]) if amount is None else amount
    carried = str(extra["data"] if "data" in extra else extra["memo"]) if data is None else data
    tx = _native_id(network, f"transfer|{network}|{canonical(payer)}|{canonical(payee)}|{units}|{carried}|{nonce}")
    return chain.transfer(network, str(entry["asset"]), payer, payee, units, f"native|{tx}", tx, carried, now)


def _native_id(network: str, key: str) -> str:
    """A hash on EVM chains; on Solana the first signature, 64 bytes in base 58."""
    if network.startswith("eip155:"):
        return transaction_id(key)
    return base58(b"\x01" + hashlib.sha512(_NAMING + key.encode()).digest()[1:])
