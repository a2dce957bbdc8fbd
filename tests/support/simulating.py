"""The simulated chain in a file, drivers over it, and a clock that a test sets."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citepress.contract.paid import PaidRail
from citepress.payments.configuration import ConfiguredRail
from citepress.payments.drivers import DriverContext, driver
from citepress.payments.ports import Driver, Plan, Sent, SimulatedChain
from citepress.payments.rails import BY_SLUG
from citepress.stores.sql.payments.simulated import SqlSimulatedChain
from support.paying import NOW, SELLER
from support.stores import opened


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
    return SqlSimulatedChain(opened(str(folder / "state.sqlite")))


def opened_rail(slug: str, **settings: Any) -> ConfiguredRail:
    """A rail of a demo deployment."""
    rail = BY_SLUG[slug]
    assert rail.test
    return ConfiguredRail(rail, rail.test, SELLER, PaidRail.model_validate({"slug": slug, "driver": "simulated"} | settings), testnet=True)


def simulated(slug: str, chain: SimulatedChain, watch: Watch, **settings: Any) -> Driver:
    """The simulated driver of a rail, made as the application makes it."""
    return driver(DriverContext(opened_rail(slug, **settings), watch, lambda _: None, chain))
