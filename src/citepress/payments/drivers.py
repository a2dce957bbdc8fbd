"""The drivers: what reaches a chain or a chain library, loaded by name, so that an installation needs only what it uses."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Protocol, cast

from citepress.payments.configuration import ConfiguredRail
from citepress.payments.ports import Clock, Driver, Entry, Json, Probe, SimulatedChain


def unlisted(_entry: Entry) -> Json:
    """What is listed of an entry where nobody says what it sells: nothing."""
    return {}


@dataclass(frozen=True, slots=True)
class DriverContext:
    """What a driver is made of; every driver module has ``def driver(materials) -> Driver``."""

    opened: ConfiguredRail
    """The rail, its place on the chain, whom it pays and its settings."""
    clock: Clock
    probe: Probe
    simulated: SimulatedChain | None = None
    """The chain of the demo, for the simulated driver."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Where secrets are that a setting names."""
    listing: Callable[[Entry], Json] = unlisted
    """What a facilitator's catalogue may list of an entry (``discovery.Catalogue``)."""


@dataclass(frozen=True, slots=True)
class DriverModule:
    """Where a driver lives, and the extra that brings what it imports."""

    module: str
    extra: str


_HERE = "citepress.payments."
TABLE = {
    ("simulated", "exact"): DriverModule(_HERE + "chains.simulated.exact", "payments"),
    ("simulated", "exact-direct"): DriverModule(_HERE + "chains.simulated.exact", "payments"),
    ("facilitator", "exact"): DriverModule(_HERE + "senders.facilitator", "payments-facilitator"),
    ("embedded", "exact", "evm"): DriverModule(_HERE + "chains.evm.exact", "payments-evm"),
    ("embedded", "exact", "svm"): DriverModule(_HERE + "chains.svm.exact", "payments-svm"),
    ("rpc", "exact-direct", "evm"): DriverModule(_HERE + "chains.evm.native", "payments"),
    ("rpc", "exact-direct", "svm"): DriverModule(_HERE + "chains.svm.native", "payments"),
}
"""By the name in ``site.toml``, the rail's scheme, and its family where that decides."""
BUYER = DriverModule(_HERE + "chains.simulated.buyer", "payments")


class DriverMissingError(Exception):
    """A driver cannot be loaded, or not with these settings; the sentence says what to install or to correct."""

    def __init__(self, sentence: str, member: str = "driver", *, absent: bool = False) -> None:
        """``member``: the setting of the rail; ``absent``: something is not on this machine, and may be on the one that serves."""
        super().__init__(sentence)
        self.member, self.absent = member, absent


def driver(materials: DriverContext) -> Driver:
    """The driver of a rail. Raises ``DriverMissingError``."""
    return maker(materials.opened)(materials)


def maker(opened: ConfiguredRail) -> Callable[[DriverContext], Driver]:
    """What makes the driver of a rail, loaded. Raises ``DriverMissingError``."""
    sort = (opened.settings.driver, opened.rail.scheme)
    source = TABLE.get(sort) or TABLE.get((*sort, opened.place.family))
    if source is None:
        raise DriverMissingError(f"the rail {opened.slug} has no driver {opened.settings.driver}")
    make: Callable[[DriverContext], Driver] = _loaded(source, f"the driver {opened.settings.driver} of the rail {opened.slug}").driver
    return make


class Buyer(Protocol):
    """A buyer for tests; ``drivers.buyer`` is one."""

    def pay(self, entry: Entry, now: int, random: Callable[[int], bytes], key: str = ...) -> Json:
        """The payload that pays an entry by a signature."""
        ...

    def transfer(self, entry: Entry, key: str, url: str) -> Json:
        """Make a native transfer and give the payload that proves it. Raises ``ValueError``."""
        ...


def test_buyer() -> Buyer:
    """What pays in tests. Raises ``DriverMissingError``."""
    return cast("Buyer", _loaded(BUYER, "the buyer of tests"))


def _loaded(source: DriverModule, what: str) -> ModuleType:
    depth = sys.getrecursionlimit()
    try:
        return import_module(source.module)
    except ModuleNotFoundError as missing:
        raise DriverMissingError(f"{what} needs {missing.name}: pip install 'citepress[{source.extra}]'", absent=True) from missing
    finally:
        sys.setrecursionlimit(depth)  # a library of the chains raises it so far that a deeply nested text would overflow the stack
