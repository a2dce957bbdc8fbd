"""The data of rollups: counts of an hour, a day or a window, and what is carried over from one hour to the next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pyroaring import BitMap

from citepress_telemetry.contract.words import SentForm, TrafficClass, VerificationState

VERIFY = VerificationState.by_number()
"""Verification states; rows hold their numbers, which are the places in this list."""
REPRESENTATIONS = SentForm.by_number()
"""Representations as sent; rows hold their numbers."""
NUMBERED_CLASSES = TrafficClass.by_number()
"""The classes; the tables of traffic hold their numbers."""
STATUS_CLASSES = ("2xx", "3xx", "4xx", "5xx", "other")
"""Five status counters; reports publish the first four, and any other status is counted in the last."""
CRASHED = "crashed"
"""Counter of an hour: workers that ended in it without shutting down; what they had not written is lost."""
FIRST = "observed/first"
"""Counter of an hour: the second at which observation began within it; the smallest wins."""
DEPTHS = 13
"""Buckets of the depth histogram: at most 1, 3, 7 … 4095, and more."""


class TrafficKey(NamedTuple):
    """One row of the traffic table."""

    cls: str
    purpose: str
    rep: int
    status_class: int
    verify: int


@dataclass(slots=True)
class Traffic:
    """Counts of requests."""

    n: int = 0
    ok: int = 0
    """Status 200 to 299, and 304."""
    n304: int = 0
    bytes: int = 0


@dataclass(slots=True)
class FamilySums:
    """What one family did in an hour, a day or a window."""

    n: int = 0
    ok: int = 0
    bytes: int = 0
    status: list[int] = field(default_factory=lambda: [0] * len(STATUS_CLASSES))
    verify: list[int] = field(default_factory=lambda: [0] * len(VERIFY))
    rep: list[int] = field(default_factory=lambda: [0] * len(REPRESENTATIONS))
    materials: BitMap = field(default_factory=BitMap)
    """Ids of the materials read (GET, 200 or 304)."""
    sessions: int = 0
    cut: int = 0
    robots_only: int = 0
    bursts: int = 0
    """Sessions by family alone, ignoring the network."""
    adrift: int = 0
    """Requests without a client address, which belong to no session."""
    depth_sum: int = 0
    depth_max: int = 0
    depth_hist: list[int] = field(default_factory=lambda: [0] * DEPTHS)


@dataclass(slots=True)
class PathSums:
    """Steps between routes and ends of sessions of one family."""

    steps: dict[int, int] = field(default_factory=dict)
    """``from << 16 | to`` (route ids): count."""
    edges: dict[int, int] = field(default_factory=dict)
    """``side << 16 | route``; side 0 is the entry, 1 the end."""


class ReadKey(NamedTuple):
    """One row of the readership table."""

    material: int
    family: int
    rep: int
    verify: int


@dataclass(slots=True)
class Reads:
    """Successful reads (GET, 200 or 304, classes crawler and ai_user_agent) of a material by a family."""

    n: int = 0
    n304: int = 0
    first: int = 0
    """Hour of the first; kept in totals."""
    last: int = 0


class Pair(NamedTuple):
    """Two materials read one after the other in a session: n ≤ true ≤ n + undercount."""

    family: int
    first: int
    second: int
    n: int
    undercount: int
    """How many may have been missed."""

    @property
    def rest(self) -> bool:
        """Whether it bounds every pair of its family that is not listed; its first and second are 0."""
        return not self.first


@dataclass(slots=True)
class Hour:
    """The rollups of one hour, or the sums of several."""

    traffic: dict[TrafficKey, Traffic] = field(default_factory=dict)
    families: dict[int, FamilySums] = field(default_factory=dict)
    paths: dict[int, PathSums] = field(default_factory=dict)
    reads: dict[ReadKey, Reads] = field(default_factory=dict)
    probes: dict[str, int] = field(default_factory=dict)
    referrals: dict[int, int] = field(default_factory=dict)
    """Browser-like page views by referring operator id."""
    gateway: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """(area, name, outcome): count."""
    counts: dict[str, int] = field(default_factory=dict)
    """dropped, late, self, assets, unresolved, and other counters of the status box."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The cursor's row of a closed hour."""

    hour: int
    rows: int
    last_row: int
    observed_seconds: int
    imported: bool
    classifier: str
    """Version of the classifier that was used."""
    counts: Mapping[str, int]
    """Counters of the hour by name, those of the gateway (``gateway/<area>/<name>/<outcome>``) included."""


@dataclass(frozen=True, slots=True)
class Imported:
    """How far a log file has been counted; digests are SHA-256 over decompressed bytes."""

    head: bytes
    """Digest of its first ``head_size`` bytes, which identifies the file whatever its name."""
    head_size: int
    """4,096, or fewer if the file was shorter."""
    digest: bytes
    """Digest of everything up to ``position``, which proves that it is the same file."""
    position: int
    """Bytes read."""
    first_uncounted: int
    """Offset of the first line that is not counted yet."""
    last_hour: int
    """Last hour counted: lines between ``first_uncounted`` and ``position`` that are not after it are counted
    already."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session that is still open at the end of an hour."""

    family: int
    net: int
    last: int
    """Time of its last request, ms."""
    depth: int
    first: int
    """Route of its first request."""
    prev: int
    """Route of its last request."""
    prev_material: int
    robots_only: bool
    prev_miss: int = 0
    """Keyed hash of the path of its last request, if that was unmatched."""
    read: int = 0
    """The last material read (GET, 200 or 304), whatever was requested since."""


@dataclass(frozen=True, slots=True)
class CarryOver:
    """What is carried over to the next hour: open sessions, family bursts and pair counters; empty after midnight."""

    sessions: Sequence[OpenSession] = ()
    bursts: Mapping[int, int] = field(default_factory=dict)
    """Family: time of its last request, ms."""
    pairs: Mapping[int, tuple[Mapping[tuple[int, int], int], int]] = field(default_factory=dict)
    """Family: counters by (from, to), and the amount subtracted so far."""


@dataclass(frozen=True, slots=True)
class Day:
    """One UTC day of the history."""

    day: int
    """Days since 1970-01-01."""
    observed_seconds: int
    complete: bool
    imported: bool
    classifiers: tuple[str, ...]
    traffic: Mapping[TrafficKey, Traffic]
