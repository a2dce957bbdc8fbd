"""How verdicts travel to archives without labels: ``python bench/retrieval/verdicts.py FOLDER FOLDER...``.

Each collection is filed as an archive without labels, whole or with every n-th record, and asked its own questions as
they stand, the same with everything that answers them taken away, and the questions of the other collections. Prints
what the thresholds of the package and those set by titles make of them, and the calibration error of the probability.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from calibrated import write_calibrated
from corpora import Collection, load
from fit import auc, some
from peers import DAY, filings

from citepress.search.index import SearchIndex
from citepress.search.state import open_index
from citepress_payments.products.coverage.confidence import stated
from citepress_payments.products.coverage.query_run import run_query
from citepress_payments.products.coverage.thresholds import Judge, appoint, judge_of, packaged
from citepress_payments.products.coverage.verdict import coverage
from citepress_semantic.modes import MODES
from citepress_semantic.settings import SearchSettings
from citepress_semantic.source import SemanticVectors

BINS = 10


def share(index: SearchIndex, questions: Sequence[str], *verdicts: str) -> float:
    """Share of the questions that get one of these verdicts on the day of the archive."""
    return fmean([coverage(index, text, DAY).verdict in verdicts for text in questions] or [0])


def probabilities(index: SearchIndex, questions: Sequence[tuple[str, frozenset[str]]]) -> list[float]:
    """The probability of each question without some records."""
    return [run_query(index, text, without).features.probability for text, without in questions]


def _stated(index: SearchIndex, chances: Sequence[float]) -> list[float]:
    return [stated(chance, judge_of(index).calibration) for chance in chances]


def calibration_error(present: Sequence[float], absent: Sequence[float]) -> float:
    """Expected calibration error of the probability where half of the questions are covered."""
    rated = [(chance, 1 / len(present), 1.0) for chance in present] + [
        (chance, 1 / len(absent), 0.0) for chance in absent
    ]
    error = 0.0
    for number in range(BINS):
        inside = [row for row in rated if number <= row[0] * BINS < number + 1 or (number + 1 == BINS and row[0] == 1)]
        mass = sum(weight for _, weight, _ in inside)
        if mass:
            stated = sum(chance * weight for chance, weight, _ in inside) / mass
            measured = sum(covered * weight for _, weight, covered in inside) / mass
            error += mass / 2 * abs(stated - measured)
    return error


def measure(collection: Collection, others: Sequence[Collection], arguments: argparse.Namespace) -> None:
    """Print the figures of one collection."""
    records = arguments.records
    entries = filings(collection)
    entries = entries[:: -(-len(entries) // records) or 1] if records else entries
    ids = frozenset(entry.id for entry in entries)
    labelled = [
        (text, frozenset(document for document, gain in collection.judged[id_].items() if gain > 0) & ids)
        for id_, text in some(sorted(collection.questions.items()))
    ]
    labelled = [(text, answers) for text, answers in labelled if answers]
    present, foreign = [text for text, _ in labelled], [text for other in others for text in other.questions.values()]
    print(f"{collection.name}: {len(entries)} records, {len(present)} questions")
    vectors = SemanticVectors(SearchSettings(semantic=True)) if arguments.semantic else None
    with tempfile.TemporaryDirectory() as scratch:
        folder = (arguments.keep or Path(scratch)) / collection.name
        write_calibrated(entries, folder, vectors)
        index = open_index(folder)
        report("words", index, labelled, foreign)
        appoint(index, Judge(packaged()))
        report("package", index, labelled, foreign)
        for mode in MODES if arguments.semantic else ():
            report(mode.name, SearchIndex(folder, vectors, mode.name), labelled, foreign)


def report(
    name: str, index: SearchIndex, labelled: Sequence[tuple[str, frozenset[str]]], foreign: Sequence[str]
) -> None:
    """Print what one way to compare makes of the questions."""
    present = [text for text, _ in labelled]
    covered = probabilities(index, [(text, frozenset()) for text in present])
    absent, elsewhere = probabilities(index, labelled), probabilities(index, [(text, frozenset()) for text in foreign])
    print(
        f"  {name:8} covered from {judge_of(index).calibration.hi:.2f}"
        f" | foreign covered {share(index, foreign, 'covered', 'stale'):.3f}"
        f" partly {share(index, foreign, 'partially_covered'):.3f} AUC {auc(covered, elsewhere):.3f}"
        f" | present covered {share(index, present, 'covered', 'stale'):.2f}"
        f" missed {share(index, present, 'not_covered'):.2f}"
        f" | absent covered {fmean([chance >= judge_of(index).calibration.hi for chance in absent] or [0]):.2f}"
        f" AUC {auc(covered, absent):.3f}"
        f" | calibration error {calibration_error(covered, absent):.3f}"
        f" as stated {calibration_error(*(_stated(index, chances) for chances in (covered, absent))):.3f}",
        flush=True,
    )


def main() -> None:
    """Measure each folder against the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=0, help="about how many records of each collection; all")
    parser.add_argument("--semantic", action="store_true", help="compare meanings too")
    parser.add_argument("--keep", type=Path, help="folder of the indexes, whose vectors take minutes to make")
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    collections = [load(folder) for folder in arguments.folders]
    for collection in collections:
        measure(collection, [other for other in collections if other is not collection], arguments)


if __name__ == "__main__":
    main()
