"""Paid compute joined: the ledger in the state store, the drivers that the configuration names, the till, and the task that recovers."""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from citepress.app.rails import configuration_of, now, stands_of, unprobed
from citepress.base import clock
from citepress.content.settings_file import NAME
from citepress.contract.limits import Counters
from citepress.contract.paid import Payments
from citepress.http.message import Handler
from citepress.operations.products import PRODUCTS
from citepress.operations.products.routes import CAPABILITIES, product_listing, routes
from citepress.payments.capabilities import DAY, PaymentCapabilities, capabilities
from citepress.payments.configuration import Configuration, ConfigurationError
from citepress.payments.limits import Quotas
from citepress.payments.open_rails import RailRegistry
from citepress.payments.pool import Pool
from citepress.payments.ports import Clock, Ledger, Probe
from citepress.payments.quotes import Quotes
from citepress.payments.recovery import Recovery
from citepress.payments.service import PaymentService
from citepress.payments.settlement import Settlement
from citepress.settings import SettingsError
from citepress.stores.sql.database import Database
from citepress.stores.sql.payments.ledger import SqlLedger
from citepress.stores.sql.payments.simulated import SqlSimulatedChain
from citepress.stores.sql.secret import client_hash, secret
from citepress.web.endpoints.context import ActionContext
from citepress.web.endpoints.payment import paid_actions

MEGABYTE = 1_000_000
CLIENTS = "payment-client"
"""Name of the key that hashes the clients of quotes."""


@dataclass(frozen=True, slots=True)
class Paying:
    """Everything that sells, in one process."""

    configuration: Configuration
    ledger: Ledger
    stands: RailRegistry
    shop: PaymentService
    recovery: Recovery
    keep_paid_days: int | None


def paying(
    told: Payments, database: Database, counters: Counters, *, at: Clock = now, probe: Probe = unprobed,
    random: Callable[[int], bytes] = secrets.token_bytes, pause: Callable[[float], object] = time.sleep, base_url: str = "",
) -> Paying:  # fmt: skip
    """The shop over a migrated database. Raises ``ConfigurationError`` and ``StoreUnavailable``."""
    configuration = configuration_of(told)
    ledger, simulated = SqlLedger(database, (told.keep_paid_days or 0) * DAY), SqlSimulatedChain(database)
    opened, closed = stands_of(configuration, at, probe, simulated, base_url)
    stands = RailRegistry(opened, ledger, at, closed, max(configuration.prices.values(), default=0))
    key, owner, quotas = secret(database, CLIENTS), secrets.token_hex(8), Quotas(counters)
    till = Settlement(ledger, stands, quotas, at, owner, probe, pause)
    quotes = Quotes(
        ledger, stands, configuration.prices, lambda client: client_hash(key, client), at, probe, random, told.max_unpaid_mb * MEGABYTE
    )
    shop = PaymentService(quotes, till, quotas, stands, Pool())
    return Paying(configuration, ledger, stands, shop, Recovery(ledger, till, stands, at, owner), told.keep_paid_days)


@contextmanager
def in_words() -> Iterator[None]:
    """What a ``[payments]`` table cannot have is told the operator in a sentence. Raises ``SettingsError``."""
    try:
        yield
    except ConfigurationError as error:
        raise SettingsError(f"{NAME}, [payments]: {error}") from None


def sale(facts: Mapping[str, Any], database: Database, counters: Counters) -> Paying | None:
    """The shop of an edition's site; ``None`` where its ``site.toml`` has no ``[payments]``. Raises as ``paying``."""
    told = facts.get("payments")
    return paying(Payments.model_validate(told), database, counters, base_url=facts["base_url"]) if told else None


def actions_of(sold: Paying | None, clerk: ActionContext) -> dict[str, Handler]:
    """What answers at the paths of the paid products."""
    wares = [product_listing(product) for product in PRODUCTS]
    known = next(route for route in routes(PRODUCTS) if route.path == CAPABILITIES)

    def told() -> PaymentCapabilities:
        if sold is None:
            return capabilities(wares, {}, None, clock.now(), None)
        return capabilities(wares, sold.configuration.prices, sold.stands, clock.now(), sold.configuration.networks, sold.keep_paid_days)

    return paid_actions(PRODUCTS, sold.shop if sold else None, told, known, clerk)
