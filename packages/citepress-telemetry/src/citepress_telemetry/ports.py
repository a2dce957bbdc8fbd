"""What telemetry needs of a store: a spool of raw rows for three days, and permanent rollups of closed hours.

Times of rows are milliseconds and hours are whole hours, both since 1970-01-01T00:00Z. The rollup store assigns the ids
of routes, materials and families; they start at 1 and are never reused; 0 means none.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias

from citepress.contract.store import StoreUnavailable
from citepress_telemetry.model import CarryOver, Closed, Day, Hour, Imported, Pair, ReadKey, Reads

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


class Dimensions(Protocol):
    """Names and their ids; ids are cached in memory, and new ones allocated in the store."""

    def family(
        self, name: str, operator: str, purpose: str, cls: str, operation: str, disputed: str, *, named: bool
    ) -> int:
        """The id of a family; see ``FamilyRow``."""
        ...

    def route(self, template: str) -> int:
        """The id of a route template."""
        ...

    def operator(self, name: str) -> int:
        """The id of a referring operator."""
        ...

    def materials(self, rows: Iterable[MaterialRow]) -> Mapping[str, int]:
        """Upsert the materials of an edition, whose own ids are ignored; return the ids by canonical path.

        All other materials are no longer current.
        """
        ...

    def material_ids(self, paths: Collection[str], pages: FindPages) -> Mapping[str, int]:
        """The ids of materials by canonical path; those that are not stored yet are added as ``pages`` describes them.

        A path that is neither stored nor a page has none. Nothing is changed of other materials.
        """
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


class Spool(Protocol):
    """Raw rows, one table for each hour; disposable."""

    def append(self, worker: str, batch: Batch) -> None:
        """Write a batch atomically.

        Raises ``StoreUnavailable``, and once ``SpoolEmptied`` after everything written was lost.
        """
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
        """The counters of an hour, summed over workers."""
        ...

    def observed_slots(self, hour: int) -> int:
        """Slots of ten seconds in which any worker was alive (0 to 360)."""
        ...

    def first_beat(self, hour: int) -> int | None:
        """The first slot of an hour in which any worker was alive."""
        ...

    def vanished(self, hour: int) -> int:
        """Workers whose last heartbeat is in an hour and that did not shut down normally."""
        ...

    def salt(self, day: int) -> bytes:
        """The 32-byte salt of a day (days since 1970), created on first use.

        Only for today, and for yesterday until its salt is overwritten.
        """
        ...

    def forget_salts(self, before_day: int) -> None:
        """Overwrite the salts of earlier days, beyond recovery."""
        ...

    def forget_unlisted(self) -> None:
        """Delete all product names of unlisted automation, beyond recovery."""
        ...

    def signed(self, hour: int) -> Mapping[int, bytes]:
        """The signed requests of an hour, by row id."""
        ...

    def forget_signed(self, before_hour: int) -> None:
        """Delete the signed requests of earlier hours."""
        ...

    def drop(self, hour: int) -> None:
        """Drop the rows and counters of an hour."""
        ...

    def size(self) -> int:
        """Bytes that the spool occupies."""
        ...


class Rollups(Protocol):
    """Counts of closed hours; one transaction an hour, so that a crash neither loses nor repeats counts."""

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
        """What the newest closed hour carried over."""
        ...

    def close(self, cursor: Closed, rows: Hour, after: CarryOver, pairs: Sequence[Pair] = ()) -> bool:
        """Write an hour, its open state and its cursor in one transaction.

        At the end of a day also the day's tables and ``pairs``. Returns False and writes nothing if the hour was closed
        already. Raises ``StoreUnavailable``.
        """
        ...

    def close_imported(
        self,
        cursor: Closed,
        rows: Hour,
        files: Sequence[Imported],
        pairs: Sequence[Pair] = (),
        late: Sequence[tuple[Closed, Hour]] = (),
    ) -> bool:
        """Write or add to an imported hour, and the position reached in its files, in one transaction.

        Rows are added to an hour that was imported before; an hour that was closed live without being observed becomes
        an imported one. Returns False and writes nothing if the hour was observed live. ``pairs`` (of a whole day) may
        come with any hour of the day. ``late`` are lines of other hours that arrived after their hour was written;
        those of hours observed live are skipped.
        """
        ...

    def close_imports(
        self,
        hours: Sequence[tuple[Closed, Hour, Sequence[Pair]]],
        files: Sequence[Imported],
        late: Sequence[tuple[Closed, Hour]] = (),
    ) -> frozenset[int]:
        """Write or add to several imported hours in one transaction; see ``close_imported``.

        Returns the hours that were observed live. If there are any, nothing is written.
        """
        ...

    def imported(self, head: bytes) -> Imported | None:
        """The position reached in the file with this head."""
        ...

    def imports(self) -> Sequence[Imported]:
        """The positions reached in all files."""
        ...

    def add(self, hour: int, rows: Hour, last_row: int, *, after: int, observed_seconds: int = 0) -> bool:
        """Add late rows to a closed hour (counts, bitmaps, readership).

        Raises ``LookupError`` for an hour that is not closed.

        ``after`` is the row after which they were read: returns False and writes nothing if that is no longer the
        hour's last row. ``observed_seconds`` replaces a smaller value.
        """
        ...

    def window(self, first: int, end: int) -> Hour:
        """The sums of the hours in ``[first, end)``, without reads; whole days come from the day tables."""
        ...

    def reads(self, first: int, end: int) -> Mapping[ReadKey, Reads]:
        """Readership of at most 48 hours back."""
        ...

    def read_totals(self) -> Mapping[ReadKey, Reads]:
        """Readership since the beginning, the open day included."""
        ...

    def pairs(self, first_day: int, end_day: int) -> Sequence[Pair]:
        """Pairs of whole days, summed by family and materials, without the rows of the rest."""
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
        """Delete what is past its retention: hours after 31 d, readership hours after 48 h, day tables after 400 d."""
        ...


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
