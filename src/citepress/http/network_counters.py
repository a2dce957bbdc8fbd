"""Limits for clients that own many networks: an IPv6 client is counted with its /48 too."""

from functools import lru_cache
from ipaddress import IPv6Network

from citepress.contract.limits import Counters, Limit, LimitState

SITE_BITS = 48
"""What providers give to a site: 65,536 networks, each of which would be a client of its own."""
SITE_QUOTA = 16
"""So many times the quota of a client is what a whole site may spend, because many people may share one."""


class NetworkCounters:
    """Counts with the counters that it is made with, IPv6 clients a second time."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters

    def spend(self, limit: Limit, client: str, cost: int = 1) -> LimitState:
        """Take ``cost`` units from the client's window, and where it is an IPv6 network from that of its site."""
        spent = self._counters.spend(limit, client, cost)
        if ":" not in client or not spent.allowed:
            return spent
        name, quota, window = limit.name, limit.quota, limit.window
        around = self._counters.spend(Limit(f"{name}-site", quota * SITE_QUOTA, window), site_of(client), cost)
        return spent if around.allowed else LimitState(False, 0, around.reset)


@lru_cache(maxsize=4096)
def site_of(client: str) -> str:
    """The /48 that an IPv6 network is part of; anything else is its own site."""
    try:
        return str(IPv6Network(client, strict=False).supernet(new_prefix=SITE_BITS))
    except ValueError:  # a peer without an address
        return client
