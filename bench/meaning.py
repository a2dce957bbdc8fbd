"""Search by meaning beside search by words: ``python bench/meaning.py [--vocabulary FILE] [RECORDS...]``.

Needs ``citepress[semantic]`` and the vocabulary of its model. The records are those of ``search.py``. To encode 100,000
takes hours and what the vectors say costs a search nothing, so 2,000 texts are encoded, and every record gets one of
their vectors, a little moved, stored before the index is written. Publishing then finds no text without a vector, makes
the principal components and fits the table as it always does.

One run measures words alone, the table and the model over one index: milliseconds on the clock and of the processor,
all threads together. No question is asked twice. The words are made of letters at random, so that they have three to
four tokens each; words of a language have one to one and a half.

The default is 10000 records; 100000 take minutes.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

import numpy as np
from search import DAY, LENGTHS, LIMIT, entries, private, questions, size, texts

from citepress.search.build import write
from citepress.search.fields import IndexEntry
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from citepress.search.sheet import sheet_of, vector_key
from citepress_payments.products.coverage.thresholds import MODE_NUMBERS, WORD_NUMBERS, Judge, appoint, packaged
from citepress_payments.products.coverage.verdict import coverage
from citepress_semantic.embedding import text_of
from citepress_semantic.encoder import QUESTION_TOKENS, Encoder, Vectors
from citepress_semantic.files import TABLE, VECTORS, missing, model_files
from citepress_semantic.settings import SearchSettings
from citepress_semantic.source import SemanticVectors
from citepress_semantic.vectors import quantize, rows_of, short_digest, write_rows

ENCODED = 2_000
MOVED = 0.01
"""What is added to each number of a vector of length 1, at random: with 384 of them a fifth of its length."""
WARM_UP = 50
WAYS: tuple[tuple[str, str | None], ...] = (("words", None), ("table", "table"), ("model", "encoder"))


def encoded(documents: Sequence[tuple[str, list[str]]], encoder: Encoder) -> Vectors:
    """The vectors of the first records."""
    start = time.process_time()
    some = islice(entries(documents), ENCODED)
    vectors = np.stack(list(encoder.texts(text_of(sheet_of(entry)) for entry in some)))
    print(f"{len(vectors):9,} texts encoded, {1000 * (time.process_time() - start) / len(vectors):.0f} ms each")
    return vectors


def store(folder: Path, records: Iterator[IndexEntry], vectors: Vectors, model: str) -> None:
    """Keep a vector for each record, where publishing looks for those that it made before."""
    chance = np.random.default_rng(9)
    keys, sheets, rows, scales = [], [], [], []
    for n, entry in enumerate(records):
        moved = vectors[n % len(vectors)] + MOVED * chance.standard_normal(vectors.shape[1], np.float32)
        row, scale = quantize((moved / np.linalg.norm(moved))[None])
        keys.append(vector_key(entry.id))
        sheets.append(short_digest(sheet_of(entry).digest.hex()))
        rows.append(row[0])
        scales.append(scale[0])
    texts = np.arange(len(keys), dtype=np.int64)
    stored = rows_of(
        np.array(keys), np.array(sheets), texts, (np.stack(rows), np.array(scales, np.float32)), vectors[:1] * 0
    )
    folder.mkdir()
    write_rows(folder / VECTORS, stored, {"model": model, "since": 0})


def timed(ask: Callable[[str], object], queries: Sequence[str]) -> str:
    """p50 and p95 in milliseconds, on the clock and of the processor."""
    for text in queries[:WARM_UP]:
        ask(text)
    spent = []
    for text in queries[WARM_UP:]:
        start = time.perf_counter(), time.process_time()
        ask(text)
        spent.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    cuts = (quantiles(column, n=20) for column in zip(*spent, strict=True))
    return "   ".join(f"{1000 * cut[9]:6.2f} {1000 * cut[18]:6.2f}" for cut in cuts)


def opened(folder: Path, settings: SearchSettings, mode: str | None) -> SearchIndex:
    """The index as it is searched in one of the ways."""
    index = SearchIndex(folder, SemanticVectors(settings) if mode else None, mode)
    appoint(index, Judge(packaged(), MODE_NUMBERS.get(index.mode, WORD_NUMBERS)))
    return index


def searched(index: SearchIndex, batches: Mapping[int, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """What is asked, and its figures."""
    for length, queries in batches.items():
        yield f"{length} words", timed(lambda text: index.search(Query(text, limit=LIMIT)), queries)
    yield "verdict", timed(lambda text: coverage(index, text, DAY), batches[LENGTHS[-1]])


def measure(count: int, settings: SearchSettings) -> None:
    """A few lines for each way to search."""
    documents = list(texts(count))
    batches = {length: questions(documents, length) for length in LENGTHS}
    encoder = Encoder(model_files(settings))
    for length, queries in batches.items():
        pieces = sum(len(encoder.pieces.numbers(text, QUESTION_TOKENS)) for text in queries) / len(queries)
        print(f"{count:9,} questions of {length} words: {pieces:.0f} tokens")
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "index"
        store(folder, entries(documents), encoded(documents, encoder), encoder.digest)
        start = time.process_time()
        write(entries(documents), folder, DAY, keyed=True)
        SemanticVectors(settings).embed(folder)
        built = time.process_time() - start
        for name, mode in WAYS:
            for what, figures in searched(opened(folder, settings, mode), batches):
                print(f"{count:9,} {name:5}, {what:8} {figures}", flush=True)
            command = [sys.executable, __file__, "--worker", name, os.fspath(folder), *batches[LENGTHS[0]][:200]]
            grown = subprocess.run([*command, *options(settings)], check=True, capture_output=True, text=True).stdout
            print(f"{count:9,} {name:5}, +{grown.strip()} MB private", flush=True)
        parts = {name: size(folder / name) / 1e6 for name in (VECTORS, TABLE)}
        print(
            f"{count:9,} built in {built:.1f} s, {size(folder) / 1e6:.1f} MB,"
            f" of which {', '.join(f'{name} {part:.1f}' for name, part in parts.items())}",
            flush=True,
        )


def options(settings: SearchSettings) -> list[str]:
    """The settings as options of the command."""
    return ["--vocabulary", settings.vocabulary] if settings.vocabulary else []


def worker(way: str, folder: Path, queries: Sequence[str], settings: SearchSettings) -> None:
    """Print the megabytes that a way to search adds to a fresh process."""
    before = private()
    index = opened(folder, settings, dict(WAYS)[way])
    for text in queries:
        index.search(Query(text, limit=LIMIT))
    print(f"{(private() - before) / 1e6:.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="*", default=["10000"])
    parser.add_argument("--vocabulary", help="file of the model's word pieces, where no package has it")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    chosen = SearchSettings(semantic=True, vocabulary=arguments.vocabulary)
    if arguments.worker:
        worker(arguments.worker, Path(arguments.records[0]), arguments.records[1:], chosen)
        sys.exit()
    if lack := missing(chosen):
        sys.exit(lack)
    print("load average", *map("{:.1f}".format, os.getloadavg()))
    print("  records                     clock p50    p95   processor p50 p95")
    for argument in arguments.records:
        measure(int(argument), chosen)
