"""What stands for a client and for a path: hashes keyed with the salt of the day, which nobody can turn back once it is gone."""

import re
from hashlib import blake2b
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from citepress.telemetry.capture.tap import TARGET_BYTES

NETWORK_BYTES, MISS_BYTES = 7, 4
V4_BYTES, V4_NET, V6_NET = 4, 3, 6
"""Bytes of an IPv4 address, and of the networks that stand for it and its successor: /24 and /48."""
MAPPED = bytes(10) + b"\xff\xff"
"""How an IPv4 address begins that is written as IPv6."""
PLAIN = re.compile(rb"/[A-Za-z0-9/._~-]*+")
BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
Address: TypeAlias = bytes
"""An address as it is sent: four bytes or sixteen."""


def address_of(client: str) -> Address | None:
    """The address that a client is known by, an IPv4-mapped one as IPv4; ``None`` for anything else, such as a local socket."""
    try:
        address = inet_pton(AF_INET6 if ":" in client else AF_INET, client)
    except (OSError, ValueError):
        return None
    return address.removeprefix(MAPPED)


def shown(address: Address) -> str:
    """The address as people write it."""
    return inet_ntop(AF_INET if len(address) == V4_BYTES else AF_INET6, address)


def network_key(salt: bytes, address: Address) -> int:
    """56 bits for the network of an address, never 0."""
    network = address[: V4_NET if len(address) == V4_BYTES else V6_NET]
    return int.from_bytes(blake2b(network, digest_size=NETWORK_BYTES, key=salt).digest()) or 1


def path_key(salt: bytes, target: bytes) -> int:
    """32 bits for an unmatched path, never 0."""
    return int.from_bytes(blake2b(target, digest_size=MISS_BYTES, key=salt).digest()) or 1


def readable(target: bytes) -> str | None:
    """The path that a target means; ``None`` where it means none: no slash, no UTF-8, a bad escape or a control character.

    A target that the tap has cut is taken as it stands.
    """
    if PLAIN.fullmatch(target):
        return target.decode("ascii")
    raw = unquote_to_bytes(target or b"/")
    if len(target) >= TARGET_BYTES:
        return raw.decode("utf-8", "replace")
    try:
        path = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if BAD_ESCAPE.search(target) or not path.startswith("/") or CONTROL.search(path) else path
