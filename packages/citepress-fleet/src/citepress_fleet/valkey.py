"""Opens counters that several hosts share through Valkey (or Redis), where the environment names one."""

from collections.abc import Callable
from functools import partial
from importlib import import_module

from citepress.contract.limits import RemoteCounters
from citepress.settings import Settings
from citepress.stores.sql.database import Database
from citepress.stores.sql.secret import secret


def counters_of(settings: Settings) -> Callable[[Database], RemoteCounters] | None:
    """Opens the counters in the Valkey that the environment names."""
    address = settings.variables.get("VALKEY_URL")
    return partial(_open, address) if address else None


def _open(address: str, database: Database) -> RemoteCounters:
    """The counters in the Valkey at an address. Raises ``ValkeyError``."""
    counters = import_module("citepress_fleet.valkey_counters")  # its library takes a sixth of a start
    opened: RemoteCounters = counters.ValkeyCounters(address, secret(database))
    return opened
