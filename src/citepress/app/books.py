"""What the commands on payments work with: the ledger in the state store, the simulated chain, and the rails that ``site.toml`` opens."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from citepress.app.payments import Paying, in_words, paying
from citepress.contract.paid import Payments
from citepress.payments.ports import Ledger, SimulatedChain
from citepress.settings import Settings
from citepress.stores.local.counters import LocalCounters
from citepress.stores.sql.database import Database
from citepress.stores.sql.migrate import open_store
from citepress.stores.sql.payments.ledger import SqlLedger
from citepress.stores.sql.payments.simulated import SqlSimulatedChain


@dataclass(frozen=True, slots=True)
class PaymentAdmin:
    """The books of a deployment, beside the server that writes them."""

    ledger: Ledger
    simulated: SimulatedChain
    database: Database


@contextmanager
def open_payment_admin(settings: Settings) -> Iterator[PaymentAdmin]:
    """The books that the settings name, closed at the end. Raises ``DatabaseError`` and ``StoreUnavailable``."""
    database = open_store(settings.state, settings.database_url)
    try:
        yield PaymentAdmin(SqlLedger(database), SqlSimulatedChain(database), database)
    finally:
        database.close()


@contextmanager
def open_payment_service(told: Payments, books: PaymentAdmin) -> Iterator[Paying]:
    """The rails as a server would open them; nothing is sold. Raises ``SettingsError`` and ``StoreUnavailable``."""
    with in_words():
        sold = paying(told, books.database, LocalCounters())
    try:
        yield sold
    finally:
        sold.shop.close()
