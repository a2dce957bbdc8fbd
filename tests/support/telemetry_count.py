"""An independent count of traffic: slow, simple, over the whole list, written from the rules, not from the code."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citepress_telemetry.contract.words import TrafficClass
from citepress_telemetry.model import Hour
from citepress_telemetry.ports import FamilyRow, SpoolRow

HOUR_MS, DAY_HOURS, HALF_HOUR, TEN_MINUTES = 3_600_000, 24, 1_800_000, 600_000
GET, NAVIGATION, MALFORMED, EMBEDDED, BACKGROUND = 1, 4, 8, 64, 128
NAMES = (
    "dotfile",
    "wordpress",
    "script",
    "console",
    "backup",
    "traversal",
    "injection",
    "device",
    "redirect",
    "address",
)
ATTACKS = ("traversal", "injection", "redirect")
HIDDEN = ("dotfile", "wordpress", "device", *ATTACKS)


@dataclass(frozen=True)
class Arrival:
    """A row, and how many closings after that of its own hour it is late (0: in time)."""

    row: SpoolRow
    late: int = 0


@dataclass
class Count:
    """Everything that the rollups of some hours say: sums, maxima and sets by flat keys."""

    sums: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    most: dict[int, int] = field(default_factory=dict)
    sets: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))

    def __add__(self, other: "Count") -> "Count":
        most = {key: max(self.most.get(key, 0), other.most.get(key, 0)) for key in {*self.most, *other.most}}
        sets = {key: self.sets.get(key, set()) | other.sets.get(key, set()) for key in {*self.sets, *other.sets}}
        return Count(self.sums + other.sums, most, sets)

    def comparable(self) -> tuple[Any, ...]:
        """What can be compared."""
        return (
            dict(self.sums),
            {k: n for k, n in self.most.items() if n},
            {k: set(s) for k, s in self.sets.items() if s},
        )


def class_of(row: SpoolRow, family: FamilyRow, burst: bool) -> str:
    """The class of a request, first rule wins."""
    if row.verify > 2 and _scans(row, family, burst):
        return "scanner_noise"
    if row.verify == 4:
        return "machine_route"
    if family.cls == "ai_user_agent":
        return "ai_user_agent"
    if family.named and family.purpose != "library":
        return "crawler"
    page = row.flags & GET and row.flags & NAVIGATION and row.rep == 0 and row.status in (200, 304)
    page = page and not row.flags & BACKGROUND and _kind(row) in ("", "script")
    return "human_page_view" if family.name == "(browser-like)" and page else "machine_route"


def _kind(row: SpoolRow) -> str:
    return NAMES[row.probe - 1] if row.probe else ""


def _scans(row: SpoolRow, family: FamilyRow, burst: bool) -> bool:
    kind, refused = _kind(row), _refused(row)
    if row.flags & MALFORMED or family.cls == "scanner_noise" or kind in ATTACKS:
        return True
    if family.named and family.purpose != "library" and row.verify != 4:
        return not row.route and refused and kind in HIDDEN
    if row.route:
        return kind == "address"
    successful = 200 <= row.status < 300 or row.status == 304
    return (bool(kind) and (refused or burst)) or (burst and not successful)


def _refused(row: SpoolRow) -> bool:
    return 400 <= row.status <= 499 and row.status not in (408, 412, 416)


def count(traffic: Sequence[Arrival], families: Mapping[int, FamilyRow], robots: int) -> dict[int, Count]:
    """What each hour has to say."""
    hours: dict[int, Count] = defaultdict(Count)
    for hour, arrivals in _by(traffic, lambda arrival: arrival.row.ts // HOUR_MS).items():
        classes = {
            item.row.ts: class_of(item.row, families[item.row.family], _bursting(arrivals, item)) for item in arrivals
        }
        classes |= dict.fromkeys(_by_timers(arrivals, classes), "machine_route")
        for item in arrivals:
            _request(hours[hour], item, families[item.row.family], classes[item.row.ts])
    walked = [
        arrival.row
        for arrival in traffic
        if not arrival.late
        and families[arrival.row.family].named
        and arrival.row.verify != 4
        and arrival.row.net is not None
    ]
    for session in _sessions(walked, lambda row: (row.family, row.net)):
        _session(hours, session, robots)
    for burst in _sessions(walked, lambda row: (row.family,)):
        hours[_counted_in(burst)].sums["family", burst[0].family, "bursts"] += 1
    return hours


def true_pairs(traffic: Sequence[Arrival], families: Mapping[int, FamilyRow]) -> Counter[tuple[int, int, int, int]]:
    """(day, family, from, to) of materials read one after the other in a session."""
    walked = [
        arrival.row
        for arrival in traffic
        if not arrival.late
        and families[arrival.row.family].named
        and arrival.row.verify != 4
        and arrival.row.net is not None
    ]
    pairs: Counter[tuple[int, int, int, int]] = Counter()
    for session in _sessions(walked, lambda row: (row.family, row.net)):
        read = [row.material for row in session if _reads(row, class_of(row, families[row.family], burst=False))]
        day = session[0].ts // HOUR_MS // DAY_HOURS
        pairs.update((day, session[0].family, a, b) for a, b in itertools.pairwise(read) if a != b)
    return pairs


def _reads(row: SpoolRow, cls: str) -> bool:
    return bool(row.material and row.flags & GET and row.status in (200, 304) and cls != "scanner_noise")


def _by_timers(arrivals: Sequence[Arrival], classes: Mapping[int, str]) -> Iterable[int]:
    """Page views of one network and path in an hour that come at a fixed interval; those that are late by themselves.

    At least four over five minutes, and three of four gaps as long as the one before, give or take two seconds and
    5 %; gaps below five seconds show nothing.
    """
    views = [item for item in arrivals if classes[item.row.ts] == "human_page_view" and item.row.net is not None]
    same = lambda item: (item.late, item.row._replace(id=0, ts=0, bytes=0, source=0))  # noqa: E731
    for group in _by(sorted(views, key=lambda item: item.row.ts), same).values():
        times = [item.row.ts for item in group]
        gaps = [later - sooner for sooner, later in itertools.pairwise(times)]
        alike = sum(a >= 5_000 and abs(b - a) <= 2_000 + b / 20 for a, b in itertools.pairwise(gaps))
        if len(times) >= 4 and times[-1] - times[0] >= 300_000 and alike >= 0.75 * (len(times) - 2):
            yield from times


def _request(into: Count, arrival: Arrival, family: FamilyRow, cls: str) -> None:
    row, sums = arrival.row, into.sums
    place = {2: 0, 3: 1, 4: 2, 5: 3}.get(row.status // 100, 4)
    facts = {
        "n": 1,
        "ok": int(200 <= row.status < 300 or row.status == 304),
        "n304": int(row.status == 304),
        "bytes": row.bytes,
    }
    purpose = "unknown" if row.verify == 4 else family.purpose
    sums.update({("traffic", cls, purpose, row.rep, place, row.verify, name): n for name, n in facts.items() if n})
    sums["family", row.family, "verify", row.verify] += 1
    if row.verify != 4:
        sums.update({("family", row.family, name): n for name, n in facts.items() if n and name != "n304"})
        sums.update(("family", row.family, name, at) for name, at in (("status", place), ("rep", row.rep)))
    if _reads(row, cls) and row.verify != 4:
        into.sets[row.family].add(row.material)
        if cls in ("crawler", "ai_user_agent"):
            key = (row.material, row.family, row.rep, row.verify)
            sums.update({("read", *key, name): n for name, n in (("n", 1), ("n304", facts["n304"])) if n})
    if row.probe and cls == "scanner_noise":
        sums["probe", NAMES[row.probe - 1]] += 1
    if row.source and cls == "human_page_view":
        sums["referral", row.source] += 1


def _bursting(arrivals: Sequence[Arrival], arrival: Arrival) -> bool:
    """Whether the network was in a burst in those ten minutes, as far as it was known when the row was counted."""
    if arrival.row.net is None or arrival.row.route:
        return False
    slot = arrival.row.ts // TEN_MINUTES
    near = [
        o.row
        for o in arrivals
        if o.late <= arrival.late and o.row.net == arrival.row.net and o.row.ts // TEN_MINUTES == slot
    ]
    away = {
        row.miss
        for row in near
        if row.miss
        and not row.flags & EMBEDDED
        and (_refused(row) or (row.probe and 300 <= row.status < 400 and row.status != 304))
    }
    kinds = {_kind(row) for row in near}
    return len(away) >= 5 or len(kinds & {*HIDDEN, "console"}) >= 2


def _sessions(rows: Iterable[SpoolRow], key: Any) -> list[list[SpoolRow]]:
    """Rows of one key with no gap over half an hour, within a day."""
    sessions: list[list[SpoolRow]] = []
    for each in _by(sorted(rows, key=lambda row: row.ts), key).values():
        for row in each:
            last = sessions[-1][-1] if sessions and key(sessions[-1][-1]) == key(row) else None
            if (
                last is None
                or row.ts - last.ts > HALF_HOUR
                or row.ts // HOUR_MS // DAY_HOURS != last.ts // HOUR_MS // DAY_HOURS
            ):
                sessions.append([])
            sessions[-1].append(row)
    return sessions


def _counted_in(session: Sequence[SpoolRow]) -> int:
    end_of_day = session[-1].ts // HOUR_MS // DAY_HOURS * DAY_HOURS + 23
    return min((session[-1].ts + HALF_HOUR) // HOUR_MS, end_of_day)


def _session(hours: dict[int, Count], session: Sequence[SpoolRow], robots: int) -> None:
    family, depth, into = session[0].family, len(session), hours[_counted_in(session)]
    bucket = next((at for at in range(12) if depth <= 2 ** (at + 1) - 1), 12)
    cut = (session[-1].ts + HALF_HOUR) // HOUR_MS // DAY_HOURS != session[-1].ts // HOUR_MS // DAY_HOURS
    values = {
        "sessions": 1,
        "depth_sum": depth,
        "cut": int(cut),
        "robots_only": int(all(row.route == robots for row in session)),
    }
    into.sums.update(
        {("family", family, name): n for name, n in values.items() if n} | {("family", family, "depth", bucket): 1}
    )
    into.most[family] = max(into.most.get(family, 0), depth)
    into.sums.update([("edge", family, 0, session[0].route), ("edge", family, 1, session[-1].route)])
    for previous, other in itertools.pairwise(session):
        if (previous.route, previous.material, previous.miss) != (other.route, other.material, other.miss):
            hours[other.ts // HOUR_MS].sums["step", family, previous.route, other.route] += 1


def _by(items: Iterable[Any], key: Any) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def flat(rows: Hour, reads: Mapping[Any, Any] = {}) -> Count:
    """Rollups in the same words."""
    totals, sums = Count(), Counter[tuple[Any, ...]]()
    for key, traffic in rows.traffic.items():
        assert key.cls in list(TrafficClass)
        sums.update({("traffic", *key, name): getattr(traffic, name) for name in ("n", "ok", "n304", "bytes")})
    for family, each in rows.families.items():
        names = ("n", "ok", "bytes", "sessions", "cut", "robots_only", "bursts", "depth_sum")
        sums.update({("family", family, name): getattr(each, name) for name in names})
        lists = {"status": each.status, "verify": each.verify, "rep": each.rep, "depth": each.depth_hist}
        sums.update({("family", family, name, at): n for name, values in lists.items() for at, n in enumerate(values)})
        totals.most[family], totals.sets[family] = each.depth_max, set(each.materials)
    for family, paths in rows.paths.items():
        sums.update({("step", family, key >> 16, key & 0xFFFF): n for key, n in paths.steps.items()})
        sums.update({("edge", family, key >> 16, key & 0xFFFF): n for key, n in paths.edges.items()})
    sums.update(
        {("probe", name): n for name, n in rows.probes.items()}
        | {("referral", id_): n for id_, n in rows.referrals.items()}
    )
    for key, each in (reads or rows.reads).items():
        sums.update({("read", *key, "n"): each.n, ("read", *key, "n304"): each.n304})
    totals.sums = Counter({key: n for key, n in sums.items() if n})
    return totals
