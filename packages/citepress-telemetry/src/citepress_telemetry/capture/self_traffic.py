"""The publisher's own traffic, which is counted separately and left out of every other count."""

from collections.abc import Sequence
from ipaddress import ip_address, ip_network

from citepress_telemetry.capture.hashing import Address
from citepress_telemetry.settings import BY_AGENT, LOOPBACK

OWN_AGENT = b"citepress-"
"""Prefix of the user agents of this program's own commands."""
LOCAL = "localhost"
LOCAL_NETWORKS = ("127.0.0.0/8", "::1/128")


def default_rules(host: str) -> tuple[str, ...]:
    """The default rules: loopback counts as a visitor only if the service listens on loopback alone."""
    try:
        local = host == LOCAL or ip_address(host).is_loopback
    except ValueError:
        local = False
    return () if local else (LOOPBACK,)


class SelfTraffic:
    """Recognizes the publisher's own requests."""

    def __init__(self, rules: Sequence[str]) -> None:
        """``rules`` as in ``[telemetry] self``; raises ``ValueError`` for one that cannot be parsed."""
        self._agents = tuple(
            rule.removeprefix(BY_AGENT).strip().lower().encode() for rule in rules if rule.startswith(BY_AGENT)
        )
        written = [rule for rule in rules if rule != LOOPBACK and not rule.startswith(BY_AGENT)]
        networks = [
            ip_network(rule, strict=False) for rule in (*written, *(LOCAL_NETWORKS if LOOPBACK in rules else ()))
        ]
        self._networks = tuple(
            (
                len(network.network_address.packed),
                network.max_prefixlen - network.prefixlen,
                int(network.network_address) >> (network.max_prefixlen - network.prefixlen),
            )
            for network in networks
        )
        """Bytes of an address, host bits to shift out, and the network that remains."""

    def network(self, address: Address | None) -> bool:
        """Whether an address is the publisher's."""
        if address is None or not self._networks:
            return False
        size, number = len(address), int.from_bytes(address)
        return any(size == long and number >> cut == left for long, cut, left in self._networks)

    def agent(self, agent: bytes) -> bool:
        """Whether a user agent is the publisher's."""
        lowered = agent.lower()
        return lowered.startswith(OWN_AGENT) or any(part in lowered for part in self._agents)
