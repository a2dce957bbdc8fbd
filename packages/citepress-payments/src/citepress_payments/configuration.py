"""The ``[payments]`` table, checked against the rails that citepress declares."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from citepress.base.errors import CitepressError
from citepress.base.text import did_you_mean
from citepress.contract.refs import Location
from citepress_payments.quote_lifetime import QUOTE_LIFETIMES_S
from citepress_payments.rails import BY_SLUG, ChainAsset, Lane, Rail
from citepress_payments.rails.rail import Authorization
from citepress_payments.recipients import recipient_fault
from citepress_payments.settings import PaidRail, Payments

MICROS = 1_000_000
SIMULATED = "simulated"
DRIVERS = {Lane.FIXED: ("simulated", "facilitator", "embedded"), Lane.NATIVE: ("simulated", "rpc")}
DRIVERS[Lane.VOLATILE] = DRIVERS[Lane.FIXED]
STOCK_LIMIT = MICROS
"""Stock buyers refuse to pay more than one US dollar."""


class ConfigurationError(CitepressError, ValueError):
    """The table cannot be used; ``location`` is where in ``site.toml``."""

    def __init__(self, location: Location, sentence: str) -> None:
        super().__init__(sentence)
        self.location = location


@dataclass(frozen=True, slots=True)
class ConfiguredRail:
    """A rail of this deployment."""

    rail: Rail
    place: ChainAsset
    pay_to: str
    settings: PaidRail
    testnet: bool
    location: Location = ()
    """Of its row in ``site.toml``."""

    @property
    def slug(self) -> str:
        """Its name."""
        return self.rail.slug

    @property
    def finality(self) -> str:
        """When a transfer counts."""
        return self.settings.finality or self.rail.finality

    @property
    def life(self) -> int:
        """Seconds that a quote lives."""
        return self.settings.ttl_s or QUOTE_LIFETIMES_S[self.rail.lane]

    @property
    def simulated(self) -> bool:
        """Whether the chain is simulated."""
        return self.settings.driver == SIMULATED


@dataclass(frozen=True, slots=True)
class ClosedRail:
    """A rail that is listed and cannot open; the others do."""

    slug: str
    location: Location
    """Of the setting that is wrong, in ``site.toml``."""
    reason: str
    """For the operator: it may name files."""
    opened: ConfiguredRail | None = None
    """The rail as far as it is understood; ``None`` where its name is unknown or it has no such network."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What is sold, and over which rails."""

    networks: str
    """``main`` or ``test``."""
    prices: Mapping[str, int]
    """Millionths of a US dollar by product id."""
    rails: tuple[ConfiguredRail, ...]
    """In the order of ``site.toml``."""
    closed: tuple[ClosedRail, ...] = ()
    """Rows of ``site.toml`` that are no rail, each with its reason."""


def configure(settings: Payments, products: Mapping[str, str]) -> Configuration:
    """The configuration of a deployment; ``products`` are the declared ids with their own prices.

    A rail that is wrong is closed, and keeps nobody else from selling. Raises ``ConfigurationError`` for wrong
    products.
    """
    for name in settings.products:
        if name not in products:
            raise ConfigurationError(
                ("payments", "products", name), f"no product is called {name!r}{_meant(name, products)}"
            )
    tags = {id_: settings.products[id_].usd if id_ in settings.products else usd for id_, usd in products.items()}
    prices = {id_: micros(usd) for id_, usd in tags.items()}
    for id_, price in prices.items():
        if price == 0:
            raise ConfigurationError(("payments", "products", id_, "usd"), "a product costs more than nothing")
    rails, closed = _sorted(settings)
    return Configuration(settings.networks, prices, rails, closed)


def micros(usd: str) -> int:
    """Millionths of a US dollar, from decimal text of at most six places."""
    return int(Decimal(usd).scaleb(6))


def warnings(configuration: Configuration) -> tuple[str, ...]:
    """What works and is likely not meant."""
    dear = [id_ for id_, price in configuration.prices.items() if price > STOCK_LIMIT]
    return tuple(f"{id_} costs more than 1 USD, which stock x402 buyers refuse by default" for id_ in dear)


def _sorted(settings: Payments) -> tuple[tuple[ConfiguredRail, ...], tuple[ClosedRail, ...]]:
    """The rows that are rails, and those that are not."""
    rails: dict[str, ConfiguredRail] = {}
    closed = []
    for place, row in enumerate(settings.rails):
        at: Location = ("payments", "rails", place)
        try:
            rails[row.slug] = _opened(settings, row, at, rails)
        # See "A wrong rail closes itself, not the archive" in docs/decisions/payments.md.
        except ConfigurationError as wrong:
            closed.append(ClosedRail(row.slug, wrong.location, str(wrong), _understood(settings, row, at)))
    return tuple(rails.values()), tuple(closed)


def _understood(settings: Payments, row: PaidRail, at: Location) -> ConfiguredRail | None:
    """A row as far as its rail and its network are known; nobody is paid over it."""
    rail = BY_SLUG.get(row.slug)
    place = rail.place(settings.networks) if rail else None
    return ConfiguredRail(rail, place, "", row, settings.networks == "test", at) if rail and place else None


def _opened(settings: Payments, row: PaidRail, at: Location, before: Container[str]) -> ConfiguredRail:
    """The rail of a row; ``before`` are those that are open already. Raises ``ConfigurationError``."""
    if row.slug in before:
        raise ConfigurationError((*at, "slug"), f"{row.slug} is there twice")
    rail = BY_SLUG.get(row.slug)
    if rail is None:
        raise ConfigurationError((*at, "slug"), f"no rail is called {row.slug!r}{_meant(row.slug, BY_SLUG)}")
    understood = _understood(settings, row, at)
    if understood is None:
        raise ConfigurationError((*at, "slug"), f'{rail.slug} has no test network, and networks is "test"')
    opened = replace(understood, pay_to=_recipient(settings, understood))
    for name, fault in _faults(settings, rail, row):
        raise ConfigurationError((*at, name), fault)
    return opened


def _recipient(settings: Payments, opened: ConfiguredRail) -> str:
    """Who is paid over a rail, in one spelling. Raises ``ConfigurationError``."""
    family = opened.place.family
    pay_to: str | None = getattr(settings, family.pay_to)
    if not pay_to:
        raise ConfigurationError(("payments",), f"{opened.slug} needs {family.pay_to}, the address that is paid")
    # See "Recipients need a checksum where money is real" in docs/decisions/payments.md.
    fault = recipient_fault(family, pay_to, main=settings.networks == "main", simulated=opened.simulated)
    if fault:
        raise ConfigurationError(("payments", family.pay_to), fault)
    return family.canonical_address(pay_to)


def _faults(settings: Payments, rail: Rail, row: PaidRail) -> Iterable[tuple[str, str]]:
    """(member, what is wrong with it) of one row."""
    drivers = DRIVERS[rail.lane]
    if row.driver not in drivers:
        yield "driver", f"a rail of the {rail.lane} lane takes {', '.join(drivers[:-1])} or {drivers[-1]}"
    if row.driver == SIMULATED and settings.networks == "main":
        yield "driver", 'the simulated driver needs networks = "test": a signature for a main network is worth money'
    if row.driver == SIMULATED and rail.authorization is Authorization.SVM:
        yield "driver", f"Solana's signatures cannot be simulated: {rail.slug} takes facilitator or embedded"
    if row.driver != SIMULATED and not row.rpc_urls:
        yield "rpc_urls", f"{row.driver} needs an address of the chain: only the chain can tell paid from unpaid"
    if row.driver == "facilitator" and not row.facilitator_url:
        yield "facilitator_url", "the driver facilitator needs its address"
    if row.driver == "embedded" and not row.signer_key_file:
        yield "signer_key_file", "the driver embedded needs a key that pays for gas"
    yield from _price_faults(rail, row)
    yield from _fee_faults(settings, rail, row)
    if row.facilitator_auth and bool(row.facilitator_auth.secret_file) == bool(row.facilitator_auth.secret_env):
        yield "facilitator_auth", "name the secret's place once: secret_file or secret_env"


def _price_faults(rail: Rail, row: PaidRail) -> Iterable[tuple[str, str]]:
    """(member, what is wrong with it): when a transfer counts, and what it is worth."""
    if row.finality and row.finality not in rail.finalities:
        yield "finality", f"{rail.slug} knows only {', '.join(rail.finalities)}"
    if rail.lane is not Lane.FIXED and not row.prices:
        yield "prices", f"{rail.symbol} has to be priced: name a source"
    if rail.lane is Lane.FIXED and row.prices:
        yield "prices", f"{rail.slug} takes the product's price in US dollars as it is"
    if row.prices and row.min_sources > len(row.prices):
        yield "min_sources", f"only {len(row.prices)} of the sources are named"


def _fee_faults(settings: Payments, rail: Rail, row: PaidRail) -> Iterable[tuple[str, str]]:
    """(member, what is wrong with it): what the network fee is compared with."""
    if row.driver != "embedded":
        if row.gas_prices:
            yield "gas_prices", f"{row.driver} pays no gas of ours"
    # See "A rail closes when gas costs more than its share" in docs/decisions/payments.md.
    elif settings.networks == "main" and not row.gas_prices and not rail.priced_as_coin:
        yield (
            "gas_prices",
            f"name a source for the price of {rail.coin}: the network fee is compared with what a sale brings",
        )
    if row.gas_prices and row.min_sources > len(row.gas_prices):
        yield "gas_prices", f"min_sources asks for {row.min_sources} of them"


def _meant(name: str, names: Iterable[str]) -> str:
    hint = did_you_mean(name, tuple(names))
    return f"; {hint}" if hint else ""
