"""What a verdict on a User-Agent and a look at the address lists cost: ``python bench/agents.py``.

Bars of 0.2, 40 and 2 µs.
"""

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crawleruseragents import CRAWLER_USER_AGENTS_DATA

from citepress_telemetry.identify.user_agents.probes import category
from citepress_telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress_telemetry.identify.verify import address_lists
from citepress_telemetry.identify.verify.ranges import Ranges
from citepress_telemetry.identify.verify.refresh import refresh

ROUNDS = 5
CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0 Safari/537.36"
)
NOW = datetime(2026, 11, 22, tzinfo=UTC)


def main() -> int:
    """Print each figure beside its bar."""
    print(f"load average {os.getloadavg()[0]:.1f}")
    began = time.perf_counter()
    judge = UserAgentClassifier()
    print(f"built in {(time.perf_counter() - began) * 1e3:.0f} ms, version {judge.version}")
    bots = [text for entry in CRAWLER_USER_AGENTS_DATA for text in entry["instances"]]
    browsers = [CHROME.format(version) for version in range(1_000)]
    ranges, addresses = _ranges()
    for name, bar, cost in (
        ("verdict, cached", 0.2, _cost(judge.family, ["curl/8.5.0"] * 20_000)),
        ("verdict, cold, bots", 40, _cost(judge.explain, bots)),
        ("verdict, cold, browsers", 40, _cost(judge.explain, browsers)),
        ("range look-up", 2, _cost(ranges.lists, addresses)),
        ("probe category of an unmatched path", 40, _cost(category, [b"/posts/removed-long-ago/?page=2"] * 2_000)),
    ):
        print(f"{name}: {cost:.2f} µs (bar: {bar})")
    return 0


def _cost(call: Callable[[Any], object], inputs: Sequence[Any]) -> float:
    """Microseconds of a call, the best of several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        for user_agent in inputs:
            call(user_agent)
        best = min(best, time.perf_counter() - began)
    return best / len(inputs) * 1e6


def _ranges() -> tuple[Ranges, list[str]]:
    """About 3,000 seeded prefixes in the known lists, and addresses to look up."""
    seeded = random.Random(7)  # noqa: S311  (no secret)

    def address() -> str:
        return f"{seeded.randrange(1, 223)}.{seeded.randrange(256)}.{seeded.randrange(256)}.{seeded.randrange(256)}"

    documents = {
        listing.url: json.dumps([f"{address()}/{seeded.choice((24, 27, 32))}" for _ in range(170)]).encode()
        for listing in address_lists.shipped()
    }
    with tempfile.TemporaryDirectory() as folder:
        refresh(Path(folder) / "ranges.json", documents.__getitem__, NOW)
        return Ranges.load(Path(folder) / "ranges.json", NOW), [address() for _ in range(20_000)]


if __name__ == "__main__":
    sys.exit(main())
