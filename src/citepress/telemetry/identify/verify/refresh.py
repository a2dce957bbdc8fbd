"""Renewing the address lists: each is fetched, checked against what stood before, and written only when it can be believed."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from pathlib import Path
from typing import Literal

import orjson

from citepress.telemetry.identify.verify import known
from citepress.telemetry.identify.verify.files import put
from citepress.telemetry.identify.verify.known import AddressList
from citepress.telemetry.identify.verify.ranges import Fetched, RangesError, read, written

DOCUMENT_BYTES = 5_242_880
MOST_PREFIXES = 50_000
DEEPEST = 12
WIDEST = {4: 8, 6: 16}
"""A shorter prefix would cover half the world."""
Fetch = Callable[[str], bytes]
"""Gives the document at an address. Raises ``FetchError``."""


class FetchError(Exception):
    """A document could not be had; the text says why."""


@dataclass(frozen=True, slots=True)
class Renewed:
    """What became of one list."""

    key: str
    url: str
    outcome: Literal["new", "changed", "same", "refused"]
    prefixes: int
    """Networks that it holds now."""
    before: int
    """Networks that it held before."""
    reason: str = ""
    """Why it was refused; the list that stood before still stands."""


def refresh(
    path: Path,
    fetch: Fetch,
    now: datetime,
    *,
    accept: Iterable[str] = (),
    only: Iterable[str] = (),
    lists: Iterable[AddressList] | None = None,
) -> tuple[Renewed, ...]:
    """Fetch the lists into the file, and tell of each; one that cannot be believed leaves what stood before.

    ``accept`` names lists that may shrink by more than half, ``only`` those to fetch (all when empty). Raises ``RangesError`` when the
    file cannot be read or written.
    """
    standing = read(path)
    accepted, chosen = frozenset(accept), frozenset(only)
    wanted = [one for one in (known.shipped() if lists is None else lists) if not chosen or one.key in chosen]
    if strange := sorted(chosen - {one.key for one in wanted}):
        raise RangesError(f"no such list: {', '.join(strange)}")
    told = []
    for one in wanted:
        before = standing.get(one.key)
        try:
            fresh = _fetched(one, fetch(one.url), now, before, shrink=one.key in accepted)
        except FetchError as error:
            held = len(before.prefixes) if before else 0
            told.append(Renewed(one.key, one.url, "refused", held, held, str(error)))
            continue
        standing[one.key] = fresh
        told.append(_told(fresh, before))
    if any(one.outcome != "refused" for one in told):
        _write(path, written(standing))
    return tuple(told)


def prefixes(document: bytes) -> tuple[str, ...]:
    """The networks of an operator's document, merged and sorted. Raises ``FetchError``.

    Operators use several shapes of JSON, so every text in it that is written as a network or an address counts.
    """
    if len(document) > DOCUMENT_BYTES:
        raise FetchError(f"the document is larger than {DOCUMENT_BYTES} bytes")
    try:
        found = [network for text in _texts(orjson.loads(document), 0) if (network := _network(text)) is not None]
    except ValueError:
        raise FetchError("the document is no JSON") from None
    if not found:
        raise FetchError("the document names no network")
    if len(found) > MOST_PREFIXES:
        raise FetchError(f"the document names more than {MOST_PREFIXES} networks")
    if wide := next((network for network in found if network.prefixlen < WIDEST[network.version]), None):
        raise FetchError(f"{wide} is too wide for a list of one operator")
    four = collapse_addresses(network for network in found if isinstance(network, IPv4Network))
    six = collapse_addresses(network for network in found if isinstance(network, IPv6Network))
    return (*map(str, four), *map(str, six))


def _fetched(one: AddressList, document: bytes, now: datetime, before: Fetched | None, *, shrink: bool) -> Fetched:
    """The list as it is now. Raises ``FetchError``."""
    networks = prefixes(document)
    if before and len(networks) * 2 < len(before.prefixes) and not shrink:
        raise FetchError(f"it shrank from {len(before.prefixes)} networks to {len(networks)}; look at {one.url} and accept it by name")
    return Fetched(one.key, one.url, now, f"sha-256:{hashlib.sha256(document).hexdigest()}", networks)


def _told(fresh: Fetched, before: Fetched | None) -> Renewed:
    if before is None:
        return Renewed(fresh.key, fresh.url, "new", len(fresh.prefixes), 0)
    outcome: Literal["same", "changed"] = "same" if fresh.prefixes == before.prefixes else "changed"
    return Renewed(fresh.key, fresh.url, outcome, len(fresh.prefixes), len(before.prefixes))


def _texts(node: object, depth: int) -> Iterator[str]:
    if depth > DEEPEST:
        raise FetchError("the document is nested too deeply")
    if isinstance(node, str):
        yield node
    elif isinstance(node, list | dict):
        for part in node.values() if isinstance(node, dict) else node:
            yield from _texts(part, depth + 1)


def _network(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text.strip(), strict=False) if "." in text or ":" in text else None
    except ValueError:
        return None


def _write(path: Path, data: bytes) -> None:
    """Put the file in place in one step."""
    try:
        put(path, data)
    except OSError as error:
        raise RangesError(f"{path.name} cannot be written: {error.strerror or os.strerror(error.errno or 0)}") from None
