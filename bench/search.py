"""Search, compared with SQLite FTS5 on synthetic records: ``python bench/search.py [RECORDS...]``.

Measures the whole operation (hits with passages, dates, clusters) beside FTS5's ids and snippets, and the verdict, in
one run on one text: milliseconds and seconds of the processor. The digest is that of all hits and verdicts: two states
of the code with the same one answer alike.

The default is 1000 and 10000 records; 100000 take minutes.
"""

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from statistics import quantiles

import figures

from citepress.search.build import write
from citepress.search.fields import IndexEntry
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from citepress.search.state import open_index
from citepress_payments.products.coverage.verdict import coverage

DAY = datetime(2026, 1, 1, tzinfo=UTC)
VOCABULARY = 30_000
WORDS = 200
QUESTIONS, LENGTHS = 400, (5, 12)
"""Questions of each length, in words."""
VERDICTS = 100
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


def questions(documents: Sequence[tuple[str, list[str]]], length: int, seed: int = 8) -> list[str]:
    """So many words of one sentence each."""
    chance = random.Random(seed)  # noqa: S311
    picked = (chance.choice(chance.choice(documents)[1]).rstrip(".").split() for _ in range(QUESTIONS))
    return [" ".join(chance.sample(words, min(length, len(words)))) for words in picked]


def timed(ask: Callable[[str], object], queries: Sequence[str]) -> tuple[float, float]:
    """p50 and p95 in milliseconds of the processor, after a warm-up."""
    for text in queries[:50]:
        ask(text)
    spent = []
    for text in queries:
        start = time.thread_time()
        ask(text)
        spent.append(1000 * (time.thread_time() - start))
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


def digest(index: SearchIndex, queries: Sequence[str]) -> str:
    """A digest of the hits of all questions, and of the verdicts on some."""
    answers = blake2b(digest_size=8)
    for text in queries:
        results = index.search(Query(text, limit=LIMIT))
        answers.update(repr((results.total, results.hits)).encode())
    for text in queries[:VERDICTS]:
        answers.update(coverage(index, text, DAY).model_dump_json().encode())
    return answers.hexdigest()


def entries(documents: Sequence[tuple[str, list[str]]]) -> Iterator[IndexEntry]:
    """The documents as records, one a day."""
    for n, (title, sentences) in enumerate(documents):
        day = DAY + timedelta(n)
        yield IndexEntry(f"posts/r{n}", "posts", title, f"/posts/r{n}/", DAY, day, blocks=(tuple(sentences),))


def measure(count: int) -> None:
    """A few lines for each engine."""
    documents = list(texts(count))
    queries = {length: questions(documents, length) for length in LENGTHS}
    with tempfile.TemporaryDirectory() as scratch:
        folder, file = Path(scratch) / "index", Path(scratch) / "fts5.sqlite"
        start = time.process_time()
        write(entries(documents), folder, DAY)
        built = time.process_time() - start
        index = open_index(folder)
        searched: dict[int, tuple[float, float]] = {}
        for length in LENGTHS:
            p50, p95 = searched[length] = timed(lambda text: index.search(Query(text, limit=LIMIT)), queries[length])
            print(f"{count:9,} citepress, {length:2} words {p50:7.2f} {p95:7.2f} ms")
        p50, p95 = timed(lambda text: coverage(index, text, DAY), queries[LENGTHS[-1]])
        print(f"{count:9,} citepress, verdict  {p50:7.2f} {p95:7.2f} ms")
        command = [sys.executable, __file__, WORKER, folder, *queries[LENGTHS[0]][:200]]
        grown = float(subprocess.run(command, check=True, capture_output=True).stdout)
        print(
            f"{count:9,} citepress  {size(folder) / 1e6:.1f} MB, built in {built:.1f} s, +{grown:.1f} MB private,"
            f" digest {digest(index, [text for some in queries.values() for text in some])}",
            flush=True,
        )
        start = time.process_time()
        search = fts5(file, documents)
        built = time.process_time() - start
        p50, p95 = timed(search, queries[LENGTHS[0]])
        figures.record(f"search_{count}_over_fts5", searched[LENGTHS[0]][0] / p50)
        print(
            f"{count:9,} FTS5,  {LENGTHS[0]:6} words {p50:7.2f} {p95:7.2f} ms, {size(file) / 1e6:.1f} MB,"
            f" built in {built:.1f} s",
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
    print("load average", *map("{:.1f}".format, os.getloadavg()))
    print("  records                          p50     p95")
    for argument in sys.argv[1:] or ("1000", "10000"):
        measure(int(argument))
