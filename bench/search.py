"""Search, compared with SQLite FTS5 on synthetic records: ``python bench/search.py [RECORDS...]``.

Measures the whole operation (hits with passages, dates, clusters) beside FTS5's ids and snippets, in one run on one
text.

The default is 1000 and 10000 records; 100000 take minutes.
"""

import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from statistics import quantiles

from citepress.search import Query, open_index
from citepress.search.build import write
from citepress.search.fields import IndexEntry

DAY = datetime(2026, 1, 1, tzinfo=UTC)
VOCABULARY = 30_000
WORDS = 200
QUESTIONS = 400
LIMIT = 10
WORKER = "--worker"


def texts(count: int, seed: int = 7) -> Iterator[tuple[str, list[str]]]:
    """(title, sentences): words drawn as natural text draws them, few often and many seldom."""
    chance = random.Random(seed)  # noqa: S311  (the same text in every run)
    vocabulary = ["".join(chance.choices("abcdefghilmnoprstuvw", k=chance.randint(3, 10))) for _ in range(VOCABULARY)]
    weights = list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))
    for _ in range(count):
        drawn = chance.choices(vocabulary, cum_weights=weights, k=WORDS)
        yield " ".join(drawn[:6]), [" ".join(drawn[at : at + 16]).capitalize() + "." for at in range(6, WORDS, 16)]


def questions(documents: Sequence[tuple[str, list[str]]], seed: int = 8) -> list[str]:
    """Five words of one sentence each."""
    chance = random.Random(seed)  # noqa: S311
    picked = (chance.choice(chance.choice(documents)[1]).rstrip(".").split() for _ in range(QUESTIONS))
    return [" ".join(chance.sample(words, min(5, len(words)))) for words in picked]


def timed(ask: Callable[[str], object], queries: Sequence[str]) -> tuple[float, float]:
    """p50 and p95 in milliseconds, after a warm-up."""
    for text in queries[:50]:
        ask(text)
    spent = []
    for text in queries:
        start = time.perf_counter()
        ask(text)
        spent.append(1000 * (time.perf_counter() - start))
    cuts = quantiles(spent, n=20)
    return cuts[9], cuts[18]


def fts5(file: Path, documents: Sequence[tuple[str, list[str]]]) -> Callable[[str], object]:
    """SQLite's full-text search, as it is commonly used."""
    link = sqlite3.connect(file)
    link.execute("create virtual table d using fts5(title, body, tokenize='porter unicode61')")
    link.executemany("insert into d values (?, ?)", ((title, " ".join(sentences)) for title, sentences in documents))
    link.execute("insert into d(d) values ('optimize')")
    link.commit()
    query = "select rowid, title, snippet(d, 1, '', '', '…', 32) from d where d match ? order by rank limit ?"
    return lambda text: link.execute(query, (" OR ".join(text.split()), LIMIT)).fetchall()


def size(place: Path) -> int:
    """Bytes of a file, or of every file below a folder."""
    return sum(file.stat().st_size for file in ([place] if place.is_file() else place.rglob("*")) if file.is_file())


def private() -> int:
    """Memory of this process that it shares with nobody and that no file backs, in bytes (Linux)."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty"))


def measure(count: int) -> None:
    """One line for each engine."""
    documents = list(texts(count))
    queries = questions(documents)
    with tempfile.TemporaryDirectory() as scratch:
        folder, file = Path(scratch) / "index", Path(scratch) / "fts5.sqlite"
        start = time.perf_counter()
        rest = ((place, title, sentences) for place, (title, sentences) in enumerate(documents))
        write(
            (
                IndexEntry(f"posts/r{n}", "posts", title, f"/posts/r{n}/", DAY, DAY + timedelta(n), blocks=(tuple(s),))
                for n, title, s in rest
            ),
            folder,
            DAY,
        )
        built = time.perf_counter() - start
        index = open_index(folder)
        p50, p95 = timed(lambda text: index.search(Query(text, limit=LIMIT)), queries)
        grown = float(
            subprocess.run(
                [sys.executable, __file__, WORKER, folder, *queries[:200]], check=True, capture_output=True
            ).stdout
        )
        print(
            f"{count:9,} citepress  {p50:7.2f} {p95:7.2f} ms  {size(folder) / 1e6:7.1f} MB  built in {built:6.1f} s "
            f" +{grown:.1f} MB private"
        )
        start = time.perf_counter()
        search = fts5(file, documents)
        built = time.perf_counter() - start
        p50, p95 = timed(search, queries)
        print(
            f"{count:9,} FTS5       {p50:7.2f} {p95:7.2f} ms  {size(file) / 1e6:7.1f} MB  built in {built:6.1f} s",
            flush=True,
        )


def worker(folder: Path, queries: Sequence[str]) -> None:
    """Print the megabytes that an index adds to a fresh process."""
    before = private()
    index = open_index(folder)
    for text in queries:
        index.search(Query(text, limit=LIMIT))
    print((private() - before) / 1e6)


if __name__ == "__main__":
    if sys.argv[1:2] == [WORKER]:
        worker(Path(sys.argv[2]), sys.argv[3:])
        sys.exit()
    print("  records               p50     p95")
    for argument in sys.argv[1:] or ("1000", "10000"):
        measure(int(argument))
