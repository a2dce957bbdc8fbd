"""Opens the rails of a ``[payments]`` table, and the payment system over them.

Each rail is opened separately: one that cannot open has a reason and does not keep the others from selling.
"""

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from citepress.base.clock import unix_now
from citepress.contract.limits import Counters
from citepress_payments.configuration import ClosedRail, Configuration, ConfiguredRail
from citepress_payments.drivers import DriverContext, DriverMissingError, driver
from citepress_payments.fees import FeeWatch
from citepress_payments.limits import Quotas
from citepress_payments.open_rails import OpenRail, RailRegistry
from citepress_payments.pool import Pool
from citepress_payments.ports.prices import Clock, ProbePoint
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.quotes import Quotes
from citepress_payments.rail_checks import closed_rail, prices_of, unprobed
from citepress_payments.recovery import Recovery
from citepress_payments.service import PaymentService
from citepress_payments.settings import Payments
from citepress_payments.settlement import Settlement, Timer
from citepress_payments.stores.ledger import SqlLedger

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Host:
    """What the payment system needs of the process that runs it; tests replace the parts that are not deterministic."""

    at: Clock = unix_now
    probe: ProbePoint = unprobed
    random: Callable[[int], bytes] = secrets.token_bytes
    timer: Timer = field(default_factory=Timer)


@dataclass(frozen=True, slots=True)
class PaymentSystem:
    """Everything that sells, in one process."""

    configuration: Configuration
    ledger: SqlLedger
    rails: RailRegistry
    service: PaymentService
    recovery: Recovery
    keep_paid_days: int | None


@dataclass(frozen=True, slots=True)
class PaymentStores:
    """Where payments are kept and clients are counted."""

    ledger: SqlLedger
    state: object
    """What a driver may keep something in (``DriverContext.state``)."""
    counters: Counters
    client_hash: Callable[[str], bytes]
    """A keyed hash: quotes never hold an address."""


def open_payments(
    terms: Payments,
    configuration: Configuration,
    stores: PaymentStores,
    listing: Callable[[PaymentEntry], Json],
    host: Host,
) -> PaymentSystem:
    """The payment system over its stores. ``listing`` describes the product of an entry for payment catalogs."""
    opened, closed = open_rails(configuration, host, stores.state, listing)
    rails = RailRegistry(opened, stores.ledger, host.at, closed, max(configuration.prices.values(), default=0))
    # New at every start: leases of a process that died are never taken for this one's.
    owner, quotas = secrets.token_hex(8), Quotas(stores.counters)
    settlement = Settlement(stores.ledger, rails, quotas, host.at, owner, host.probe, host.timer)
    quotes = Quotes(
        stores.ledger,
        rails,
        configuration.prices,
        stores.client_hash,
        host.at,
        host.probe,
        host.random,
        terms.max_unpaid_mb * MEGABYTE,
    )
    service = PaymentService(quotes, settlement, quotas, rails, Pool())
    recovery = Recovery(stores.ledger, settlement, rails, host.at, owner)
    return PaymentSystem(configuration, stores.ledger, rails, service, recovery, terms.keep_paid_days)


def open_rails(
    configuration: Configuration, host: Host, state: object, listing: Callable[[PaymentEntry], Json]
) -> tuple[list[OpenRail], list[ClosedRail]]:
    """Every rail that opens, with its driver and its price, and those that do not."""
    opened, closed = [], list(configuration.closed)
    for rail in configuration.rails:
        try:
            opened.append(_open(rail, DriverContext(rail, host.at, host.probe, state, os.environ, listing)))
        except DriverMissingError as missing:
            closed.append(closed_rail(rail, missing))
    return opened, closed


def _open(rail: ConfiguredRail, context: DriverContext) -> OpenRail:
    """A rail with its driver, its price and its fee. Raises ``DriverMissingError``."""
    rail_driver, prices = driver(context), prices_of(rail, "prices")
    priced_alike = rail.rail.priced_as_coin and not rail.settings.gas_prices
    coin_prices = prices if priced_alike else prices_of(rail, "gas_prices")
    return OpenRail(rail, rail_driver, prices, FeeWatch(rail, rail_driver, coin_prices))
