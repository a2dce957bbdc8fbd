"""What the payment commands work with: the ledger, its database, and the rails that ``site.toml`` opens."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from citepress.app.payments import payment_system
from citepress.contract.paid import Payments
from citepress.payments.ports import Ledger
from citepress.payments.setup import PaymentSystem
from citepress.settings import Settings
from citepress.stores.local.counters import LocalCounters
from citepress.stores.sql.database import Database
from citepress.stores.sql.migrate import open_store
from citepress.stores.sql.payments.ledger import SqlLedger


@dataclass(frozen=True, slots=True)
class PaymentAdmin:
    """The payment stores of a deployment, opened beside the server that writes them."""

    ledger: Ledger
    database: Database


@contextmanager
def open_payment_admin(settings: Settings) -> Iterator[PaymentAdmin]:
    """The stores that the settings name, closed at the end. Raises ``DatabaseError`` and ``StoreUnavailable``."""
    database = open_store(settings.state, settings.database_url)
    try:
        yield PaymentAdmin(SqlLedger(database), database)
    finally:
        database.close()


@contextmanager
def open_payment_service(terms: Payments, stores: PaymentAdmin) -> Iterator[PaymentSystem]:
    """The rails as a server would open them; nothing is sold. Raises ``SettingsError`` and ``StoreUnavailable``."""
    system = payment_system(terms, stores.database, LocalCounters())
    try:
        yield system
    finally:
        system.service.close()
