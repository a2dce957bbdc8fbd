"""What happened at the door, as it lies in memory for a moment; and what is needed of whoever hands it over.

The room does not know the door: requests, answers and leaves are whatever has these members.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

Note: TypeAlias = tuple[str, str, str]
"""(area, name, outcome) of something done beside reading; each a word of a closed list."""
Fields: TypeAlias = Sequence[tuple[bytes, bytes]]


class ServedLeaf(Protocol):
    """What was sent, as far as it is counted."""

    @property
    def route(self) -> str:
        """Path template."""
        ...

    @property
    def canonical(self) -> str:
        """Canonical path of the page that it is a form of; empty for others."""
        ...

    @property
    def kind(self) -> str:
        """html, markdown, json, text, xml, asset."""
        ...

    @property
    def status(self) -> int:
        """200, 308 or 410."""
        ...


class ServedRequest(Protocol):
    """A request as the door read it."""

    method: str
    target: bytes
    query: bytes
    headers: Iterable[tuple[bytes, bytes]]
    """Names in lower case."""
    peer: str
    fields: dict[bytes, bytes]


class ServedResponse(Protocol):
    """An answer as it was sent."""

    @property
    def status(self) -> int:
        """HTTP status."""
        ...

    @property
    def headers(self) -> Fields:
        """Fields of the answer."""
        ...

    @property
    def body(self) -> bytes | memoryview:
        """What was sent."""
        ...

    @property
    def leaf(self) -> ServedLeaf | None:
        """The published leaf that it came from."""
        ...

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was done beside reading."""
        ...


ClientOf: TypeAlias = Callable[[str, dict[bytes, bytes]], str]
"""The observed address of a client, by the peer and the request's fields."""
Signed: TypeAlias = tuple[bytes, bytes, bytes, bytes]
"""Signature, Signature-Input, Signature-Agent and target of a signed request; all empty where they are too long to be kept."""
Event: TypeAlias = tuple[
    int, str, bytes, bytes, bytes, bytes, Signed | None, str, bytes, bytes, ServedLeaf | None, Fields | None, int, int, tuple[Note, ...]
]
"""Time (ns), client address, user agent, Accept, Referer, Sec-Fetch-Mode, signed, method, target where no leaf was sent, query,
leaf, header of the answer where there is no leaf, status, bytes, notes.

A plain tuple: it is made in the path of every request, and a named one costs five times as much.
"""
