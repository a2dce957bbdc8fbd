"""The simulated chain: its networks, its published buyer with an opening balance, and its transaction ids."""

from citepress_payments.families import EVM
from citepress_payments.rails import ALL
from citepress_payments.rails.chains import SOLANA_DEVNET
from citepress_payments.settings import TEST_BUYER, TEST_BUYER_KEY

NETWORKS = frozenset(
    [*(f"eip155:{chain}" for chain in (84532, 97, 31337, 43113, 80002, 421614, 11155111)), SOLANA_DEVNET]
)
"""Test networks only: a signature for a main network would be a bearer cheque."""
BUYER, BUYER_KEY = TEST_BUYER, TEST_BUYER_KEY
"""The well-known second development account, published for whoever tries the demo."""
BUYER_SVM = "2cJMWb3YRJv1MiqmKGYZTvMo6otrL7Y2rign9H1Na1EA"
"""The buyer on the simulated Solana: nobody knows a key of it, and none is needed."""
FINAL_AFTER = 3
"""Blocks, of one second each, after which a block is final."""
COIN_SEED, TOKEN_SEED = 10**21, 10**12
"""Units that the buyer begins with: of assets with 18 decimals, and of others."""
NAMING = b"citepress-simulated-1\n"


def opening_balance(network: str, asset: str, account: str) -> int:
    """What an account holds of a declared test asset before its first transfer.

    Names as they are kept (``canonical``).
    """
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
    return EVM.transaction_id(NAMING + key.encode())
