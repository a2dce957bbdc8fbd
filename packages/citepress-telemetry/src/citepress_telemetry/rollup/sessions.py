"""Sessions: requests of one named family from one network with no gap over 30 minutes, cut at midnight.

A session is counted in the hour in which it times out, at the latest in the last hour of its day. So the row of an
hour never changes, and no session is carried over midnight, when the network keys change.
"""

from collections.abc import Iterable, Iterator

from citepress_telemetry.model import DEPTHS, CarryOver, FamilySums, OpenSession, PathSums
from citepress_telemetry.sums.pairs import PairCounter

SESSION_GAP_MS = 30 * 60 * 1000
"""Milliseconds without a request after which a session has ended."""
ENTRY, END = 0, 1 << 16
"""Sides of an edge, as added to its route."""


class Session:
    """An open session; its fields are those of ``OpenSession``."""

    __slots__ = ("depth", "first", "last", "material", "miss", "prev", "read", "robots_only")

    def __init__(self, ts: int, route: int, *, robots: bool) -> None:
        """Start with a request."""
        self.last, self.depth, self.first, self.prev = ts, 1, route, route
        self.material = self.miss = self.read = 0
        self.robots_only = robots


class Walk:
    """The sessions, steps and pairs of one named family."""

    __slots__ = ("burst", "open", "pairs", "paths", "robots", "sums")

    def __init__(self, robots: int) -> None:
        """``robots`` is the route of robots.txt, or 0."""
        self.robots = robots
        self.open: dict[int, Session] = {}
        """By network."""
        self.burst: int | None = None
        """Time of the family's last request from any network while its burst is open."""
        self.pairs = PairCounter()
        self.begin()

    def begin(self) -> None:
        """Start an hour: earlier counts belong to the previous one."""
        self.sums = FamilySums()
        self.paths = PathSums()

    def step(self, ts: int, net: int, route: int, material: int, miss: int, *, read: bool) -> None:
        """Add a request; requests come in the order of their times. ``read``: whether its material was read."""
        if self.burst is not None and ts - self.burst > SESSION_GAP_MS:
            self.sums.bursts += 1
        self.burst = ts
        session = self.open.get(net)
        if session is not None and ts - session.last > SESSION_GAP_MS:
            self._count(session)
            session = None
        if session is None:
            session = self.open[net] = Session(ts, route, robots=0 < route == self.robots)
        else:
            self._go_on(session, ts, route, material, miss)
        session.material, session.miss = material, miss
        if read and material:
            if session.read and session.read != material:
                self.pairs.add(session.read, material)
            session.read = material

    def sweep(self, end: int, *, all_: bool) -> None:
        """Count the sessions that timed out before ``end`` (ms), or all; those that were still open are cut."""
        for net in [net for net, session in self.open.items() if all_ or session.last + SESSION_GAP_MS < end]:
            session = self.open.pop(net)
            self.sums.cut += session.last + SESSION_GAP_MS >= end
            self._count(session)
        if self.burst is not None and (all_ or self.burst + SESSION_GAP_MS < end):
            self.sums.bursts += 1
            self.burst = None

    def _go_on(self, session: Session, ts: int, route: int, material: int, miss: int) -> None:
        if session.prev != route or session.material != material or session.miss != miss:
            key, steps = session.prev << 16 | route, self.paths.steps
            steps[key] = steps.get(key, 0) + 1
        session.last, session.prev = ts, route
        session.depth += 1
        if session.robots_only and route != self.robots:
            session.robots_only = False

    def _count(self, session: Session) -> None:
        sums, edges, depth = self.sums, self.paths.edges, session.depth
        sums.sessions += 1
        sums.robots_only += session.robots_only
        sums.depth_sum += depth
        sums.depth_max = max(sums.depth_max, depth)
        sums.depth_hist[min(depth.bit_length(), DEPTHS) - 1] += 1
        for key in (ENTRY | session.first, END | session.prev):
            edges[key] = edges.get(key, 0) + 1


def resume_sessions(before: CarryOver, robots: int) -> dict[int, Walk]:
    """The walks of all families as the previous hour left them."""
    walks: dict[int, Walk] = {}
    for family in {*before.bursts, *before.pairs, *(session.family for session in before.sessions)}:
        walks[family] = Walk(robots)
        walks[family].burst = before.bursts.get(family)
        if family in before.pairs:
            walks[family].pairs = PairCounter(*before.pairs[family])
    for stored in before.sessions:
        session = walks[stored.family].open[stored.net] = Session(stored.last, stored.first, robots=stored.robots_only)
        session.depth, session.prev, session.material, session.miss = (
            stored.depth,
            stored.prev,
            stored.prev_material,
            stored.prev_miss,
        )
        session.read = stored.read
    return walks


def handed_on(walks: Iterable[tuple[int, Walk]]) -> CarryOver:
    """What is carried over to the next hour."""
    by_family = sorted(walks, key=lambda item: item[0])
    return CarryOver(
        tuple(session for family, walk in by_family for session in _open(family, walk)),
        {family: walk.burst for family, walk in by_family if walk.burst is not None},
        {
            family: (walk.pairs.counters, walk.pairs.subtracted)
            for family, walk in by_family
            if walk.pairs.counters or walk.pairs.subtracted
        },
    )


def _open(family: int, walk: Walk) -> Iterator[OpenSession]:
    for net, session in walk.open.items():
        yield OpenSession(
            family,
            net,
            session.last,
            session.depth,
            session.first,
            session.prev,
            session.material,
            session.robots_only,
            session.miss,
            session.read,
        )
