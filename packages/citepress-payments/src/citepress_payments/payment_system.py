"""Composes the payment system of a site over the state store."""

from functools import partial

from citepress.base.timestamps import DAY_S
from citepress.content.settings_file import SETTINGS_FILE
from citepress.contract.limits import Counters
from citepress.contract.site import Deployment
from citepress.settings import SettingsError
from citepress.stores.sql.database import Database
from citepress.stores.sql.secret import client_hash, secret
from citepress_payments.configuration import ConfigurationError, configure
from citepress_payments.discovery import Catalogue
from citepress_payments.products import PRODUCTS
from citepress_payments.products.routes import list_prices, offer_of
from citepress_payments.settings import Payments, payments_of
from citepress_payments.setup import Host, PaymentStores, PaymentSystem, open_payments
from citepress_payments.stores.ledger import SqlLedger

CLIENTS = "payment-client"
"""Name of the key that hashes the clients of quotes."""


def payment_system(
    terms: Payments, database: Database, counters: Counters, *, host: Host | None = None, base_url: str = ""
) -> PaymentSystem:
    """The payment system over a migrated database. Raises ``SettingsError`` and ``StoreUnavailable``."""
    stores = PaymentStores(
        SqlLedger(database, (terms.keep_paid_days or 0) * DAY_S),
        database,
        counters,
        partial(client_hash, secret(database, CLIENTS)),
    )
    try:
        configuration = configure(terms, list_prices(PRODUCTS))
    except ConfigurationError as error:
        raise SettingsError(f"{SETTINGS_FILE}, [payments]: {error}") from None
    listing = Catalogue(map(offer_of, PRODUCTS), base_url).listing
    return open_payments(terms, configuration, stores, listing, host or Host())


def site_payments(
    deployment: Deployment, database: Database, counters: Counters, base_url: str = ""
) -> PaymentSystem | None:
    """The payment system of an installation; ``None`` where its settings have no ``[payments]``."""
    terms = payments_of(deployment)
    return payment_system(terms, database, counters, base_url=base_url) if terms else None
