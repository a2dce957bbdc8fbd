"""Refreshing the address lists: each is fetched, compared with the previous one, and stored only if plausible."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network
from pathlib import Path
from typing import Literal

from citepress.base import fast_json
from citepress.base.canonical import named_digest
from citepress.base.errors import CitepressError
from citepress_telemetry.identify.verify import address_lists
from citepress_telemetry.identify.verify.address_lists import AddressList
from citepress_telemetry.identify.verify.files import write_entries
from citepress_telemetry.identify.verify.ranges import Fetched, RangesError, read_ranges, write_ranges

DOCUMENT_BYTES = 5_242_880
MAX_PREFIXES = 50_000
MAX_LIST_DEPTH = 12
MIN_RANGE_PREFIX_BITS = {4: 8, 6: 16}
"""The shortest plausible prefix by IP version."""
Fetch = Callable[[str], bytes]
"""Downloads the document at an address. Raises ``FetchError``."""


class FetchError(CitepressError):
    """A document could not be fetched or used; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Renewed:
    """The outcome of refreshing one list."""

    key: str
    url: str
    outcome: Literal["new", "changed", "same", "refused"]
    prefixes: int
    """Number of networks now."""
    before: int
    """Number of networks before."""
    reason: str = ""
    """Why it was refused; the previous list remains."""


def refresh(
    path: Path,
    fetch: Fetch,
    now: datetime,
    *,
    accept: Iterable[str] = (),
    only: Iterable[str] = (),
    lists: Iterable[AddressList] | None = None,
) -> tuple[Renewed, ...]:
    """Fetch the lists into the file, and return the outcome of each; a refused list keeps its previous networks.

    ``accept`` names lists that may shrink by more than half, ``only`` those to fetch (all when empty). Raises
    ``RangesError`` when the file cannot be read or written.
    """
    standing = read_ranges(path)
    accepted, chosen = frozenset(accept), frozenset(only)
    wanted = [
        address_list
        for address_list in (address_lists.shipped() if lists is None else lists)
        if not chosen or address_list.key in chosen
    ]
    strange = sorted(chosen - {address_list.key for address_list in wanted})
    if strange:
        raise RangesError(f"no such list: {', '.join(strange)}")
    renewals = []
    for address_list in wanted:
        before = standing.get(address_list.key)
        try:
            fresh = _fetched(address_list, fetch(address_list.url), now, before, shrink=address_list.key in accepted)
        except FetchError as error:
            held = len(before.prefixes) if before else 0
            renewals.append(Renewed(address_list.key, address_list.url, "refused", held, held, str(error)))
            continue
        standing[address_list.key] = fresh
        renewals.append(_renewed(fresh, before))
    if any(renewal.outcome != "refused" for renewal in renewals):
        write_entries(path, write_ranges(standing), RangesError)
    return tuple(renewals)


def prefixes(document: bytes) -> tuple[str, ...]:
    """The networks of an operator's document, merged and sorted. Raises ``FetchError``."""
    # Operators use several shapes of JSON, so every text in it that is a network or an address counts.
    if len(document) > DOCUMENT_BYTES:
        raise FetchError(f"the document is larger than {DOCUMENT_BYTES} bytes")
    try:
        networks = [network for text in _texts(fast_json.loads(document), 0) if (network := _network(text)) is not None]
    except ValueError:
        raise FetchError("the document is not JSON") from None
    if not networks:
        raise FetchError("the document contains no network")
    if len(networks) > MAX_PREFIXES:
        raise FetchError(f"the document contains more than {MAX_PREFIXES} networks")
    if wide := next(
        (network for network in networks if network.prefixlen < MIN_RANGE_PREFIX_BITS[network.version]), None
    ):
        raise FetchError(f"{wide} is too wide for a list of one operator")
    four = collapse_addresses(network for network in networks if isinstance(network, IPv4Network))
    six = collapse_addresses(network for network in networks if isinstance(network, IPv6Network))
    return (*map(str, four), *map(str, six))


def _fetched(
    address_list: AddressList, document: bytes, now: datetime, before: Fetched | None, *, shrink: bool
) -> Fetched:
    """The list as it is now. Raises ``FetchError``."""
    networks = prefixes(document)
    if before and len(networks) * 2 < len(before.prefixes) and not shrink:
        raise FetchError(
            f"it shrank from {len(before.prefixes)} networks to {len(networks)}; check {address_list.url} and accept it"
            f" with --accept {address_list.key}"
        )
    return Fetched(address_list.key, address_list.url, now, named_digest(document), networks)


def _renewed(fresh: Fetched, before: Fetched | None) -> Renewed:
    if before is None:
        return Renewed(fresh.key, fresh.url, "new", len(fresh.prefixes), 0)
    outcome: Literal["same", "changed"] = "same" if fresh.prefixes == before.prefixes else "changed"
    return Renewed(fresh.key, fresh.url, outcome, len(fresh.prefixes), len(before.prefixes))


def _texts(node: object, depth: int) -> Iterator[str]:
    if depth > MAX_LIST_DEPTH:
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
