"""What a payment rail is: one asset on one network, and how it is authorized."""

from dataclasses import dataclass
from enum import StrEnum

from citepress_payments.families import ChainFamily, family_of
from citepress_payments.rails.chains import Chain, chain_of


class Lane(StrEnum):
    """The three ways to buy; each has its own paths and its own life of a quote."""

    FIXED = "fixed"
    """USDC at the product's own price, several networks in one 402."""
    VOLATILE = "volatile"
    """One token whose amount we work out from its price."""
    NATIVE = "native"
    """The network's own coin, sent by the buyer and proven by its transaction."""


class Authorization(StrEnum):
    """How a buyer authorizes a transfer."""

    EIP3009 = "eip3009"
    PERMIT2 = "permit2"
    SVM = "svm"
    PROOF = "transaction-proof"


EXACT, DIRECT = "exact", "exact-direct"


WRAPPED = {"WETH": "ETH", "wSOL": "SOL"}
"""Assets whose price is that of a coin."""


@dataclass(frozen=True, slots=True)
class ChainAsset:
    """Where an asset lives."""

    network: str
    """CAIP-2 name of the chain."""
    asset: str
    """Address of the token, or ``native``."""
    name: str = ""
    """Name of its EIP-712 domain; the driver compares the domain with the chain's before a rail opens."""
    version: str = ""
    """Version of that domain."""

    @property
    def family(self) -> ChainFamily:
        """The family of its chain."""
        return family_of(self.network)

    @property
    def chain(self) -> Chain:
        """What is declared of its chain. Raises ``UndeclaredChainError``."""
        return chain_of(self.network)


@dataclass(frozen=True, slots=True)
class Rail:
    """A rail as it is declared; nothing of it depends on a deployment."""

    slug: str
    lane: Lane
    symbol: str
    decimals: int
    authorization: Authorization
    main: ChainAsset
    test: ChainAsset | None = None
    """Its identity on a test network; without one it is refused under ``networks = "test"``."""
    finality: str = "latest"
    """When a transfer counts, unless the operator chooses another."""
    typical_seconds: int = 3
    """How long a settlement usually takes."""
    retry_after: int = 3
    """Seconds after which a buyer should look again while a payment is pending."""

    def __post_init__(self) -> None:
        """Refuse a chain that nobody declared, before anything is sold over it."""
        for place in (self.main, self.test):
            if place is not None:
                chain_of(place.network)

    @property
    def scheme(self) -> str:
        """The x402 scheme: ``exact``, or our ``exact-direct`` that stock buyers skip."""
        return DIRECT if self.lane is Lane.NATIVE else EXACT

    @property
    def coin(self) -> str:
        """The coin that pays for gas on its chain."""
        return self.main.chain.coin

    @property
    def coin_decimals(self) -> int:
        """Digits of that coin's smallest unit."""
        return self.main.family.coin_decimals

    @property
    def priced_as_coin(self) -> bool:
        """Whether the price of the asset is the price of the coin that pays for gas."""
        return WRAPPED.get(self.symbol) == self.coin

    @property
    def finalities(self) -> tuple[str, ...]:
        """What an operator may choose."""
        return self.main.family.finalities

    def place(self, networks: str) -> ChainAsset | None:
        """Its identity under ``networks`` (``main`` or ``test``)."""
        return self.main if networks == "main" else self.test
