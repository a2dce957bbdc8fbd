"""The rails of a ``[payments]`` table opened, each for itself: one that cannot open says why and keeps no other from selling."""

import os
from collections.abc import Iterator
from pathlib import Path

from citepress.base import clock
from citepress.content.settings_file import NAME, find
from citepress.content.text import line_of
from citepress.content.validation_messages import dotted
from citepress.contract.fault import ABSENT_RAIL, BAD_SITE, CLOSED_RAIL, Fault, FaultCode, Span
from citepress.contract.paid import Payments
from citepress.contract.refs import Location
from citepress.contract.site import Site
from citepress.operations.products import PRODUCTS
from citepress.operations.products.routes import offer_of
from citepress.payments.configuration import ClosedRail, Configuration, ConfigurationError, ConfiguredRail, configured
from citepress.payments.discovery import Catalogue
from citepress.payments.drivers import DriverContext, DriverMissingError, driver, maker
from citepress.payments.fees import FeeWatch
from citepress.payments.open_rails import OpenRail
from citepress.payments.ports import Clock, Probe, SimulatedChain
from citepress.payments.price_feeds import feed
from citepress.payments.price_oracle import PriceOracle


def now() -> int:
    """The present second."""
    return int(clock.now().timestamp())


def unprobed(_point: str) -> None:
    """The probe of a service: nothing."""


def configuration_of(told: Payments) -> Configuration:
    """The configuration, checked. Raises ``ConfigurationError``."""
    return configured(told, {product.id: product.usd for product in PRODUCTS})


def stands_of(
    configuration: Configuration, at: Clock, probe: Probe, simulated: SimulatedChain, base_url: str = ""
) -> tuple[list[OpenRail], list[ClosedRail]]:
    """Every rail that opens, with its driver and its price, and those that do not."""
    stands, closed = [], list(configuration.closed)
    listing = Catalogue(map(offer_of, PRODUCTS), base_url).listing
    for opened in configuration.rails:
        try:
            stands.append(_stand(opened, DriverContext(opened, at, probe, simulated, os.environ, listing)))
        except DriverMissingError as missing:
            closed.append(_closed(opened, missing))
    return stands, closed


def _stand(opened: ConfiguredRail, materials: DriverContext) -> OpenRail:
    """A rail with its driver, its price and its fee. Raises ``DriverMissingError``."""
    made, book = driver(materials), _book(opened, "prices")
    coin_price = book if opened.rail.priced_as_coin and not opened.settings.gas_prices else _book(opened, "gas_prices")
    return OpenRail(opened, made, book, FeeWatch(opened, made, coin_price))


def faults(root: Path, site: Site) -> tuple[Fault, ...]:
    """What is wrong with the payments of a site, at its place in ``site.toml``: all that would keep a rail closed, or the service from starting."""
    if site.payments is None:
        return ()
    text = (root / NAME).read_text("utf-8") if (root / NAME).is_file() else ""
    found = {(location, sentence): code for code, location, sentence in _wrong(site.payments)}
    return tuple(_fault(text, code, location, sentence) for (location, sentence), code in found.items())


def _wrong(told: Payments) -> Iterator[tuple[FaultCode, Location, str]]:
    try:
        configuration = configuration_of(told)
    except ConfigurationError as error:
        yield BAD_SITE, error.location, str(error)
        return
    for rail in configuration.closed:
        yield CLOSED_RAIL, rail.location, rail.reason
    for opened in configuration.rails:
        if missing := _missing(opened):
            rail = _closed(opened, missing)
            yield ABSENT_RAIL if missing.absent else CLOSED_RAIL, rail.location, rail.reason


def _missing(opened: ConfiguredRail) -> DriverMissingError | None:
    """Why the driver of a rail could not be made here; a simulated one needs nothing but its libraries."""
    try:
        make = maker(opened)
        _book(opened, "prices")
        _book(opened, "gas_prices")
        if not opened.simulated:
            make(DriverContext(opened, now, unprobed, environment=os.environ))
    except DriverMissingError as missing:
        return missing
    return None


def _book(opened: ConfiguredRail, member: str) -> PriceOracle | None:
    """The prices of the asset, or of the coin that pays for gas; ``None`` where no source is named. Raises ``DriverMissingError``."""
    settings = opened.settings
    sources = settings.prices if member == "prices" else settings.gas_prices
    try:
        return PriceOracle([feed(source) for source in sources], settings.min_sources) if sources else None
    except ValueError as wrong:
        raise DriverMissingError(f"the rail {opened.slug}: {member}: {wrong}", member) from None


def _closed(opened: ConfiguredRail, missing: DriverMissingError) -> ClosedRail:
    return ClosedRail(opened.slug, (*opened.location, missing.member), str(missing), opened)


def _fault(text: str, code: FaultCode, location: Location, sentence: str) -> Fault:
    line, column = find(text, location)
    where = f"{dotted(location)}: " if location else ""
    hint = 'docs/payments.md, "Configuration", says what each rail needs' if code is not BAD_SITE else ""
    return Fault.at(code, Span(NAME, line, column, line_of(text, line)), f"{where}{sentence}", hint)
