"""The time until a changed record is live: ``python bench/change.py [RECORDS] [--size N] [--rounds N] [--profile]``.

The builder that ``citepress serve --watch`` keeps builds the archive once, not counted. Then a sentence of one record
changes. What is counted goes from the builder's start to the replacement of the pointer file that the workers
follow: reading, checking, rendering, packing; and from there until the search index, which MCP answers from too, finds
the new sentence. At the end a new record, the newest of all, is added, another one dated anew, and the new one deleted.

The default is 5 changes of 10000 records of 8 KB.
"""

import argparse
import cProfile
import pstats
import re
import tempfile
import time
from pathlib import Path
from statistics import median

import meter
import synthetic

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.search.models import Query
from citepress.search.state import INDEX_FOLDER, open_index
from citepress.settings import Settings

DATE = re.compile(r"^date: \S+", re.MULTILINE)


def main() -> None:
    """Build, change, build again, tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("records", type=int, nargs="?", default=10_000)
    parser.add_argument("--size", type=int, default=8000, help="characters of a text")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", action="store_true", help="tell where the last round spent its time")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citepress-bench-") as scratch:
        archive = Path(scratch) / "archive"
        synthetic.write(archive, options.records, options.size)
        builder = Builder(Settings(archive, Path(scratch) / "state"))
        builder.index(builder.build(clock.now()), clock.now())
        print(f"{options.records:,} records; {meter.load()}")
        spent = [changed(builder, archive / f"content/posts/note-{number}.md") for number in range(options.rounds)]
        walls, cpus, searched, indexing = zip(*spent, strict=True)
        print(
            f"one change: {min(walls):.2f} s min, {median(walls):.2f} s median; of the processor {min(cpus):.2f} s min,"
            f" {median(cpus):.2f} s median"
        )
        print(
            f"search finds it after a further {min(searched):.2f} s min, {median(searched):.2f} s median; of the"
            f" processor {min(indexing):.2f} s min, {median(indexing):.2f} s median"
        )
        new = synthetic.record(options.records, options.records, options.size)
        others(builder, archive / "content/posts", new)
        if options.profile:
            profile = cProfile.Profile()
            profile.runcall(changed, builder, archive / "content/posts/note-0.md")
            pstats.Stats(profile).sort_stats("cumulative").print_stats(60)


def others(builder: Builder, posts: Path, new: str) -> None:
    """Seconds until a new record is live, then another date of an old one, then that the new one is gone."""
    added, old = posts / "added.md", posts / "note-9.md"
    for act, file, text in (
        ("added", added, DATE.sub("date: 2026-11-20", new, count=1)),
        ("dated anew", old, DATE.sub("date: 2026-01-20", old.read_text("utf-8"), count=1)),
        ("deleted", added, ""),
    ):
        if text:
            file.write_text(text, "utf-8")
        else:
            file.unlink()
        wall, cpu = time.perf_counter(), time.process_time()
        built = builder.build(clock.now(), [file.resolve()])
        taken = time.perf_counter() - wall, time.process_time() - cpu
        rendered = built.printed.rendered if built.printed else 0
        print(f"  {act}: {taken[0]:.2f} s, {taken[1]:.2f} s of the processor, {rendered} units rendered", flush=True)


def changed(builder: Builder, file: Path) -> tuple[float, float, float, float]:
    """Seconds, and seconds of the processor, until one changed file is live; and from there until it is searched."""
    word = f"word{time.time_ns()}"
    file.write_text(file.read_text("utf-8") + f"\nOne {word} more.\n", "utf-8")
    wall, cpu = time.perf_counter(), time.process_time()
    built = builder.build(clock.now(), [file.resolve()])
    taken = time.perf_counter() - wall, time.process_time() - cpu
    if built.printed is None or not built.printed.rendered:
        raise SystemExit("nothing was rendered")
    wall, cpu = time.perf_counter(), time.process_time()
    builder.index(built, clock.now(), measured=False)
    index = open_index(builder.output / INDEX_FOLDER)
    searched = time.perf_counter() - wall, time.process_time() - cpu
    if [hit.path for hit in index.search(Query(word)).hits] != [f"/posts/{file.stem}/"]:
        raise SystemExit("search does not find the change")
    print(
        f"  {file.stem}: {taken[0]:.2f} s, {built.printed.rendered} units rendered, {built.printed.reused:,} taken"
        f" over; searched after a further {searched[0]:.2f} s",
        flush=True,
    )
    return *taken, *searched


if __name__ == "__main__":
    main()
