"""Opens the rails of a ``[payments]`` table, and the payment system over them.

Each rail is opened separately: one that cannot open has a reason and does not keep the others from selling.
"""

import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from citepress.base.clock import unix_now
from citepress.content.settings_file import NAME, find
from citepress.content.text import line_of
from citepress.content.validation_messages import dotted
from citepress.contract.fault import BAD_SITE, Fault, FaultCode, Span
from citepress.contract.limits import Counters
from citepress.contract.refs import Location
from citepress.contract.site import Site
from citepress_payments.configuration import ClosedRail, Configuration, ConfigurationError, ConfiguredRail, configure
from citepress_payments.drivers import DriverContext, DriverMissingError, driver, maker
from citepress_payments.faults import ABSENT_RAIL, CLOSED_RAIL
from citepress_payments.fees import FeeWatch
from citepress_payments.limits import Quotas
from citepress_payments.open_rails import OpenRail, RailRegistry
from citepress_payments.pool import Pool
from citepress_payments.ports.ledger import Ledger
from citepress_payments.ports.prices import Clock, ProbePoint
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.price_feeds import feed
from citepress_payments.price_oracle import PriceOracle
from citepress_payments.quotes import Quotes
from citepress_payments.recovery import Recovery
from citepress_payments.service import PaymentService
from citepress_payments.settings import Payments, payments_of
from citepress_payments.settlement import Settlement, Timer

MEGABYTE = 1_000_000


def unprobed(_point: str) -> None:
    """The probe of a service: nothing."""


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
    ledger: Ledger
    rails: RailRegistry
    service: PaymentService
    recovery: Recovery
    keep_paid_days: int | None


@dataclass(frozen=True, slots=True)
class PaymentStores:
    """Where payments are kept and clients are counted."""

    ledger: Ledger
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
            closed.append(_closed(rail, missing))
    return opened, closed


def _open(rail: ConfiguredRail, context: DriverContext) -> OpenRail:
    """A rail with its driver, its price and its fee. Raises ``DriverMissingError``."""
    rail_driver, prices = driver(context), _prices(rail, "prices")
    priced_alike = rail.rail.priced_as_coin and not rail.settings.gas_prices
    coin_prices = prices if priced_alike else _prices(rail, "gas_prices")
    return OpenRail(rail, rail_driver, prices, FeeWatch(rail, rail_driver, coin_prices))


def faults(root: Path, site: Site, list_prices: Mapping[str, str]) -> tuple[Fault, ...]:
    """Faults in ``[payments]`` that keep a rail closed or the service from starting, at their places in ``site.toml``.

    ``list_prices`` are the products by id with their own prices in dollars.
    """
    terms = payments_of(site)
    if terms is None:
        return ()
    text = (root / NAME).read_text("utf-8") if (root / NAME).is_file() else ""
    codes = {(location, sentence): code for code, location, sentence in _problems(terms, list_prices)}
    return tuple(_fault(text, code, location, sentence) for (location, sentence), code in codes.items())


def _problems(terms: Payments, list_prices: Mapping[str, str]) -> Iterator[tuple[FaultCode, Location, str]]:
    try:
        configuration = configure(terms, list_prices)
    except ConfigurationError as error:
        yield BAD_SITE, error.location, str(error)
        return
    for closed in configuration.closed:
        yield CLOSED_RAIL, closed.location, closed.reason
    for rail in configuration.rails:
        if missing := _missing(rail):
            closed = _closed(rail, missing)
            yield ABSENT_RAIL if missing.absent else CLOSED_RAIL, closed.location, closed.reason


def _missing(rail: ConfiguredRail) -> DriverMissingError | None:
    """Why the driver of a rail cannot be made here; a simulated rail needs nothing but its libraries."""
    try:
        make = maker(rail)
        _prices(rail, "prices")
        _prices(rail, "gas_prices")
        if not rail.simulated:
            make(DriverContext(rail, unix_now, unprobed, environment=os.environ))
    except DriverMissingError as missing:
        return missing
    return None


def _prices(rail: ConfiguredRail, member: str) -> PriceOracle | None:
    """The prices of the asset, or of the coin that pays for gas; ``None`` where no source is named.

    Raises ``DriverMissingError``.
    """
    settings = rail.settings
    sources = settings.prices if member == "prices" else settings.gas_prices
    try:
        return PriceOracle([feed(source) for source in sources], settings.min_sources) if sources else None
    except ValueError as wrong:
        raise DriverMissingError(f"the rail {rail.slug}: {member}: {wrong}", member) from None


def _closed(rail: ConfiguredRail, missing: DriverMissingError) -> ClosedRail:
    return ClosedRail(rail.slug, (*rail.location, missing.member), str(missing), rail)


def _fault(text: str, code: FaultCode, location: Location, sentence: str) -> Fault:
    line, column = find(text, location)
    where = f"{dotted(location)}: " if location else ""
    hint = 'docs/guides/sell.md, "Configuration", lists what each rail needs' if code is not BAD_SITE else ""
    return Fault.at(code, Span(NAME, line, column, line_of(text, line)), f"{where}{sentence}", hint)
