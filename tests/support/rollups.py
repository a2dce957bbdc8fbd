"""SqlRollups of synthetic hours whose counts agree, and reports from them: by hand, or through a real store."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any

from pyroaring import BitMap

from citepress_telemetry.contract.head import Classifier, ClassifierSource, VerificationBasis
from citepress_telemetry.model import (
    CarryOver,
    Closed,
    Day,
    FamilySums,
    Hour,
    Pair,
    PathSums,
    ReadKey,
    Reads,
    Traffic,
    TrafficKey,
)
from citepress_telemetry.ports import FamilyRow, MaterialRow
from citepress_telemetry.reports.data import DAY_HOURS, WINDOWS, ListedPage, ReportContext, ReportData, next_midnight
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sums.windows import add_hour

BASE = "https://archive.test"
NOW = datetime(2026, 11, 21, 5, 5, tzinfo=UTC)
END = int(datetime(2026, 11, 21, 5, tzinfo=UTC).timestamp()) // 3600
"""The hour after the last closed one."""
VERSION = "2026.11.1+4f0c2a91"
CLASSIFIER = Classifier(
    version=VERSION, sources=[ClassifierSource(name="crawler-user-agents", version="1.67.0", license="MIT")]
)
FAMILIES = (
    FamilyRow(1, "GPTBot", "OpenAI", "training", "crawler", "direct", "", named=True),
    FamilyRow(2, "ChatGPT-User", "OpenAI", "user_action", "ai_user_agent", "direct", "", named=True),
    FamilyRow(3, "ClaudeBot", "Anthropic", "training", "crawler", "direct", "", named=True),
    FamilyRow(4, "Googlebot", "Google", "search", "crawler", "direct", "", named=True),
    FamilyRow(5, "curl", "", "library", "machine_route", "direct", "", named=True),
    FamilyRow(6, "(browser-like)", "", "unknown", "", "direct", "", named=False),
    FamilyRow(7, "(unlisted automation)", "", "unknown", "", "direct", "", named=False),
)
ROUTES = {1: "/robots.txt", 2: "/sitemap.xml", 3: "/posts/{slug}/", 4: "/posts/{slug}.md", 5: "/posts/{slug}.json"}
OPERATORS = {1: "OpenAI", 2: "Google"}
PAGES = ("home", "posts/one", "posts/two", "posts/three")
MATERIALS = tuple(
    MaterialRow(number, path, path.partition("/")[0], None, True, True, True, True)
    for number, path in enumerate(PAGES, 1)
)
GATEWAY = {
    ("mcp.initialize", "2026-07-28", "ok"): 3,
    ("mcp.tool", "search_archive", "ok"): 4,
    ("mcp.tool", "search_archive", "error"): 1,
    ("mcp.resource", "archive://posts/one", "ok"): 2,
    ("mcp.client", "other", "ok"): 9,
    ("action", "contextualize", "matched"): 2,
    ("action", "contextualize", "empty"): 1,
    ("inbox", "source", "queued"): 1,
    ("inbox", "correction", "duplicate"): 1,
    ("paid", "research-bundle-v2", "preflight"): 5,
    ("paid", "research-bundle-v2", "payment_required"): 4,
    ("paid", "research-bundle-v2", "settled"): 1,
    ("limit", "rest_json", "limited"): 6,
}
IMPOSTOR = 4
CLASS_OF = {row.id: row.cls or {6: "human_page_view", 7: "machine_route"}[row.id] for row in FAMILIES}


def add(
    hour: Hour,
    family: int,
    number: int,
    *,
    material: int = 0,
    rep: int = 0,
    status: int = 0,
    verify: int = 3,
    at: int = 0,
) -> None:
    """Count the same request so often, in every table where it belongs."""
    row, cls = FAMILIES[family - 1], CLASS_OF[family]
    if verify == IMPOSTOR:
        hour.traffic.setdefault(TrafficKey("machine_route", "unknown", rep, status, verify), Traffic()).n += number
        hour.families.setdefault(family, FamilySums()).verify[verify] += number
        return
    ok = number if status == 0 else 0
    traffic = hour.traffic.setdefault(TrafficKey(cls, row.purpose, rep, status, verify), Traffic())
    sums = hour.families.setdefault(family, FamilySums())
    for target in (traffic, sums):
        target.n += number
        target.ok += ok
        target.bytes += 1000 * number
    sums.status[status] += number
    sums.verify[verify] += number
    sums.rep[rep] += number
    if material and status == 0:
        sums.materials.add(material)
        if cls in {"crawler", "ai_user_agent"}:
            reads = hour.reads.setdefault(ReadKey(material, family, rep, verify), Reads(first=at, last=at))
            reads.n += number


def walk(hour: Hour, family: int, sessions: int, depth: int) -> None:
    """So many sessions of this depth: robots.txt, then posts."""
    sums, paths = hour.families.setdefault(family, FamilySums()), hour.paths.setdefault(family, PathSums())
    sums.sessions += sessions
    sums.bursts += 1
    sums.depth_sum += sessions * depth
    sums.depth_max = max(sums.depth_max, depth)
    sums.depth_hist[min(12, depth.bit_length() - 1)] += sessions
    for edges, key in ((paths.edges, 1), (paths.edges, 1 << 16 | 3), (paths.steps, 1 << 16 | 3)):
        edges[key] = edges.get(key, 0) + sessions


def busy(at: int, seed: int = 7) -> Hour:
    """An hour of mixed traffic; the same seed and hour, the same counts."""
    chance, hour = Random(seed * 1_000_003 + at), Hour()  # noqa: S311  (made-up traffic)
    for family in (1, 3, 4):
        for material in range(1, len(PAGES) + 1):
            add(
                hour,
                family,
                chance.randint(1, 4),
                material=material,
                rep=chance.choice((0, 0, 1, 2)),
                verify=chance.choice((1, 3)),
                at=at,
            )
        add(hour, family, chance.randint(0, 2), status=2)
        walk(hour, family, chance.randint(1, 3), chance.choice((1, 2, 5, 40)))
    add(hour, 5, chance.randint(1, 5), rep=2)
    add(hour, 6, chance.randint(5, 30))
    add(hour, 7, chance.randint(0, 5))
    hour.referrals, hour.probes, hour.gateway = {1: 1}, {"wordpress": 2}, dict(GATEWAY)
    return hour


def closed(at: int, hour: Hour, **options: Any) -> Closed:
    """The cursor's row of an hour that was observed whole."""
    defaults = {
        "rows": sum(row.n for row in hour.traffic.values()),
        "last_row": 0,
        "observed_seconds": 3600,
        "imported": False,
    }
    return Closed(hour=at, **{**defaults, "classifier": VERSION, "counts": {}, **options})


def summed(hours: Iterable[Hour]) -> Hour:
    """The sums of hours."""
    total = Hour()
    for hour in hours:
        add_hour(total, hour)
    return total


def gathered(
    hours: Mapping[int, Hour], cursors: Sequence[Closed] | None = None, pairs: Sequence[Pair] = (), **options: Any
) -> ReportData:
    """What the store would give of these hours; unlike it, readership of 24 hours is never dropped."""
    order = sorted(hours)
    end = order[-1] + 1

    def window(first: int, stop: int) -> Hour:
        return summed(hours[at] for at in order if first <= at < stop)

    days = sorted({at // DAY_HOURS for at in order})
    total, day = window(0, end), window(end - DAY_HOURS, end)
    data = {
        "closed": cursors or [closed(at, hours[at]) for at in order],
        "families": {row.id: row for row in FAMILIES},
        "routes": ROUTES,
        "operators": OPERATORS,
        "materials": {row.id: row for row in MATERIALS},
        "windows": {name: window(end - length, end) for name, (_, length) in WINDOWS.items()},
        "before": window(end - 2 * DAY_HOURS, end - DAY_HOURS),
        "reads": day.reads,
        "totals": total.reads,
        "pairs": dict.fromkeys(WINDOWS, pairs),
        "days": [_day(day, hours) for day in days],
        "months": (),
        "daily": [
            (day, _by_family(window(day * DAY_HOURS, (day + 1) * DAY_HOURS)) if day in days else None)
            for day in range(days[-1] - 29, days[-1] + 1)
        ],
        "opening": window(start := end - WINDOWS["30d"][1], next_midnight(start)),
    }
    return ReportData(**{**data, **options})


def _by_family(hour: Hour) -> dict[int, int]:
    return {family: sums.n for family, sums in hour.families.items()}


def _day(day: int, hours: Mapping[int, Hour]) -> Day:
    present = [hours[at] for at in range(day * DAY_HOURS, (day + 1) * DAY_HOURS) if at in hours]
    return Day(day, 3600 * len(present), len(present) == DAY_HOURS, False, (VERSION,), summed(present).traffic)


def listed(path: str, published: datetime | None = None) -> ListedPage:
    """A page of the catalogue."""
    address = f"{BASE}/{'' if path == 'home' else path + '/'}"
    twins = {"html": address, "markdown": f"{BASE}/{path}.md", "json": f"{BASE}/{path}.json"}
    return ListedPage(path, address, path.partition("/")[0], published, twins)


def setting(**options: Any) -> ReportContext:
    """What reports say beside the counts."""
    basis = {
        "GPTBot": (VerificationBasis(method="ip_range", source_url="https://openai.com/gptbot.json", fetched_at=NOW),)
    }
    defaults = {
        "base_url": BASE,
        "title": "Test archive",
        "generated_at": NOW,
        "catalogue": tuple(map(listed, PAGES)),
        "basis": basis,
    }
    return ReportContext(**{**defaults, "classifier": CLASSIFIER, **options})


def seed(rollups: SqlRollups, dimensions: SqlDimensions, pages: Sequence[str], hours: range) -> None:
    """Fill a real store with hours of mixed traffic on these pages; ids are those that the store gives."""
    families = {
        row.id: dimensions.family(
            row.name, row.operator, row.purpose, row.cls, row.operation, row.disputed, named=row.named
        )
        for row in FAMILIES
    }
    routes = {number: dimensions.route(template) for number, template in ROUTES.items()}
    operators = {number: dimensions.operator(name) for number, name in OPERATORS.items()}
    ids = dimensions.materials(
        MaterialRow(0, path, path.partition("/")[0], None, True, True, True, True) for path in pages
    )
    materials = {number: ids[path] for number, path in enumerate(pages[: len(PAGES)], 1)}
    for at in hours:
        sums_of_hour = busy(at)
        stored = Hour(
            traffic=sums_of_hour.traffic,
            probes=sums_of_hour.probes,
            gateway=sums_of_hour.gateway,
            families={families[id_]: _moved(sums, materials) for id_, sums in sums_of_hour.families.items()},
            paths={
                families[id_]: PathSums(_routed(sums.steps, routes), _sided(sums.edges, routes))
                for id_, sums in sums_of_hour.paths.items()
            },
            reads={
                key._replace(material=materials[key.material], family=families[key.family]): row
                for key, row in sums_of_hour.reads.items()
            },
            referrals={operators[id_]: number for id_, number in sums_of_hour.referrals.items()},
        )
        assert rollups.close(closed(at, sums_of_hour), stored, CarryOver())


def _moved(sums: FamilySums, materials: Mapping[int, int]) -> FamilySums:
    sums.materials = BitMap(materials[material] for material in sums.materials)
    return sums


def _routed(steps: Mapping[int, int], routes: Mapping[int, int]) -> dict[int, int]:
    return {routes[key >> 16] << 16 | routes[key & 0xFFFF]: number for key, number in steps.items()}


def _sided(edges: Mapping[int, int], routes: Mapping[int, int]) -> dict[int, int]:
    return {key >> 16 << 16 | routes[key & 0xFFFF]: number for key, number in edges.items()}
