"""Sessions: requests of one named family from one network with no gap over 30 minutes, cut at midnight.

A session counts in the hour in which its timeout runs out, at the latest in the last hour of its day. So the row of an hour never
changes, and no session is carried over midnight, where the network keys change.
"""

from collections.abc import Iterable, Iterator

from citepress.telemetry.ports import DEPTHS, CarryOver, FamilySums, OpenSession, PathSums
from citepress.telemetry.rollup.pairs import PairCounter

GAP = 30 * 60 * 1000
"""Milliseconds without a request that a session outlives; one more ends it."""
ENTRY, END = 0, 1 << 16
"""Sides of an edge, as added to its route."""


class Session:
    """A session that goes on; its fields are those of ``OpenSession``."""

    __slots__ = ("depth", "first", "last", "material", "miss", "prev", "read", "robots_only")

    def __init__(self, ts: int, route: int, *, robots: bool) -> None:
        """Begins with a request."""
        self.last, self.depth, self.first, self.prev = ts, 1, route, route
        self.material = self.miss = self.read = 0
        self.robots_only = robots


class Walk:
    """What one named family does on its way: its sessions, steps and pairs."""

    __slots__ = ("burst", "open", "pairs", "paths", "robots", "sums")

    def __init__(self, robots: int) -> None:
        """``robots`` is the route of robots.txt, 0 where there is none."""
        self.robots = robots
        self.open: dict[int, Session] = {}
        """By network."""
        self.burst: int | None = None
        """Time of the family's last request from anywhere, while its burst goes on."""
        self.pairs = PairCounter()
        self.begin()

    def begin(self) -> None:
        """Begin an hour: what was counted belongs to the former one."""
        self.sums = FamilySums()
        self.paths = PathSums()

    def step(self, ts: int, net: int, route: int, material: int, miss: int, *, read: bool) -> None:
        """One request; requests come in the order of their times. ``read`` says whether its material was read."""
        if self.burst is not None and ts - self.burst > GAP:
            self.sums.bursts += 1
        self.burst = ts
        session = self.open.get(net)
        if session is not None and ts - session.last > GAP:
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
        """Count what ran out before ``end`` (ms), or all; what all had still open is cut."""
        for net in [net for net, session in self.open.items() if all_ or session.last + GAP < end]:
            session = self.open.pop(net)
            self.sums.cut += session.last + GAP >= end
            self._count(session)
        if self.burst is not None and (all_ or self.burst + GAP < end):
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


def resumed(before: CarryOver, robots: int) -> dict[int, Walk]:
    """The walks of all families as an hour left them."""
    walks: dict[int, Walk] = {}
    for family in {*before.bursts, *before.pairs, *(session.family for session in before.sessions)}:
        walks[family] = Walk(robots)
        walks[family].burst = before.bursts.get(family)
        if family in before.pairs:
            walks[family].pairs = PairCounter(*before.pairs[family])
    for one in before.sessions:
        session = walks[one.family].open[one.net] = Session(one.last, one.first, robots=one.robots_only)
        session.depth, session.prev, session.material, session.miss = one.depth, one.prev, one.prev_material, one.prev_miss
        session.read = one.read
    return walks


def handed_on(walks: Iterable[tuple[int, Walk]]) -> CarryOver:
    """What the next hour has to know."""
    known = sorted(walks, key=lambda item: item[0])
    return CarryOver(
        tuple(session for family, walk in known for session in _open(family, walk)),
        {family: walk.burst for family, walk in known if walk.burst is not None},
        {family: (walk.pairs.counters, walk.pairs.subtracted) for family, walk in known if walk.pairs.counters or walk.pairs.subtracted},
    )


def _open(family: int, walk: Walk) -> Iterator[OpenSession]:
    for net, one in walk.open.items():
        yield OpenSession(
            family, net, one.last, one.depth, one.first, one.prev, one.material, one.robots_only, one.miss, one.read
        )  # fmt: skip
