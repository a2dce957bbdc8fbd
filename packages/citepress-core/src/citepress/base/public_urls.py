"""Whether the host of a URL can be on the public internet, judged by the address alone: nothing is resolved."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network
from urllib.parse import urlsplit

from citepress.base.urls import LAST_LABEL_NUMBER, UrlError, normalise

PRIVATE_SUFFIXES = ("localhost", "local", "internal", "home.arpa")
"""Names that are reserved for one machine or one network (RFC 6761, RFC 6762, ICANN's reservation of 2024, RFC
8375)."""
PLACEHOLDER_SUFFIXES = ("test", "example", "invalid")
"""Names for tests and documentation, under which no site is ever found (RFC 6761)."""
_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_UNICAST = IPv6Network("2000::/3")
"""All of IPv6 that is assigned to public hosts; what maps or embeds IPv4 for translators lies outside, but for 6to4."""
_SPECIAL_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "168.63.129.16/32",  # where virtual machines of Azure reach their host; in no registry
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",  # relays of 6to4, which RFC 7526 has withdrawn
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3",
        ),
    )
)
_SPECIAL_V6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))
"""The special-purpose address registries of IANA (RFC 6890), with multicast.

``is_global`` of the standard library changed its mind between Python 3.11 and 3.13, so the table is ours.
"""


def refuse_private(url: str) -> None:
    """Raise ``UrlError`` unless the host of an http(s) URL may be public; the message completes "the URL …".

    Refused are addresses of loopback, private, link-local, multicast and reserved networks, IPv4 addresses that are
    not four decimal numbers (clients read 2130706433, 0x7f.1 and 0177.0.0.1 as 127.0.0.1), single labels, names
    below ``PRIVATE_SUFFIXES``, and what is no host name.
    """
    host = urlsplit(normalise(url)).hostname or ""
    if "[" in urlsplit(url).netloc:
        _refuse_private_v6(host)
    elif LAST_LABEL_NUMBER.fullmatch(host.rpartition(".")[2]):
        _refuse_private_v4(host)
    elif not _NAME.fullmatch(host):
        raise UrlError(
            "must name a public host, and a host name has at least two labels of letters, digits and hyphens"
        )
    elif any(host == suffix or host.endswith(f".{suffix}") for suffix in PRIVATE_SUFFIXES):
        raise UrlError("must name a public host; this name is reserved for private networks")


def is_public_site(url: str) -> bool:
    """Whether readers elsewhere may find a site at a URL: its host may be public, and is no placeholder."""
    try:
        refuse_private(url)
    except UrlError:
        return False
    return (urlsplit(url).hostname or "").rpartition(".")[2] not in PLACEHOLDER_SUFFIXES


def is_public(address: str) -> bool:
    """Whether an IP address belongs to a public host."""
    try:
        if ":" in address:
            _refuse_private_v6(address)
        else:
            _refuse_private_v4(address)
    except UrlError:
        return False
    return True


def _refuse_private_v4(host: str) -> None:
    try:
        address = IPv4Address(host)
    except AddressValueError:
        raise UrlError("must name a public host; an IPv4 address is written as four decimal numbers") from None
    if any(address in network for network in _SPECIAL_V4):
        raise UrlError("must name a public host; this address is loopback, private or reserved")


def _refuse_private_v6(text: str) -> None:
    try:
        address = IPv6Address(text)
    except AddressValueError:
        raise UrlError("must name a public host; this is not an IPv6 address") from None
    relayed = address.sixtofour
    if (
        address.scope_id
        or address not in _UNICAST
        or any(address in network for network in _SPECIAL_V6)
        or (relayed is not None and not is_public(str(relayed)))
    ):
        raise UrlError("must name a public host; this address is loopback, private or reserved")
