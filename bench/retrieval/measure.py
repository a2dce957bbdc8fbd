"""nDCG@10 of citepress and its peers on public collections: ``python bench/retrieval/measure.py FOLDER...``.

All rank the same text in one run: FTS5 as it is commonly used, and tuned; tantivy as it comes; citepress by words, with
``--semantic`` by meaning. ``--keep FOLDER`` keeps the indexes, whose vectors take minutes to make. ``--asked typos``
swaps two letters of the longest word of each question, ``--asked quotes`` puts its two longest words in quotes.
"""

import argparse
import math
import random
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from corpora import Collection, load
from peers import OURS, Ranker, citepress_rankers, fts5, tantivy_stock, tuned_fts5

from citepress_semantic.settings import SearchSettings

DEPTH = 10
SAMPLES, TAIL = 2_000, 0.025
"""Resamples of a bootstrap, and the share cut off at each end."""


def misspelt(question: str) -> str:
    """The question with two letters of its longest word swapped."""
    word = max(question.split(), key=len)
    middle = len(word) // 2
    return question.replace(word, word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :], 1)


def quoted(question: str) -> str:
    """The question with its two longest words in quotes."""
    for word in sorted(set(re.findall(r"\w+", question)), key=lambda word: (-len(word), word))[:2]:
        question = re.sub(rf"\b{word}\b", f'"{word}"', question, count=1)
    return question


ASKED: dict[str, Callable[[str], str]] = {"plain": str, "typos": misspelt, "quotes": quoted}


def ndcg(ranked: list[str], judged: dict[str, int]) -> float:
    """Normalised discounted cumulative gain of the first ten."""
    gained = sum(judged.get(id_, 0) / math.log2(place + 2) for place, id_ in enumerate(ranked[:DEPTH]))
    best = sum(gain / math.log2(place + 2) for place, gain in enumerate(sorted(judged.values(), reverse=True)[:DEPTH]))
    return gained / best if best > 0 else 0.0


def scores(collection: Collection, rank: Ranker) -> list[float]:
    """nDCG@10 of each question."""
    return [ndcg(rank(text, DEPTH), collection.judged[id_]) for id_, text in collection.questions.items()]


def interval(own: list[float], others: list[float]) -> str:
    """The mean difference, and the 95 % interval of a paired bootstrap."""
    differences = [mine - other for mine, other in zip(own, others, strict=True)]
    chance = random.Random(17)  # noqa: S311  (the same figures in every run)
    means = sorted(fmean(chance.choices(differences, k=len(differences))) for _ in range(SAMPLES))
    low, high = means[int(TAIL * SAMPLES)], means[int((1 - TAIL) * SAMPLES) - 1]
    return f"{fmean(differences):+.3f} [{low:+.3f}, {high:+.3f}]"


def measure(collection: Collection, scratch: Path, arguments: argparse.Namespace) -> Mapping[str, list[float]]:
    """The scores of each ranker."""
    index = (arguments.keep or scratch) / collection.name
    settings = SearchSettings(semantic=arguments.semantic, vocabulary=arguments.vocabulary)
    rankers = {
        "FTS5": fts5(collection, scratch / "fts5.sqlite"),
        "FTS5 tuned": tuned_fts5(collection, scratch / "tuned.sqlite"),
        "tantivy": tantivy_stock(collection),
        **citepress_rankers(collection, index, settings, authored=arguments.authored, named=arguments.authors),
    }
    return {name: scores(collection, rank) for name, rank in rankers.items()}


def report(collection: Collection, measured: Mapping[str, list[float]]) -> None:
    """Print the means, and how far ours lie above each peer and above words alone."""
    print(f"{collection.name}: {len(collection.documents):,} documents, {len(collection.questions):,} questions")
    print("  " + "  ".join(f"{name} {fmean(each):.3f}" for name, each in measured.items()))
    citepresses = [name for name in measured if name.startswith(OURS)]
    for name in citepresses:
        peers = [peer for peer in measured if peer not in citepresses or (peer == OURS and name != OURS)]
        print(
            f"  {name} less " + ", ".join(f"{peer} {interval(measured[name], measured[peer])}" for peer in peers),
            flush=True,
        )


def main() -> None:
    """Measure each collection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--authored", action="store_true", help="give documents their first sentence as a summary too")
    parser.add_argument("--authors", action="store_true", help="give documents the names of their authors as marks")
    parser.add_argument("--semantic", action="store_true", help="compare meanings too")
    parser.add_argument("--vocabulary", help="file of word pieces, where its package is not installed")
    parser.add_argument("--asked", choices=ASKED, default="plain", help="how questions are changed")
    parser.add_argument("--keep", type=Path, help="folder of the indexes")
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    means: dict[str, list[float]] = {}
    for folder in arguments.folders:
        collection = load(folder)
        ask = ASKED[arguments.asked]
        collection = replace(collection, questions={id_: ask(text) for id_, text in collection.questions.items()})
        with tempfile.TemporaryDirectory() as scratch:
            measured = measure(collection, Path(scratch), arguments)
        report(collection, measured)
        for name, each in measured.items():
            means.setdefault(name, []).append(fmean(each))
    print("mean: " + "  ".join(f"{name} {fmean(each):.4f}" for name, each in means.items()))


if __name__ == "__main__":
    main()
