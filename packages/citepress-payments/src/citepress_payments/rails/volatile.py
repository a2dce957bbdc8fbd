"""The volatile lane: EURC, WETH, cbBTC and wrapped SOL, whose amounts follow a price."""

from citepress_payments.rails.chains import SOLANA
from citepress_payments.rails.rail import Authorization, ChainAsset, Lane, Rail

CHAINS = {"base": 8453, "ethereum": 1, "avalanche": 43114, "optimism": 10, "arbitrum": 42161, "polygon": 137}
CBBTC_ASSET = "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf"
PREDEPLOYED_WETH = "0x4200000000000000000000000000000000000006"
"""The same address on every chain of the OP stack."""


def _eurc(chain: str, asset: str, name: str) -> Rail:
    return Rail(
        f"{chain}-eurc",
        Lane.VOLATILE,
        "EURC",
        6,
        Authorization.EIP3009,
        ChainAsset(f"eip155:{CHAINS[chain]}", asset, name, "2"),
    )


def _weth(chain: str, asset: str, test: ChainAsset | None = None) -> Rail:
    return Rail(
        f"{chain}-weth",
        Lane.VOLATILE,
        "WETH",
        18,
        Authorization.PERMIT2,
        ChainAsset(f"eip155:{CHAINS[chain]}", asset),
        test,
    )


def _cbbtc(chain: str) -> Rail:
    place = ChainAsset(f"eip155:{CHAINS[chain]}", CBBTC_ASSET, "Coinbase Wrapped BTC", "2")
    return Rail(f"{chain}-cbbtc", Lane.VOLATILE, "cbBTC", 8, Authorization.EIP3009, place)


def _solana(name: str, symbol: str, decimals: int, mint: str) -> Rail:
    return Rail(
        f"solana-{name}",
        Lane.VOLATILE,
        symbol,
        decimals,
        Authorization.SVM,
        ChainAsset(SOLANA, mint),
        finality="finalized",
        typical_seconds=13,
    )


ALL = (
    _eurc("base", "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42", "EURC"),
    _eurc("ethereum", "0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c", "Euro Coin"),
    _eurc("avalanche", "0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD", "Euro Coin"),
    _weth("base", PREDEPLOYED_WETH, ChainAsset("eip155:84532", PREDEPLOYED_WETH)),
    _weth("optimism", PREDEPLOYED_WETH),
    _weth("ethereum", "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"),
    _weth("arbitrum", "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1"),
    _weth("polygon", "0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619"),
    _cbbtc("base"),
    _cbbtc("ethereum"),
    _cbbtc("arbitrum"),
    _solana("eurc", "EURC", 6, "HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr"),
    _solana("cbbtc", "cbBTC", 8, "cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMij"),
    _solana("wsol", "wSOL", 9, "So11111111111111111111111111111111111111112"),
)
