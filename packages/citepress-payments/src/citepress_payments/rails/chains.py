"""The chains of all rails: what pays for gas on each, and what it asks for the data of a transaction."""

from dataclasses import dataclass
from enum import Enum
from importlib.resources import files

from pydantic import TypeAdapter

from citepress.base.errors import CitepressError

SOLANA, SOLANA_DEVNET = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"


class DataFee(Enum):
    """What a chain asks, beside its own gas, for the data that it writes to the chain below."""

    NONE = "none"
    OP_STACK = "op-stack"
    ARBITRUM = "arbitrum"


class UndeclaredChainError(CitepressError):
    """A rail on a chain that nobody declared: its coin and its data fee would be guesses."""


@dataclass(frozen=True, slots=True)
class Chain:
    """One network. Neither its coin nor its data fee has a default: a wrong one sells below cost."""

    network: str
    """CAIP-2 name."""
    coin: str
    """What pays for gas."""
    data_fee: DataFee


ALL = TypeAdapter(tuple[Chain, ...]).validate_json(files(__package__).joinpath("chains.json").read_bytes())
BY_NETWORK = {chain.network: chain for chain in ALL}


def chain_of(network: str) -> Chain:
    """What is declared of a network. Raises ``UndeclaredChainError``."""
    if network not in BY_NETWORK:
        raise UndeclaredChainError(
            f"the chain {network} is not declared: add its coin and its data fee to payments/rails/chains.json"
        )
    return BY_NETWORK[network]
