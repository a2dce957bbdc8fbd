"""The native lane: a transfer of the network's own coin that carries the terms hash, proven by its transaction."""

from citepress_payments.rails.chains import SOLANA, SOLANA_DEVNET
from citepress_payments.rails.rail import Authorization, ChainAsset, Lane, Rail

ASSET = "native"


def _evm(slug: str, symbol: str, main: int, test: int, typical: int, retry_after: int) -> Rail:
    return Rail(
        slug,
        Lane.NATIVE,
        symbol,
        18,
        Authorization.PROOF,
        ChainAsset(f"eip155:{main}", ASSET),
        ChainAsset(f"eip155:{test}", ASSET),
        finality="finalized",
        typical_seconds=typical,
        retry_after=retry_after,
    )


ALL = (
    _evm("bsc-bnb", "BNB", 56, 97, 4, 2),
    _evm("avalanche-avax", "AVAX", 43114, 43113, 2, 2),
    _evm("polygon-pol", "POL", 137, 80002, 30, 5),
    _evm("base-eth", "ETH", 8453, 84532, 1200, 60),
    _evm("ethereum-eth", "ETH", 1, 11155111, 900, 60),
    Rail(
        "solana-sol",
        Lane.NATIVE,
        "SOL",
        9,
        Authorization.PROOF,
        ChainAsset(SOLANA, ASSET),
        ChainAsset(SOLANA_DEVNET, ASSET),
        finality="finalized",
        typical_seconds=13,
        retry_after=5,
    ),
)
