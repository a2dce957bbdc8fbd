"""Hashes of networks and paths, keyed with the salt of the day: irreversible once the salt is gone."""

import re
from hashlib import blake2b
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from citepress_telemetry.capture.tap import TARGET_BYTES

NETWORK_BYTES, MISS_BYTES = 7, 4
V4_BYTES, V4_NET, V6_NET = 4, 3, 6
"""Bytes of an IPv4 address, of an IPv4 network (/24) and of an IPv6 network (/48)."""
MAPPED = bytes(10) + b"\xff\xff"
"""Prefix of an IPv4-mapped IPv6 address."""
PLAIN_PATH = re.compile(rb"/[A-Za-z0-9/._~-]*+")
BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
Address: TypeAlias = bytes
"""A packed address: four bytes or sixteen."""


def address_of(client: str) -> Address | None:
    """The packed address of a client, IPv4-mapped ones as IPv4; ``None`` for anything else, such as a socket."""
    try:
        address = inet_pton(AF_INET6 if ":" in client else AF_INET, client)
    except (OSError, ValueError):
        return None
    return address.removeprefix(MAPPED)


def address_text(address: Address) -> str:
    """The address in text form."""
    return inet_ntop(AF_INET if len(address) == V4_BYTES else AF_INET6, address)


def network_key(salt: bytes, address: Address) -> int:
    """56 bits for the network of an address, never 0."""
    network = address[: V4_NET if len(address) == V4_BYTES else V6_NET]
    return int.from_bytes(blake2b(network, digest_size=NETWORK_BYTES, key=salt).digest()) or 1


def path_key(salt: bytes, target: bytes) -> int:
    """32 bits for an unmatched path, never 0."""
    return int.from_bytes(blake2b(target, digest_size=MISS_BYTES, key=salt).digest()) or 1


def readable(target: bytes) -> str | None:
    """The decoded path of a target; ``None`` without a slash, or with a bad escape, bad UTF-8 or a control character.

    A target that the tap has truncated is not checked.
    """
    if PLAIN_PATH.fullmatch(target):
        return target.decode("ascii")
    raw = unquote_to_bytes(target or b"/")
    if len(target) >= TARGET_BYTES:
        return raw.decode("utf-8", "replace")
    try:
        path = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if BAD_ESCAPE.search(target) or not path.startswith("/") or CONTROL.search(path) else path
