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
class Books:
    """The books of a deployment, beside the server that writes them."""

    ledger: Ledger
    simulated: SimulatedChain
    database: Database


@contextmanager
def opened_books(settings: Settings) -> Iterator[Books]:
    """The books that the settings name, closed at the end. Raises ``DatabaseError`` and ``StoreUnavailable``."""
    database = open_store(settings.state, settings.database_url)
    try:
        yield Books(SqlLedger(database), SqlSimulatedChain(database), database)
    finally:
        database.close()


@contextmanager
def opened_shop(told: Payments, books: Books) -> Iterator[Paying]:
    """The rails as a server would open them; nothing is sold. Raises ``SettingsError`` and ``StoreUnavailable``."""
    with in_words():
        sold = paying(told, books.database, LocalCounters())
    try:
        yield sold
    finally:
        sold.shop.close()
