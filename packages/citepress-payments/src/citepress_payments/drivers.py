"""Loads drivers by name, so that an installation needs only the chain libraries that it uses."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Protocol, cast

from citepress.base.errors import CitepressError
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.families import DriverModule
from citepress_payments.ports.chain import Driver
from citepress_payments.ports.prices import Clock, ProbePoint
from citepress_payments.ports.rows import Json, PaymentEntry


def unlisted(_entry: PaymentEntry) -> Json:
    """What a catalogue lists of an entry whose product is unknown: nothing."""
    return {}


@dataclass(frozen=True, slots=True)
class DriverContext:
    """What a driver is made of; every driver module has ``def driver(context) -> Driver``."""

    opened: ConfiguredRail
    """The rail, its place on the chain, whom it pays and its settings."""
    clock: Clock
    probe: ProbePoint
    state: object = None
    """The state store of the process, for a driver that keeps something there: payments are below the stores, and do
    not know its type."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Where secrets are that a setting names."""
    listing: Callable[[PaymentEntry], Json] = unlisted
    """What a facilitator's catalogue may list of an entry (``discovery.Catalogue``)."""


# See "The simulated chain is a package that payments load by name" in docs/decisions/payments.md.
SIMULATED = DriverModule("citepress_payments.simulated_chain.driver", "payments")
DRIVER_TABLE = {
    ("simulated", "exact"): SIMULATED,
    ("simulated", "exact-direct"): SIMULATED,
    ("facilitator", "exact"): DriverModule("citepress_payments.senders.facilitator", "payments-facilitator"),
}
"""Drivers that suit every family, by their name in ``site.toml`` and the rail's scheme."""
BUYER = DriverModule("citepress_payments.simulated_chain.buyer", "payments")


class DriverMissingError(CitepressError):
    """A driver cannot be loaded, or not with these settings; the sentence says what to install or to correct."""

    def __init__(self, sentence: str, member: str = "driver", *, absent: bool = False) -> None:
        """``member``: the setting of the rail.

        ``absent``: something is not on this machine, and may be on the one that serves.
        """
        super().__init__(sentence)
        self.member, self.absent = member, absent


def driver(context: DriverContext) -> Driver:
    """The driver of a rail. Raises ``DriverMissingError``."""
    return maker(context.opened)(context)


def maker(opened: ConfiguredRail) -> Callable[[DriverContext], Driver]:
    """What makes the driver of a rail, loaded. Raises ``DriverMissingError``."""
    driver_and_scheme = (opened.settings.driver, opened.rail.scheme)
    source = DRIVER_TABLE.get(driver_and_scheme) or opened.place.family.drivers.get(driver_and_scheme)
    if source is None:
        raise DriverMissingError(f"the rail {opened.slug} has no driver {opened.settings.driver}")
    make: Callable[[DriverContext], Driver] = load(source, f"the driver {opened.settings.driver}").driver
    return make


class Buyer(Protocol):
    """A buyer for tests; ``drivers.buyer`` is one."""

    def pay(self, entry: PaymentEntry, now: int, random: Callable[[int], bytes], key: str = ...) -> Json:
        """The payload that pays an entry by a signature."""
        ...

    def transfer(self, entry: PaymentEntry, key: str, url: str) -> Json:
        """Make a native transfer and give the payload that proves it. Raises ``ValueError``."""
        ...


def test_buyer() -> Buyer:
    """What pays in tests. Raises ``DriverMissingError``."""
    return cast("Buyer", load(BUYER, "the buyer of tests"))


def load(source: DriverModule, what: str) -> ModuleType:
    """A module that may need an extra; ``what`` needs it. Raises ``DriverMissingError``."""
    depth = sys.getrecursionlimit()
    try:
        return import_module(source.module)
    except ModuleNotFoundError as missing:
        raise DriverMissingError(
            f"{what} needs {missing.name}: pip install 'citepress[{source.extra}]'", absent=True
        ) from missing
    finally:
        sys.setrecursionlimit(
            depth
        )  # a library of the chains raises it so far that a deeply nested text would overflow the stack
