"""The fixed lane: Circle's own USDC, 6 decimals; bridged look-alikes (USDC.e, Binance-Peg USDC) are never listed."""

from citepress_payments.rails.chains import SOLANA, SOLANA_DEVNET
from citepress_payments.rails.rail import Authorization, ChainAsset, Lane, Rail


def _evm(slug: str, chain: int, asset: str, test: ChainAsset | None = None) -> Rail:
    return Rail(
        slug, Lane.FIXED, "USDC", 6, Authorization.EIP3009, ChainAsset(f"eip155:{chain}", asset, "USD Coin", "2"), test
    )


BASE_USDC = _evm(
    "base-usdc",
    8453,
    "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    ChainAsset("eip155:84532", "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC", "2"),
)
POLYGON = _evm("polygon-usdc", 137, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359")
SOLANA_USDC = Rail(
    "solana-usdc",
    Lane.FIXED,
    "USDC",
    6,
    Authorization.SVM,
    ChainAsset(SOLANA, "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
    ChainAsset(SOLANA_DEVNET, "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"),
    finality="finalized",
    typical_seconds=13,
    retry_after=3,
)
AVALANCHE = _evm("avalanche-usdc", 43114, "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E")
ETHEREUM = _evm("ethereum-usdc", 1, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")
ARBITRUM = _evm(
    "arbitrum-usdc",
    42161,
    "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    ChainAsset("eip155:421614", "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d", "USD Coin", "2"),
)

ALL = (BASE_USDC, POLYGON, SOLANA_USDC, AVALANCHE, ETHEREUM, ARBITRUM)
