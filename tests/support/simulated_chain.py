"""The simulated chain in a file, drivers over it, and a clock that a test sets."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citepress_payments.configuration import ConfiguredRail
from citepress_payments.drivers import DriverContext, driver
from citepress_payments.ports.chain import Driver, Identity, Plan, Sent
from citepress_payments.rails import BY_SLUG
from citepress_payments.settings import PaidRail
from citepress_payments.simulated_chain.store import SqlSimulatedChain
from support.buyers import NOW, SELLER
from support.stores import opened_copy

TRANSACTION = "0x9bfe443c692877395d3114dffc11a38a4ba339d57ee85addde6117f1105e4c85"
NONCE = "0x0e21ecc186b0f4a3f098c04238dfb3e20ba9f5a540c0e5ff1b2d7290ec2a123d"
VECTOR = {
    "authorization": {
        "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        "to": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
        "value": "50000",
        "validAfter": "0",
        "validBefore": "1795238700",
        "nonce": NONCE,
    },
    "signature": (
        "0x51bf9310385cfc175b339d2236dbce518746d1d8096dca2e7112750a66b09ae4577b3d3285a70dbec78ee2aab4e5ead11cac96416905fee74412ef22304d91dd1b"
    ),
}
"""What the published buyer signs in the first example of the design."""


@dataclass
class Watch:
    """A clock that stands still until it is set."""

    now: int = NOW

    def __call__(self) -> int:
        return self.now


@dataclass
class Book:
    """A journal in memory, for drivers: it allocates nothing and remembers what it was told."""

    sent: list[Sent] = field(default_factory=list)

    def __call__(self, plan: Plan) -> Sent:
        self.sent.append(Sent(len(self.sent) + 1, plan.tx, plan.raw, plan.signer, plan.nonce, plan.kind, NOW))
        return self.sent[-1]


def chain_in(folder: Path) -> SqlSimulatedChain:
    """A new simulated chain in a file of its own."""
    return SqlSimulatedChain(opened_copy(str(folder / "state.sqlite")))


def opened_rail(slug: str, **settings: Any) -> ConfiguredRail:
    """A rail of a demo deployment."""
    rail = BY_SLUG[slug]
    assert rail.test
    return ConfiguredRail(
        rail, rail.test, SELLER, PaidRail.model_validate({"slug": slug, "driver": "simulated"} | settings), testnet=True
    )


def simulated(slug: str, chain: SqlSimulatedChain, watch: Watch, **settings: Any) -> Driver:
    """The simulated driver of a rail, made as the application makes it."""
    return driver(DriverContext(opened_rail(slug, **settings), watch, lambda _: None, chain.database))


def identity_of(driver_: Driver, entry: Any, payload: Any) -> Identity:
    """The identity of a payment that is in shape."""
    identity = driver_.identify(entry, payload)
    assert isinstance(identity, Identity), identity
    return identity
