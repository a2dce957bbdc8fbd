"""The rows of telemetry's stores: raw rows for three days, names with their ids, and what elects and publishes.

Times of rows are milliseconds and hours are whole hours, both since 1970-01-01T00:00Z. The rollup store assigns the ids
of routes, materials and families; they start at 1 and are never reused; 0 means none.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias

from citepress.contract.store import StoreUnavailable

GET, HEAD_FLAG, NAVIGATION, MALFORMED, SIGNED, IMPORTED, EMBEDDED, BACKGROUND = 1, 2, 4, 8, 16, 32, 64, 128
"""Flags of a row. ``EMBEDDED``: an unmatched path that browsers ask for by themselves (pictures, styles, touch
icons). ``BACKGROUND``: a script in a page asks for it, not a person."""


class BurstRule(NamedTuple):
    """When the unmatched requests of one network are a burst."""

    slot_ms: int
    """Length of a slot of the clock; the requests of a burst are in one slot."""
    paths: int
    """How many distinct paths, none of them ``EMBEDDED``, were refused (or redirected, if they are probes) …"""
    kinds: int
    """… or how many ``hostile`` categories of probes (as rows have them) were requested, whatever the answer."""
    hostile: tuple[int, ...]


class SpoolRow(NamedTuple):
    """One request as the spool stores it: without address and text."""

    id: int
    """Id in its hour's table; grows in the order of writing."""
    ts: int
    net: int | None
    """56-bit keyed hash of the network; ``None`` if the day's salt was gone."""
    family: int
    verify: int
    route: int
    """0: no template matches."""
    material: int
    """0: no material."""
    rep: int
    status: int
    bytes: int
    flags: int
    probe: int
    """Index of the probe category plus one; 0: none."""
    miss: int
    """32-bit keyed hash of an unmatched path; 0: the path has a route."""
    source: int
    """Id of the referring operator; 0: none."""


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """A family as it was first counted; a changed purpose, class or operator makes another row."""

    id: int
    name: str
    operator: str
    purpose: str
    cls: str
    """Class in the table of families; empty for browser-like and unnamed clients."""
    operation: str
    """``direct`` or ``intermediary``."""
    disputed: str
    named: bool
    """Whether it is a named family; bracketed ones such as ``(browser-like)`` are not."""


@dataclass(frozen=True, slots=True)
class MaterialRow:
    """A page that can be read: a canonical path with HTML, Markdown or JSON."""

    id: int
    canonical_path: str
    kind: str
    published_at: int | None
    """Hour of publication."""
    html: bool
    markdown: bool
    json: bool
    current: bool
    """Whether the latest edition has it."""


FindPages: TypeAlias = Callable[[Collection[str]], Iterable[MaterialRow]]
"""The pages of an edition among these canonical paths; their ids are ignored."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What a writer adds to the spool in one transaction."""

    rows: Sequence[SpoolRow] = ()
    """Their ``id`` is ignored."""
    counts: Mapping[tuple[int, str], int] = field(default_factory=dict)
    """(hour, name): dropped, self, assets, unresolved, late; gateway/<area>/<name>/<outcome>."""
    beats: Sequence[tuple[int, int]] = ()
    """Heartbeats: (hour, slot of ten seconds) in which the worker was alive."""
    unlisted: Mapping[tuple[int, str], int] = field(default_factory=dict)
    """(hour, text): product names of unlisted automation."""
    held: Mapping[int, bytes] = field(default_factory=dict)
    """Signed requests, kept until their hour is closed, by their index in ``rows``."""


ENDED = "worker/ended"
"""Counter that a worker writes when it shuts down normally."""


class SpoolEmptied(StoreUnavailable):
    """The database has lost the spool since the last write: PostgreSQL empties unlogged tables after a crash."""


class Election(Protocol):
    """Elects one aggregator among all processes and nodes; another takes over when it dies."""

    def won(self) -> bool:
        """Try to win or keep the election; also False if the store does not answer."""
        ...

    def resign(self) -> None:
        """Let another process take over."""
        ...


class Overlay(Protocol):
    """Where rendered reports are published to all workers."""

    def put(self, generation: int, as_of: int, pack: bytes) -> None:
        """Publish a pack; two generations are kept."""
        ...

    def newest(self) -> int | None:
        """The newest generation."""
        ...

    def get(self, generation: int) -> bytes | None:
        """A pack."""
        ...
