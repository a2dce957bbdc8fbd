"""The publisher's own traffic: it is counted, and left out of every other count."""

from collections.abc import Sequence
from ipaddress import ip_address, ip_network

from citepress.contract.site import BY_AGENT, LOOPBACK
from citepress.telemetry.capture.hashing import Address

OWN_AGENT = b"citepress-"
"""What the user agents of this program's own commands begin with."""
LOCAL = "localhost"
LOCAL_NETWORKS = ("127.0.0.0/8", "::1/128")


def default_rules(host: str) -> tuple[str, ...]:
    """The rules where the publisher wrote none: loopback is a visitor only of a service that listens on this machine alone."""
    try:
        local = host == LOCAL or ip_address(host).is_loopback
    except ValueError:
        local = False
    return () if local else (LOOPBACK,)


class SelfTraffic:
    """Tells own requests from others."""

    def __init__(self, rules: Sequence[str]) -> None:
        """``rules`` as ``[telemetry] self`` has them; raises ``ValueError`` for one that cannot be read."""
        self._agents = tuple(rule.removeprefix(BY_AGENT).strip().lower().encode() for rule in rules if rule.startswith(BY_AGENT))
        written = [rule for rule in rules if rule != LOOPBACK and not rule.startswith(BY_AGENT)]
        networks = [ip_network(rule, strict=False) for rule in (*written, *(LOCAL_NETWORKS if LOOPBACK in rules else ()))]
        self._networks = tuple(
            (
                len(one.network_address.packed),
                one.max_prefixlen - one.prefixlen,
                int(one.network_address) >> (one.max_prefixlen - one.prefixlen),
            )
            for one in networks
        )
        """Bytes of an address, bits that are cut off, and what is left."""

    def network(self, address: Address | None) -> bool:
        """Whether requests from this address are own ones."""
        if address is None or not self._networks:
            return False
        size, number = len(address), int.from_bytes(address)
        return any(size == long and number >> cut == left for long, cut, left in self._networks)

    def agent(self, agent: bytes) -> bool:
        """Whether requests with this user agent are own ones."""
        lowered = agent.lower()
        return lowered.startswith(OWN_AGENT) or any(one in lowered for one in self._agents)
