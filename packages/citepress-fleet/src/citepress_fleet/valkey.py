"""Stores that several workers or hosts share through Valkey (or Redis)."""

from importlib import import_module
from typing import Protocol

from citepress.contract.limits import Counters


class RemoteCounters(Counters, Protocol):
    """Counters on another host."""

    def check(self) -> None:
        """Check that the host responds. Raises ``StoreUnavailable``."""
        ...

    def close(self) -> None:
        """End every connection."""
        ...


def open_counters(address: str, key: bytes) -> RemoteCounters:
    """The counters in the Valkey at an address. Raises ``ValkeyError``."""
    counters = import_module("citepress_fleet.valkey_counters")  # its library takes a sixth of a start
    opened: RemoteCounters = counters.ValkeyCounters(address, key)
    return opened
