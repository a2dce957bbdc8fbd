"""Limits for clients that own many networks: an IPv6 client is counted with its /48 too."""

from citepress.contract.limits import SITE_QUOTA, Counters, Limit, LimitState, site_of


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
