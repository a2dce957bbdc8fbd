"""Whether the rails of a ``[payments]`` table can open here: what ``check`` says of each, without a ledger."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from citepress.base.clock import unix_now
from citepress.content.settings_file import SETTINGS_FILE, find
from citepress.content.text import line_of
from citepress.content.validation_messages import dotted
from citepress.contract.fault import BAD_SITE, Fault, FaultCode, Span
from citepress.contract.refs import Location
from citepress.contract.site import Site
from citepress_payments.configuration import ClosedRail, ConfigurationError, ConfiguredRail, configure
from citepress_payments.drivers import DriverContext, DriverMissingError, maker
from citepress_payments.faults import ABSENT_RAIL, CLOSED_RAIL
from citepress_payments.price_feeds import feed
from citepress_payments.price_oracle import PriceOracle
from citepress_payments.settings import Payments, payments_of


def unprobed(_point: str) -> None:
    """The probe of a service: nothing."""


def faults(root: Path, site: Site, list_prices: Mapping[str, str]) -> tuple[Fault, ...]:
    """Faults in ``[payments]`` that keep a rail closed or the service from starting, at their places in ``site.toml``.

    ``list_prices`` are the products by id with their own prices in dollars.
    """
    terms = payments_of(site)
    if terms is None:
        return ()
    text = (root / SETTINGS_FILE).read_text("utf-8") if (root / SETTINGS_FILE).is_file() else ""
    # Several rails may share the setting that is wrong, such as the recipient, or the library that they lack: it is
    # told once.
    problems: dict[object, tuple[FaultCode, Location, str]] = {}
    for problem in _problems(terms, list_prices):
        code, location, sentence = problem
        problems.setdefault(sentence if code is ABSENT_RAIL else (location, sentence), problem)
    return tuple(_fault(text, *problem) for problem in problems.values())


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
            closed = closed_rail(rail, missing)
            # What may be on the machine that serves, such as a key, is only a warning here. See "A wrong rail closes
            # itself, not the archive" in docs/decisions/payments.md.
            yield ABSENT_RAIL if missing.absent else CLOSED_RAIL, closed.location, closed.reason


def _missing(rail: ConfiguredRail) -> DriverMissingError | None:
    """Why the driver of a rail cannot be made here; a simulated rail needs nothing but its libraries."""
    try:
        make = maker(rail)
        prices_of(rail, "prices")
        prices_of(rail, "gas_prices")
        if not rail.simulated:
            make(DriverContext(rail, unix_now, unprobed, environment=os.environ))
    except DriverMissingError as missing:
        return missing
    return None


def prices_of(rail: ConfiguredRail, member: str) -> PriceOracle | None:
    """The prices of the asset, or of the coin that pays for gas; ``None`` where no source is named.

    Raises ``DriverMissingError``.
    """
    settings = rail.settings
    sources = settings.prices if member == "prices" else settings.gas_prices
    try:
        return PriceOracle([feed(source) for source in sources], settings.min_sources) if sources else None
    except ValueError as wrong:
        raise DriverMissingError(f"the rail {rail.slug}: {member}: {wrong}", member) from None


def closed_rail(rail: ConfiguredRail, missing: DriverMissingError) -> ClosedRail:
    """A rail that cannot open, with the setting that is wrong."""
    return ClosedRail(rail.slug, (*rail.location, missing.member), str(missing), rail)


def _fault(text: str, code: FaultCode, location: Location, sentence: str) -> Fault:
    line, column = find(text, location)
    where = f"{dotted(location)}: " if location else ""
    hint = 'docs/guides/sell.md, "Configuration", lists what each rail needs' if code is not BAD_SITE else ""
    return Fault.at(code, Span(SETTINGS_FILE, line, column, line_of(text, line)), f"{where}{sentence}", hint)
