"""A response as an event in memory, and the members that events need of a leaf."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from citepress.contract.notes import Note

HeaderFields: TypeAlias = Sequence[tuple[bytes, bytes]]


class ServedLeaf(Protocol):
    """The leaf that was sent, as far as it is counted."""

    @property
    def route(self) -> str:
        """Path template."""
        ...

    @property
    def canonical(self) -> str:
        """Canonical path of the page that it is a form of; empty otherwise."""
        ...

    @property
    def kind(self) -> str:
        """html, markdown, json, text, xml, asset."""
        ...

    @property
    def status(self) -> int:
        """200, 308 or 410."""
        ...


ClientOf: TypeAlias = Callable[[str, dict[bytes, bytes]], str]
"""The client address from the peer and the request's fields."""
SignedFields: TypeAlias = tuple[bytes, bytes, bytes, bytes]
"""Signature, Signature-Input, Signature-Agent and target of a signed request; all empty if they are too long."""
Event: TypeAlias = tuple[
    int,
    str,
    bytes,
    bytes,
    bytes,
    bytes,
    SignedFields | None,
    str,
    bytes,
    bytes,
    ServedLeaf | None,
    HeaderFields | None,
    int,
    int,
    tuple[Note, ...],
]
"""Time (ns), client address, user agent, Accept, Referer, Sec-Fetch-Mode, signed, method, target if no leaf was sent,
query, leaf, response fields if there is no leaf, status, bytes, notes.

A plain tuple: one is made for every request, and a named tuple costs five times as much.
"""
