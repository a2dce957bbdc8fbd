"""One changed record until it is live: ``python bench/change.py [RECORDS] [--rounds N] [--profile]`` (default 10000 records, 5 changes).

The builder that ``citepress serve --watch`` keeps builds the archive once, not counted. Then a sentence of one record changes, and what is counted
goes from the builder's start to the replacement of the pointer file that the workers follow: reading, checking, rendering, packing.
"""

import argparse
import cProfile
import pstats
import tempfile
import time
from pathlib import Path
from statistics import median

import meter
import synthetic

from citepress.app import Builder
from citepress.base import clock
from citepress.settings import Settings


def main() -> None:
    """Build, change, build again, tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("records", type=int, nargs="?", default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", action="store_true", help="tell where the last round spent its time")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citepress-bench-") as scratch:
        archive = Path(scratch) / "archive"
        synthetic.write(archive, told.records)
        builder = Builder(Settings(archive, Path(scratch) / "state"))
        builder.build(clock.now())
        print(f"{told.records:,} records; {meter.load()}")
        spent = [changed(builder, archive / f"content/posts/note-{number}.md") for number in range(told.rounds)]
        walls, cpus = zip(*spent, strict=True)
        print(
            f"one change: {min(walls):.2f} s min, {median(walls):.2f} s median; of the processor {min(cpus):.2f} s min, {median(cpus):.2f} s median"
        )
        if told.profile:
            profile = cProfile.Profile()
            profile.runcall(changed, builder, archive / "content/posts/note-0.md")
            pstats.Stats(profile).sort_stats("cumulative").print_stats(60)


def changed(builder: Builder, file: Path) -> tuple[float, float]:
    """Seconds, and seconds of the processor, that one changed file takes."""
    file.write_text(file.read_text("utf-8") + "\nOne sentence more.\n", "utf-8")
    wall, cpu = time.perf_counter(), time.process_time()
    built = builder.build(clock.now())
    taken = time.perf_counter() - wall, time.process_time() - cpu
    if built.printed is None or not built.printed.rendered:
        raise SystemExit("nothing was rendered")
    print(f"  {file.stem}: {taken[0]:.2f} s, {built.printed.rendered} units rendered, {built.printed.reused:,} taken over", flush=True)
    return taken


if __name__ == "__main__":
    main()
