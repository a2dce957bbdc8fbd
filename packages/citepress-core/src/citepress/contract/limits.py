"""Limits: their declaration, and the port that counts."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Network
from typing import Any, NamedTuple, Protocol

from citepress.hooks import provided

SITE_BITS = 48
"""What providers give to a site: 65,536 networks, each of which would be a client of its own."""
SITE_QUOTA = 16
"""So many times the quota of a client is what a whole site may spend, because many people may share one."""
RATE_WINDOW_S = 60
"""Length of the window of limits on requests."""


@dataclass(frozen=True, slots=True)
class Limit:
    """So many units in so many seconds, for each client; a window starts with the client's first request."""

    name: str
    """Name of the policy in the ``RateLimit`` field, and of the bucket."""
    quota: int
    window: int


class LimitState(NamedTuple):
    """What a client has left after a request."""

    allowed: bool
    remaining: int
    reset: int
    """Whole seconds until the window ends, at least 1."""


class Counters(Protocol):
    """Counts what clients spend; shared by all workers, or in process where there is one worker."""

    def spend(self, limit: Limit, client: str, cost: int = 1) -> LimitState:
        """Take ``cost`` units from the client's window, all or nothing."""
        ...


class RemoteCounters(Counters, Protocol):
    """Counters on another host, which all hosts of a service share."""

    name: str
    """What the store is called."""

    def check(self) -> None:
        """Check that the host responds. Raises ``StoreUnavailable``."""
        ...

    def close(self) -> None:
        """End every connection."""
        ...


def remote_counters(settings: object) -> Callable[[Any], RemoteCounters] | None:
    """Opens, with a database, the counters that all hosts share; ``None`` where the settings of a run name none."""
    given: Callable[[Any], RemoteCounters] | None = provided("counters", settings)
    return given


@lru_cache(maxsize=4096)
def site_of(client: str) -> str:
    """The /48 that an IPv6 network is part of; anything else is its own site."""
    try:
        return str(IPv6Network(client, strict=False).supernet(new_prefix=SITE_BITS))
    except ValueError:  # a peer without an address
        return client
