"""Fits the weights of the coverage verdict: ``python bench/retrieval/fit.py FOLDER...``.

Positives are the questions of each collection; negatives the same questions with everything that answers them taken
away, and the questions of the other collections. Collections count alike. Prints, for each collection, the AUC of
the weights in ``products/coverage/thresholds.py`` and of weights fitted on the other collections, and at the end the
weights fitted on all.
"""

import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from corpora import Collection, load
from peers import DAY, filings

from citepress.search.build import write
from citepress.search.index import SearchIndex
from citepress.search.state import open_index
from citepress_payments.products.coverage.query_run import UNNAMED, Features, run_query

QUESTIONS = 150
"""Questions of a collection that are used."""
ROUNDS = 25
RIDGE, SETTLED = 1e-3, 1e-6
"""Weight of the penalty on large weights, and the step at which they are settled."""
Row = tuple[list[float], int, float]
"""(features, whether covered, weight)."""


def row(features: Features) -> list[float]:
    """The constant and the features, in the order of the weights."""
    return [1.0, features.norm, features.share, features.gap, features.length, features.name - UNNAMED]


def rows(collection: Collection, index: SearchIndex, others: Sequence[Collection]) -> tuple[list[list[float]], ...]:
    """Features of the questions as they stand, with their answers taken away, and of foreign questions."""
    sample = some(sorted(collection.questions.items()))
    answers = {
        id_: frozenset(document for document, gain in collection.judged[id_].items() if gain > 0) for id_, _ in sample
    }
    foreign = [text for other in others for _, text in some(sorted(other.questions.items()))[:: len(others)]]
    present = [row(run_query(index, text).features) for _, text in sample]
    absent = [row(run_query(index, text, answers[id_]).features) for id_, text in sample]
    return present, absent, [row(run_query(index, text).features) for text in foreign]


def some(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """At most so many, evenly taken."""
    return pairs[:: -(-len(pairs) // QUESTIONS) or 1]


def fitted(data: Sequence[Row]) -> list[float]:
    """Weighted logistic regression by Newton's method."""
    size = len(data[0][0])
    weights = [0.0] * size
    for _ in range(ROUNDS):
        slope = [-RIDGE * weight for weight in weights]
        bend = [[RIDGE * (line == column) for column in range(size)] for line in range(size)]
        for values, covered, much in data:
            chance = logistic(values, weights)
            for line in range(size):
                slope[line] += much * (covered - chance) * values[line]
                for column in range(size):
                    bend[line][column] += much * chance * (1 - chance) * values[line] * values[column]
        steps = solved(bend, slope)
        weights = [weight + step for weight, step in zip(weights, steps, strict=True)]
        if max(map(abs, steps)) < SETTLED:
            break
    return weights


def logistic(values: Sequence[float], weights: Sequence[float]) -> float:
    """Probability of coverage."""
    return 1 / (1 + math.exp(-sum(value * weight for value, weight in zip(values, weights, strict=True))))


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a small positive definite system, by elimination."""
    work = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for at, pivot in enumerate(work):
        work[at] = [value / pivot[at] for value in pivot]
        for other, line in enumerate(work):
            if other != at:
                work[other] = [value - line[at] * own for value, own in zip(line, work[at], strict=True)]
    return [line[-1] for line in work]


def auc(high: Sequence[float], low: Sequence[float]) -> float:
    """Chance that one of the first is above one of the second."""
    return sum((positive > other) + 0.5 * (positive == other) for positive in high for other in low) / (
        len(high) * len(low)
    )


def main(folders: list[str]) -> None:
    """Fit on all folders."""
    collections = [load(Path(folder)) for folder in folders]
    parts = []
    for collection in collections:
        with tempfile.TemporaryDirectory() as scratch:
            write(filings(collection), Path(scratch) / "index", DAY)
            others = [other for other in collections if other is not collection]
            parts.append(rows(collection, open_index(Path(scratch) / "index"), others))
    data = [
        [(v, int(k == 0), 1 / len(kind) / (1 if k == 0 else 2)) for k, kind in enumerate(part) for v in kind]
        for part in parts
    ]
    print(f"{'collection':32} {'absent':>8} {'refit':>8} {'foreign':>8} {'refit':>8}")
    for place, (collection, part) in enumerate(zip(collections, parts, strict=True)):
        own = fitted([sample for other, samples in enumerate(data) if other != place for sample in samples])
        packaged = [[Features(*values[1:-1], values[-1] + UNNAMED).probability for values in kind] for kind in part]
        refit = [[logistic(values, own) for values in kind] for kind in part]
        figures = [auc(chances[0], chances[kind]) for kind in (1, 2) for chances in (packaged, refit)]
        print(
            f"{collection.name:32.32} {figures[0]:8.3f} {figures[1]:8.3f} {figures[2]:8.3f} {figures[3]:8.3f}",
            flush=True,
        )
    print(
        "weights (bias, norm, share, gap, length, name):",
        [round(weight, 2) for weight in fitted([sample for samples in data for sample in samples])],
    )


if __name__ == "__main__":
    if len(sys.argv) < 3:  # noqa: PLR2004
        sys.exit("usage: fit.py FOLDER FOLDER...   (README.md tells which folders)")
    main(sys.argv[1:])
