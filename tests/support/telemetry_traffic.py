"""Seeded traffic for tests: a public census' mix of bots, people, libraries and scanners, at awkward times."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from citepress_telemetry.model import VERIFY
from citepress_telemetry.ports import BACKGROUND, EMBEDDED, GET, HEAD_FLAG, MALFORMED, NAVIGATION, MaterialRow, SpoolRow
from citepress_telemetry.sql.dimensions import SqlDimensions
from support.telemetry_count import HALF_HOUR, HOUR_MS, Arrival

MIX = (
    ("meta-externalagent", "Meta", "training", "crawler", True, 28),
    ("ClaudeBot", "Anthropic", "training", "crawler", True, 23),
    ("Amazonbot", "Amazon", "mixed", "crawler", True, 15),
    ("Bytespider", "ByteDance", "unknown", "crawler", True, 11),
    ("ChatGPT-User", "OpenAI", "user_action", "ai_user_agent", True, 10),
    ("PerplexityBot", "Perplexity", "search_index", "crawler", True, 6),
    ("GPTBot", "OpenAI", "training", "crawler", True, 3),
    ("curl", "", "library", "machine_route", True, 6),
    ("zgrab", "", "security", "scanner_noise", True, 3),
    ("(browser-like)", "", "unknown", "", False, 20),
    ("(unlisted automation)", "", "unknown", "", False, 6),
    ("(no user agent)", "", "unknown", "", False, 4),
)
"""Name, operator, purpose, class, whether named, weight (sobradob/sobradob.github.io for the bots)."""
GAPS = (0, 200, 5_000, 60_000, 600_000, 1_500_000, HALF_HOUR - 1, HALF_HOUR, HALF_HOUR + 1, 2_400_000)
STATUSES = (200, 200, 200, 200, 304, 301, 404, 500, 206, 101)
ROUTES = ("/robots.txt", "/posts/{slug}/", "/posts/{slug}.json", "/posts/{slug}.md", "/feed.xml", "/mcp")


@dataclass(frozen=True)
class Names:
    """The ids of the names that traffic uses."""

    families: Sequence[int]
    routes: Sequence[int]
    materials: Sequence[int]
    operators: Sequence[int]


def named(dimensions: SqlDimensions, materials: int = 40) -> Names:
    """Names in a store."""
    families = [
        dimensions.family(name, who, what, cls, "direct", "", named=verified)
        for name, who, what, cls, verified, _ in MIX
    ]
    rows = [MaterialRow(0, f"posts/{number}", "posts", None, True, True, True, True) for number in range(materials)]
    operators = [dimensions.operator(name) for name in ("OpenAI", "Google")]
    return Names(
        families, [dimensions.route(path) for path in ROUTES], sorted(dimensions.materials(rows).values()), operators
    )


def traffic(names: Names, first_hour: int, hours: int, visits: int, seed: int) -> list[Arrival]:
    """Requests in the order of their times, each at a millisecond of its own; some of them late."""
    chance = random.Random(seed)  # noqa: S311  (a test repeats)
    weights = [row[-1] for row in MIX]
    arrivals: dict[int, Arrival] = {}
    for _ in range(visits):
        place = chance.choices(range(len(MIX)), weights)[0]
        _visit(
            names,
            place,
            first_hour * HOUR_MS + chance.randrange(hours * HOUR_MS),
            (first_hour + hours) * HOUR_MS,
            chance,
            arrivals,
        )
    return [arrivals[ts] for ts in sorted(arrivals)]


def _visit(names: Names, place: int, ts: int, end: int, chance: random.Random, arrivals: dict[int, Arrival]) -> None:
    """One client on its way: a family from one of a few networks; scanners ask for what is not there."""
    network, prober = chance.randrange(4), place >= 7 and chance.random() < 0.2
    if chance.random() < 0.3:
        ts -= ts % HOUR_MS  # on the hour
    for _ in range(min(60, int(chance.expovariate(0.15)) + 1)):
        while ts in arrivals:
            ts += 1
        if ts >= end:
            return
        late = chance.choice((1, 2, 5, 23, 24, 30)) if chance.random() < 0.01 else 0
        net = None if late and chance.random() < 0.5 else hash((ts // HOUR_MS // 24, place % 5, network)) % 2**56
        arrivals[ts] = Arrival(_row(names, place, ts, net, chance, prober=prober), late)
        ts += chance.choice(GAPS[:5]) if prober else chance.choices(GAPS, (1, 9, 9, 9, 3, 1, 1, 1, 1, 1))[0]


def _row(names: Names, place: int, ts: int, net: int | None, chance: random.Random, *, prober: bool) -> SpoolRow:
    status, verify = chance.choice(STATUSES), chance.choices(range(len(VERIFY)), (1, 3, 1, 9, 1))[0]
    route = material = probe = miss = source = 0
    rep = chance.randrange(7)
    flags = chance.choices((GET | NAVIGATION, GET, HEAD_FLAG, 0), (6, 3, 1, 1))[0] | (
        MALFORMED if chance.random() < 0.01 else 0
    )
    if prober or chance.random() < 0.05:
        status, miss = chance.choice((404, 404, 404, 405, 200, 301, 416, 503)), chance.randrange(1, 30)
        probe = chance.choice((0, 0, 0, 1, 2, 3, 4, 7, 8, 9))
        flags |= EMBEDDED if chance.random() < 0.2 else 0
    else:
        route = names.routes[0] if chance.random() < 0.25 else chance.choice(names.routes)
        material = (
            chance.choice(names.materials[: chance.choice((3, 3, 99))])
            if route in names.routes[1:4] and chance.random() < 0.9
            else 0
        )
        rep = 0 if route == names.routes[1] else rep
        source = chance.choice(names.operators) if chance.random() < 0.2 else 0
        probe = chance.choice((6, 7, 9, 10)) if chance.random() < 0.03 else 0
        flags |= BACKGROUND if chance.random() < 0.03 else 0
    return SpoolRow(
        0,
        ts,
        net,
        names.families[place],
        verify,
        route,
        material,
        rep,
        status,
        chance.randrange(50_000),
        flags,
        probe,
        miss,
        source,
    )
