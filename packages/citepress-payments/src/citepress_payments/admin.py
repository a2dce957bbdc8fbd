"""What the payment commands work with: the ledger, its database, and the rails that ``site.toml`` opens."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from citepress.settings import Settings
from citepress.stores.local.counters import LocalCounters
from citepress.stores.sql.database import Database
from citepress.stores.sql.migrate import open_existing_store, open_store, store_exists
from citepress_payments.payment_system import payment_system
from citepress_payments.settings import Payments
from citepress_payments.setup import PaymentSystem
from citepress_payments.stores.ledger import SqlLedger


@dataclass(frozen=True, slots=True)
class PaymentAdmin:
    """The payment stores of a deployment, opened beside the server that writes them."""

    ledger: SqlLedger
    database: Database


@contextmanager
def open_payment_admin(settings: Settings) -> Iterator[PaymentAdmin]:
    """The stores that a server has made, closed at the end. Raises ``DatabaseError`` and ``StoreUnavailable``."""
    with closing(open_existing_store(settings.state, settings.database_url)) as database:
        yield PaymentAdmin(SqlLedger(database), database)


@contextmanager
def open_payment_checks(settings: Settings) -> Iterator[PaymentAdmin]:
    """The same, or before the first start empty stores that are gone afterwards: rails can be checked without a ledger.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    if store_exists(settings.state, settings.database_url):
        with open_payment_admin(settings) as stores:
            yield stores
        return
    with TemporaryDirectory() as folder, closing(open_store(Path(folder))) as database:
        yield PaymentAdmin(SqlLedger(database), database)


@contextmanager
def open_payment_service(terms: Payments, stores: PaymentAdmin) -> Iterator[PaymentSystem]:
    """The rails as a server would open them; nothing is sold. Raises ``SettingsError`` and ``StoreUnavailable``."""
    system = payment_system(terms, stores.database, LocalCounters())
    try:
        yield system
    finally:
        system.service.close()
