"""What the telemetry room needs of a store: a spool of raw rows for three days, rollups of closed hours for ever.

Times of rows are milliseconds and hours are whole hours, both since 1970-01-01T00:00Z; ids of routes, materials and families are
given by the rollup store, start at 1 and are never used again; 0 means none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from citepress.contract.store import StoreUnavailable
from citepress.telemetry.model import (
    CLASSES,
    CRASHED,
    DEPTHS,
    FIRST,
    REPRESENTATIONS,
    STATUS_CLASSES,
    VERIFY,
    CarryOver,
    Closed,
    Day,
    FamilySums,
    Hour,
    Imported,
    OpenSession,
    Pair,
    PathSums,
    ReadKey,
    Reads,
    Traffic,
    TrafficKey,
)

__all__ = [
    "CLASSES",
    "CRASHED",
    "DEPTHS",
    "EMBEDDED",
    "ENDED",
    "FIRST",
    "GET",
    "HEAD",
    "IMPORTED",
    "MALFORMED",
    "NAVIGATION",
    "REPRESENTATIONS",
    "SIGNED",
    "STATUS_CLASSES",
    "VERIFY",
    "Batch",
    "BurstRule",
    "CarryOver",
    "Closed",
    "Day",
    "Dimensions",
    "Election",
    "FamilyRow",
    "FamilySums",
    "Hour",
    "Imported",
    "MaterialRow",
    "OpenSession",
    "Overlay",
    "Pair",
    "PathSums",
    "ReadKey",
    "Reads",
    "Rollups",
    "Spool",
    "SpoolEmptied",
    "SpoolRow",
    "Traffic",
    "TrafficKey",
]

GET, HEAD, NAVIGATION, MALFORMED, SIGNED, IMPORTED, EMBEDDED = 1, 2, 4, 8, 16, 32, 64
"""Flags of a row. ``EMBEDDED``: an unmatched path that browsers ask for by themselves (pictures, styles, touch icons)."""


class BurstRule(NamedTuple):
    """When the unmatched requests of one network are a burst."""

    slot_ms: int
    """They lie in one slot of the clock of so many milliseconds."""
    paths: int
    """So many distinct paths, none of them ``EMBEDDED``, were refused (or redirected, where they are probes) …"""
    kinds: int
    """… or so many sorts of ``hostile`` probes (categories as a row has them) were asked for, whatever was answered."""
    hostile: tuple[int, ...]


class SpoolRow(NamedTuple):
    """One request as the spool keeps it: no address, no text."""

    id: int
    """Place in its hour's table; grows with the time of writing."""
    ts: int
    net: int | None
    """56-bit keyed hash of the network; ``None`` where the day's salt was gone."""
    family: int
    verify: int
    route: int
    """0: no template fits."""
    material: int
    """0: no material."""
    rep: int
    status: int
    bytes: int
    flags: int
    probe: int
    """Place of the probe category plus one; 0: none."""
    miss: int
    """32-bit keyed hash of an unmatched path; 0: the path has a route."""
    source: int
    """Referring operator: id in the rollup store; 0: none."""


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """A family as it was when it was first counted; a changed purpose, class or operator is another row."""

    id: int
    name: str
    operator: str
    purpose: str
    cls: str
    """Class that the family's table says; empty for browser-like and unnamed clients."""
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
    """Whether the edition last seen has it."""


class Dimensions(Protocol):
    """Names and their ids; known ids come from memory, new ones are allocated in the store."""

    def family(self, name: str, operator: str, purpose: str, cls: str, operation: str, disputed: str, *, named: bool) -> int:
        """The id of a family; see ``FamilyRow``."""
        ...

    def route(self, template: str) -> int:
        """The id of a route template."""
        ...

    def operator(self, name: str) -> int:
        """The id of a referring operator."""
        ...

    def materials(self, known: Iterable[MaterialRow]) -> Mapping[str, int]:
        """Upsert the materials of an edition (ids of the rows given are not read); ids by canonical path. Others are no longer current."""
        ...

    def families(self) -> Mapping[int, FamilyRow]:
        """Every family by id."""
        ...

    def routes(self) -> Mapping[int, str]:
        """Every template by id."""
        ...

    def operators(self) -> Mapping[int, str]:
        """Every referring operator by id."""
        ...

    def all_materials(self) -> Mapping[int, MaterialRow]:
        """Every material by id."""
        ...


@dataclass(frozen=True, slots=True)
class Batch:
    """What a writer puts into the spool in one transaction."""

    rows: Sequence[SpoolRow] = ()
    """Their ``id`` is not read."""
    counts: Mapping[tuple[int, str], int] = field(default_factory=dict)
    """(hour, name): dropped, self, assets, unresolved, late; gateway/<area>/<name>/<outcome>."""
    beats: Sequence[tuple[int, int]] = ()
    """(hour, slot of ten seconds) in which the worker lived."""
    unlisted: Mapping[tuple[int, str], int] = field(default_factory=dict)
    """(hour, text): names of products of unlisted automation."""
    held: Mapping[int, bytes] = field(default_factory=dict)
    """What is kept of signed requests until their hour is closed, by their place in ``rows``."""


ENDED = "worker/ended"
"""Counter that a worker leaves when it ends of its own accord."""


class SpoolEmptied(StoreUnavailable):
    """The database lost what the spool held since this process wrote last (PostgreSQL empties unlogged tables after a crash)."""


class Spool(Protocol):
    """Raw rows, a table each hour; disposable."""

    def append(self, worker: str, batch: Batch) -> None:
        """Write a batch, whole or not at all. Raises ``StoreUnavailable``, and once ``SpoolEmptied`` where all that was written is lost."""
        ...

    def hours(self) -> Sequence[int]:
        """Hours that hold rows, counts or beats, in order."""
        ...

    def read(self, hour: int, after: int = 0) -> Iterator[SpoolRow]:
        """Rows of an hour with an id above ``after``, by time and id; streamed."""
        ...

    def last(self, hour: int) -> int:
        """The highest row id of an hour; 0 without rows."""
        ...

    def bursts(self, hour: int, rule: BurstRule) -> frozenset[tuple[int, int]]:
        """(net, slot of the clock) of every burst."""
        ...

    def counted(self, hour: int) -> Mapping[str, int]:
        """The counters of an hour, workers added."""
        ...

    def beaten(self, hour: int) -> int:
        """Slots of ten seconds in which any worker lived (0 to 360)."""
        ...

    def first_beat(self, hour: int) -> int | None:
        """The first slot of an hour in which any worker lived."""
        ...

    def vanished(self, hour: int) -> int:
        """Workers whose last sign of life is in an hour, and that did not say that they end."""
        ...

    def salt(self, day: int) -> bytes:
        """The 32 bytes of a day (days since 1970), made if nobody did; only today's and yesterday's until it is overwritten."""
        ...

    def forget_salts(self, before_day: int) -> None:
        """Overwrite the salts of earlier days, beyond recovery."""
        ...

    def forget_unlisted(self) -> None:
        """Delete every text of a user agent, beyond recovery."""
        ...

    def signed(self, hour: int) -> Mapping[int, bytes]:
        """What is kept of the signed requests of an hour, by row id."""
        ...

    def forget_signed(self, before_hour: int) -> None:
        """Delete what is kept of signed requests of earlier hours."""
        ...

    def drop(self, hour: int) -> None:
        """Drop the rows and counters of an hour."""
        ...

    def size(self) -> int:
        """Bytes that the spool takes."""
        ...


class Rollups(Protocol):
    """Counts of closed hours; one transaction an hour, so that no crash counts twice or not at all."""

    def last_closed(self, *, live: bool = False) -> Closed | None:
        """The newest closed hour; with ``live`` the newest that was not imported."""
        ...

    def first_closed(self) -> Closed | None:
        """The oldest closed hour."""
        ...

    def closed(self, first: int, end: int) -> Sequence[Closed]:
        """Cursor rows of the hours in ``[first, end)``, in order."""
        ...

    def open_state(self) -> CarryOver:
        """What the newest closed hour handed on."""
        ...

    def close(self, cursor: Closed, rows: Hour, after: CarryOver, pairs: Sequence[Pair] = ()) -> bool:
        """Write an hour, its open state and its cursor in one transaction; at the end of a day also the day's tables and ``pairs``.

        False, and nothing written, when the hour was closed already. Raises ``StoreUnavailable``.
        """
        ...

    def close_imported(
        self, cursor: Closed, rows: Hour, files: Sequence[Imported], pairs: Sequence[Pair] = (), late: Sequence[tuple[Closed, Hour]] = ()
    ) -> bool:
        """Write or add to an imported hour, and how far its files are counted, in one transaction; open sessions stay the importer's.

        An hour that was imported before takes the rows in addition; one that was closed live without being observed becomes an imported
        one. False, and nothing written, when the hour was observed live. ``pairs`` (of a whole day) may come with any hour of the day.
        ``late`` are lines of other hours that came after their hour was written; those of hours that were observed live are passed over.
        """
        ...

    def close_imports(
        self, hours: Sequence[tuple[Closed, Hour, Sequence[Pair]]], files: Sequence[Imported], late: Sequence[tuple[Closed, Hour]] = ()
    ) -> frozenset[int]:
        """Write or add to several imported hours, and how far their files are counted, in one transaction; see ``close_imported``.

        Gives the hours that were observed live. Where there are any, nothing is written.
        """
        ...

    def imported(self, head: bytes) -> Imported | None:
        """How far the file with this head was counted."""
        ...

    def imports(self) -> Sequence[Imported]:
        """Every file that was counted."""
        ...

    def add(self, hour: int, rows: Hour, last_row: int, *, after: int, observed_seconds: int = 0) -> bool:
        """Add late rows to a closed hour (counts, bitmaps, readership); raises ``LookupError`` for an hour that is not closed.

        ``after`` is the row after which they were read: False, and nothing written, when that is no longer the hour's last row.
        ``observed_seconds`` count when they are more than is known.
        """
        ...

    def window(self, first: int, end: int) -> Hour:
        """The sums of the hours in ``[first, end)``: whole days from day tables, both ends from hours; without reads."""
        ...

    def reads(self, first: int, end: int) -> Mapping[ReadKey, Reads]:
        """Readership of at most 48 hours back."""
        ...

    def read_totals(self) -> Mapping[ReadKey, Reads]:
        """Readership since the beginning, the open day included."""
        ...

    def pairs(self, first_day: int, end_day: int) -> Sequence[Pair]:
        """Pairs of whole days, added by family and materials, without the rows of the rest; the bounds hold for the sums."""
        ...

    def days(self, count: int) -> Sequence[Day]:
        """The newest ``count`` days that were observed, oldest first, the open day last."""
        ...

    def daily(self, first_day: int, end_day: int) -> Mapping[int, Mapping[int, int]]:
        """Requests by family of each day in ``[first_day, end_day)`` that has any, the open day included."""
        ...

    def months(self) -> Sequence[tuple[str, Day]]:
        """Whole months since the beginning (``2026-11``), oldest first."""
        ...

    def forget(self, hour: int) -> None:
        """Drop what is past its retention at this hour (hours 31 d, readership hours 48 h, day tables 400 d)."""
        ...


class Election(Protocol):
    """One aggregator among all processes and nodes; another takes over when it dies."""

    def won(self) -> bool:
        """Whether this process is the one, tried or looked at again. False, too, when the store does not answer."""
        ...

    def resign(self) -> None:
        """Let another be it."""
        ...


class Overlay(Protocol):
    """Where rendered reports stand for every worker."""

    def put(self, generation: int, as_of: int, pack: bytes) -> None:
        """Publish a pack; two generations are kept."""
        ...

    def newest(self) -> int | None:
        """The newest generation."""
        ...

    def get(self, generation: int) -> bytes | None:
        """A pack."""
        ...
