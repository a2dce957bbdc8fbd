"""Importing access logs: ``python bench/imports.py [--lines N] [LOG...]``.

Lines a second of a synthetic combined log of fifteen thousand requests an hour against the demo archive, or of logs
of yours; wall clock and processor, from the first byte to the last committed hour.
"""

import argparse
import os
import random
import resource
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import meter

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.settings import Settings
from citepress_telemetry.log_import import ImportRequest, import_logs

DEMO = Path(__file__).parents[1] / "examples" / "agent-archive"
AN_HOUR = 15_000
START = datetime(2026, 3, 2, tzinfo=UTC)
PATHS = (
    "/",
    "/posts/",
    "/posts.json",
    "/signals/",
    "/feed.xml",
    "/robots.txt",
    "/llms.txt",
    "/sitemap.xml",
    "/wp-login.php",
    "/gone/{}",
)
BOTS = (
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
    "curl/8.5.0",
)
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0.0.0 Safari/537.36"


def written(path: Path, count: int) -> Path:
    """A log of so many lines."""
    chance = random.Random(1)  # noqa: S311  (traffic, not secrets)
    with path.open("w", encoding="ascii") as file:
        for number in range(count):
            at = START + timedelta(seconds=number * 3600 / AN_HOUR)
            target, agent = (
                chance.choice(PATHS).format(chance.randrange(500)),
                chance.choice((*BOTS, BROWSER.format(chance.randrange(100, 140)))),
            )
            status = 404 if target.startswith(("/wp", "/gone")) else 200
            client = f"10.{chance.randrange(4)}.{chance.randrange(200)}.{chance.randrange(255)}"
            file.write(
                f'{client} - - [{at:%d/%b/%Y:%H:%M:%S} +0000] "GET {target} HTTP/1.1" {status} {chance.randrange(9000)}'
                f' "-" "{agent}"\n'
            )
    return path


def main() -> None:
    """One row a log."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("logs", nargs="*", type=Path)
    parser.add_argument("--lines", type=int, default=150_000)
    options = parser.parse_args()
    print(meter.load())
    with tempfile.TemporaryDirectory(prefix="citepress-bench-", dir=os.environ.get("BENCH_DIR")) as folder:
        settings = Settings(DEMO, Path(folder) / "state")
        Builder(settings).build(clock.now())
        for log in options.logs or [written(Path(folder) / "synthetic.log", options.lines)]:
            before, wall, own = (
                resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
                time.perf_counter(),
                time.process_time(),
            )
            tally = import_logs(settings, ImportRequest([log]))
            wall, own = time.perf_counter() - wall, time.process_time() - own
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000
            print(
                f"{log.name}: {tally.lines:,} lines in {len(tally.hours)} hours, {tally.lines / wall:,.0f} lines a"
                f" second ({tally.lines / own:,.0f} of the processor), peak +{grown:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
