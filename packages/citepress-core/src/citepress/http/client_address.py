"""The client that a request is counted for: the observed client address (specification, "Authentication" 6)."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from citepress.contract.site import ForwardedField

MAX_FORWARDED_BYTES = 2048
"""Bytes of the field that are read, from its end: the entries nearest to this server were added last."""
MAX_HOPS = 64
IPV6_BITS = 64
"""A household or a machine holds at least a /64; counting single addresses would count nobody."""
NAT64 = IPv6Network("64:ff9b::/96")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"|$)')
FOR = re.compile(r"(?:^|;)\s*for\s*=\s*([^;]*)", re.IGNORECASE)
V4_PORT = re.compile(r"([0-9.]+)(?::[0-9]{1,5})?", re.ASCII)
V6_PORT = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?", re.ASCII)
Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class ClientAddressResolver:
    """Reads the client of a request from its peer, and from one forwarded field where the peer is a trusted proxy.

    A proxy passes on as it came whatever field it does not write itself. Only the field that the proxy itself writes
    is trusted, so forging another one has no effect.
    """

    def __init__(self, proxies: Iterable[str] = (), field: ForwardedField = "X-Forwarded-For") -> None:
        """``proxies`` are addresses or networks that write ``field``; raises ``ValueError`` for anything else."""
        self._proxies: tuple[Network, ...] = tuple(ip_network(proxy, strict=False) for proxy in proxies)
        self._field = field.lower().encode()
        self._hops = _forwarded if field == "Forwarded" else _listed
        # A client sends many requests, and parsing an address costs more than looking one up.
        self._observed = lru_cache(maxsize=4096)(self._observe)

    def key(self, peer: str, fields: Mapping[bytes, bytes]) -> str:
        """The bucket of a request: an IPv4 address, or the /64 of an IPv6 address."""
        if not self._proxies:
            return self._observed(peer, None)[0] if ":" in peer else peer
        return self._observed(peer, fields.get(self._field, b"")[-MAX_FORWARDED_BYTES:])[0]

    def address(self, peer: str, fields: Mapping[bytes, bytes]) -> str:
        """The whole observed address of a request, as operators' lists of addresses have to be asked."""
        # Without a trusted proxy the peer is the client: whatever a client writes into the field is ignored.
        return self._observed(peer, fields.get(self._field, b"")[-MAX_FORWARDED_BYTES:])[1] if self._proxies else peer

    def _observe(self, peer: str, forwarded: bytes | None) -> tuple[str, str]:
        """The bucket and the whole address."""
        direct = _address(peer)
        if direct is None:
            return peer, peer
        if not forwarded or not self._trusted(direct):
            return _bucket(direct), str(direct)
        client = self._nearest(self._hops(forwarded)) or direct
        return _bucket(client), str(client)

    def _nearest(self, hops: list[str]) -> Address | None:
        """The right-most address that is not a trusted proxy; ``None`` when the fields cannot be trusted."""
        address: Address | None = None
        # Proxies append, so the entries of trusted ones are last; those before may be forged (RFC 7239, section 8.1).
        for hop in reversed(hops):
            address = _hop(hop)
            if address is None or not self._trusted(address):
                return address
        return address

    def _trusted(self, address: Address) -> bool:
        return any(address in network for network in self._proxies)


def _listed(field: bytes) -> list[str]:
    """The hops of ``X-Forwarded-For``, the nearest ``MAX_HOPS`` of them."""
    return field.decode("latin-1").split(",")[-MAX_HOPS:]


def _forwarded(field: bytes) -> list[str]:
    """The ``for`` of each element of ``Forwarded`` (RFC 7239); empty where an element has none."""
    text = field.decode("latin-1")
    # A quoted value may hold the commas and semicolons that separate elements and pairs, so it is set aside first.
    quoted: list[str] = []

    def keep(match: re.Match[str]) -> str:
        quoted.append(match[1].replace("\\", ""))
        return f"\0{len(quoted) - 1}\0"

    elements = QUOTED.sub(keep, text).split(",")[-MAX_HOPS:]
    values = [match[1].strip() if (match := FOR.search(element)) else "" for element in elements]
    return [quoted[int(value[1:-1])] if re.fullmatch("\0[0-9]+\0", value) else value for value in values]


def _hop(text: str) -> Address | None:
    """An address with or without port, an IPv6 address with or without brackets."""
    text = text.strip()
    if match := V4_PORT.fullmatch(text) or V6_PORT.fullmatch(text):
        text = match[1]
    return _address(text)


def _address(text: str) -> Address | None:
    """The address, an IPv4-mapped one as IPv4; ``None`` for anything else, addresses with a zone included."""
    # A zone names an interface of another machine, and means nothing here.
    if "%" in text:
        return None
    try:
        address = ip_address(text)
    except ValueError:
        return None
    # On a dual-stack socket an IPv4 client appears as ::ffff:a.b.c.d; it must not get a second allowance so.
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _bucket(address: Address) -> str:
    if isinstance(address, IPv6Address):
        address = _embedded(address) or address
    return (
        str(address) if isinstance(address, IPv4Address) else str(IPv6Network((int(address), IPV6_BITS), strict=False))
    )


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address behind 6to4, Teredo or NAT64: each of them has networks without number."""
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.sixtofour or (address.teredo[1] if address.teredo else None)
