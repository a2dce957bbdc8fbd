"""nDCG@10 of citepress and SQLite FTS5 on public collections: ``python bench/retrieval/measure.py FOLDER...``."""

import math
import sys
import tempfile
from pathlib import Path
from statistics import fmean

from corpora import Collection, load
from peers import Ranker, citepress_ranker, fts5

DEPTH = 10
AUTHORED = "--authored"
"""Option: each document is also given a summary, its first sentence, as authors do."""


def ndcg(ranked: list[str], judged: dict[str, int]) -> float:
    """Normalised discounted cumulative gain of the first ten."""
    gained = sum(judged.get(id_, 0) / math.log2(place + 2) for place, id_ in enumerate(ranked[:DEPTH]))
    best = sum(gain / math.log2(place + 2) for place, gain in enumerate(sorted(judged.values(), reverse=True)[:DEPTH]))
    return gained / best if best > 0 else 0.0


def score(collection: Collection, rank: Ranker) -> float:
    """Mean nDCG@10 over the questions."""
    return fmean(ndcg(rank(text, DEPTH), collection.judged[id_]) for id_, text in collection.questions.items())


def main(folders: list[str], *, authored: bool) -> None:
    """Measure each collection."""
    print(f"{'collection':32} {'documents':>9} {'questions':>9} {'citepress':>9} {'FTS5':>7}")
    for folder in folders:
        collection = load(Path(folder))
        with tempfile.TemporaryDirectory() as scratch:
            own = score(collection, citepress_ranker(collection, Path(scratch) / "index", authored=authored))
            peer = score(collection, fts5(collection, Path(scratch) / "fts5.sqlite"))
        print(
            f"{collection.name:32.32} {len(collection.documents):9,} {len(collection.questions):9,} {own:9.3f}"
            f" {peer:7.3f}",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) < 2:  # noqa: PLR2004
        sys.exit("usage: measure.py FOLDER...   (README.md tells which folders)")
    main([name for name in sys.argv[1:] if name != AUTHORED], authored=AUTHORED in sys.argv)
