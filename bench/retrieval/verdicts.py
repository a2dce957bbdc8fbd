"""Verdicts without labels, by kind, size and language: ``python bench/retrieval/verdicts.py FOLDER FOLDER...``.

Each collection is filed as an archive, whole and with 500 and 150 of its records, and asked its own questions
(present), the same without the records that answer them and their near-duplicates (removed), and the questions of
collections of other fields in its language (off-topic). Folders whose names begin alike, up to the first hyphen, are of
one field. ``--halves NAME`` files the first half of such collections, and asks off-topic what the other half answers.
``--records 10000 100000`` files larger archives instead: behind the records of a collection come records that are put
together from sentences of its documents that answer none of the questions. Prints the shares of each verdict and the
calibration error of the stated confidence, as it is and with its numbers chosen without the kind of the archive, and
in how many archives the other bars allow the share of covered questions. ``--pictures FOLDER`` draws that, or
reliability diagrams of the larger archives.
"""

import argparse
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TypeVar

import frontier
import stated as confidence
from calibrated import write_calibrated
from corpora import Collection, load
from fit import auc
from peers import DAY, filings
from reliability import SENTENCES, Rated, calibration_error, picture
from stated import Measured

from citepress.search.fields import IndexEntry
from citepress.search.index import SearchIndex
from citepress_payments.products.coverage.confidence import stated
from citepress_payments.products.coverage.query_run import evidence_of, may_be_covered, run_query
from citepress_payments.products.coverage.thresholds import judge_of
from citepress_payments.products.coverage.verdict import CoverageVerdict, coverage
from citepress_semantic.settings import SearchSettings
from citepress_semantic.source import SemanticVectors

SIZES, SMALLEST = (500, 150), 1.3
"""Records of the parts of a collection, and how much larger than one it is at least."""
QUESTIONS, OFF_TOPIC = 150, 60
"""Questions of an archive, and off-topic ones of each other collection."""
BARS = {"words": (0.05, 0.15, 0.03, 0.35, 0.10), "encoder": (0.02, 0.15, 0.01, 0.60, 0.06)}
"""Present called not covered, removed covered, off-topic covered or partly; present covered; calibration error."""
Row = TypeVar("Row")
Asked = tuple[str, frozenset[str]]
"""A question, and the records that are left out."""


@dataclass(frozen=True)
class Archive:
    """A collection, or a part of it, as an archive."""

    name: str
    entries: Sequence[IndexEntry]
    questions: Sequence[Asked]
    """With the records that answer."""
    off_topic: Sequence[str]


def even(rows: Sequence[Row], most: int) -> list[Row]:
    """At most so many, evenly taken."""
    return list(rows[:: -(-len(rows) // most) or 1])


def archives(collections: Sequence[Collection], halves: Sequence[str], sizes: Sequence[int]) -> Iterator[Archive]:
    """Every archive that is measured: collections and parts of them, or all of these ``sizes``."""
    for each in collections:
        entries = filings(each)
        foreign = [
            text
            for other in collections
            if other.language == each.language and field(other.name) != field(each.name)
            for _, text in even(sorted(other.questions.items()), OFF_TOPIC)
        ]
        if field(each.name) in halves:
            rest = [text for text, answers in _questions(each, entries[len(entries) // 2 :]) if answers]
            yield _archive(each, entries[: len(entries) // 2], [*foreign, *even(rest, QUESTIONS)])
            continue
        if sizes:
            yield from (enlarged(_archive(each, entries, foreign), size) for size in sizes)
            continue
        for part in (entries, *(even(entries, size) for size in SIZES if len(entries) >= SMALLEST * size)):
            yield _archive(each, part, foreign)


def enlarged(archive: Archive, count: int) -> Archive:
    """The archive with so many records: the answers to its questions, its others, and what is put together."""
    judged = {id_ for _, ids in archive.questions for id_ in ids}
    others = [entry for entry in archive.entries if entry.id not in judged]
    filed = [entry for entry in archive.entries if entry.id in judged] + others[: max(count - len(judged), 0)]
    sentences = [sentence for entry in others for block in entry.blocks for sentence in block]
    chance = random.Random(17)  # noqa: S311  (the same records in every run)
    # Titles would return, and what they find without their record sets the line of covered.
    further = [
        replace(others[0], id=f"posts/further-{n}", title="", blocks=(tuple(chance.choices(sentences, k=SENTENCES)),))
        for n in range(len(filed), count)
    ]
    name, _, _ = archive.name.partition(",")
    return replace(archive, name=f"{name}, {count:,}", entries=[*filed, *further])


def field(name: str) -> str:
    """The field of a collection."""
    return name.partition(",")[0].partition("-")[0]


def _archive(collection: Collection, entries: Sequence[IndexEntry], off_topic: Sequence[str]) -> Archive:
    questions = even([(text, answers) for text, answers in _questions(collection, entries) if answers], QUESTIONS)
    return Archive(f"{collection.name}, {len(entries):,}", entries, questions, off_topic)


def _questions(collection: Collection, entries: Sequence[IndexEntry]) -> list[Asked]:
    ids = {entry.id for entry in entries}
    return [
        (text, frozenset(document for document, gain in collection.judged[id_].items() if gain > 0) & ids)
        for id_, text in sorted(collection.questions.items())
    ]


@dataclass(frozen=True)
class Answers:
    """What an archive answers."""

    line: str
    """Its figures in a line."""
    figures: tuple[float, ...]
    """Those that have bars."""
    measured: Measured
    trade: frontier.Trade

    @property
    def confident(self) -> Sequence[Rated]:
        """What each verdict states."""
        calibration = self.measured.calibration
        return [(stated(probability, calibration), *rest) for probability, *rest in self.measured.rated]


def ask(index: SearchIndex, archive: Archive, bars: Sequence[float]) -> Answers:
    """Ask an archive all its questions."""
    calibration = judge_of(index).calibration
    nothing = frozenset[str]()
    kinds: dict[str, Sequence[Asked]] = {
        "present": [(text, nothing) for text, _ in archive.questions],
        "removed": archive.questions,
        "off-topic": [(text, nothing) for text in archive.off_topic],
    }
    verdicts = {
        kind: [coverage(index, text, DAY, without=without) for text, without in questions]
        for kind, questions in kinds.items()
    }
    shares = {kind: _shares(rows) for kind, rows in verdicts.items()}
    # Half of the weight is on covered questions, also where no collection has off-topic ones in the language.
    missing = sum(bool(rows) for kind, rows in verdicts.items() if kind != "present")
    weights = {kind: (1.0 if kind == "present" else 1 / missing) / (len(rows) or 1) for kind, rows in verdicts.items()}
    rated = [
        (verdict.probability, float(kind == "present"), weights[kind])
        for kind, rows in verdicts.items()
        for verdict in rows
    ]
    lines = {kind: [_covered_up_to(index, *question) for question in questions] for kind, questions in kinds.items()}
    best = frontier.possible(lines["present"], [(lines["removed"], bars[1]), (lines["off-topic"], bars[2])])
    trade = frontier.Trade(shares["present"]["covered"], best, shares["removed"]["covered"])
    measured = Measured(field(archive.name), calibration, rated)
    error = calibration_error([(stated(probability, calibration), *rest) for probability, *rest in rated])
    present, removed = ([verdict.probability for verdict in verdicts[kind]] for kind in ("present", "removed"))
    sold = shares["off-topic"]["covered"] + shares["off-topic"]["partly"]
    figures = (shares["present"]["not"], shares["removed"]["covered"], sold, shares["present"]["covered"], error)
    line = " | ".join(
        f"{kind} " + " ".join(f"{name} {share:.2f}" for name, share in row.items()) for kind, row in shares.items()
    )
    floor = f"{calibration.floor:.2f}" if calibration.floor is not None else "none"
    thresholds = f"hi {calibration.hi:.2f} partly {calibration.material:.2f} floor {floor}"
    line = f"{line} | possible {best:.2f} | AUC removed {auc(present, removed):.2f} | error {error:.3f} | {thresholds}"
    return Answers(line, figures, measured, trade)


def _covered_up_to(index: SearchIndex, text: str, without: frozenset[str]) -> float:
    """The highest threshold with which a question is called covered; 0 for none."""
    query_run = run_query(index, text, without)
    return query_run.probability if may_be_covered(query_run, evidence_of(query_run)) else 0.0


def _shares(verdicts: Sequence[CoverageVerdict]) -> Mapping[str, float]:
    counts = Counter(verdict.verdict for verdict in verdicts)
    whole = len(verdicts) or 1
    return {
        "covered": (counts["covered"] + counts["stale"]) / whole,
        "partly": counts["partially_covered"] / whole,
        "open": (counts["insufficient_evidence"] + counts["invalid"]) / whole,
        "not": counts["not_covered"] / whole,
    }


def report(mode: str, answers: Mapping[str, Answers]) -> None:
    """Print the means, and how many archives are within each bar."""
    missed, removed, foreign, present, error = zip(*(each.figures for each in answers.values()), strict=True)
    bars = BARS.get(mode, BARS["words"])
    print(
        f"{mode}, {len(answers)} archives: present not covered {fmean(missed):.3f} (≤ {bars[0]}:"
        f" {sum(share <= bars[0] for share in missed)}), removed covered {fmean(removed):.3f} (≤ {bars[1]}:"
        f" {sum(share <= bars[1] for share in removed)}), off-topic sold {fmean(foreign):.3f} (≤ {bars[2]}:"
        f" {sum(share <= bars[2] for share in foreign)}), present covered {fmean(present):.2f} (≥ {bars[3]}:"
        f" {sum(share >= bars[3] for share in present)}), error {fmean(error):.3f} (≤ {bars[4]}:"
        f" {sum(each <= bars[4] for each in error)})"
    )
    confidence.report([each.measured for each in answers.values()], bars[4])
    frontier.report([each.trade for each in answers.values()], bars[3], bars[1])


def draw(folder: Path, answers: Mapping[str, Answers], sizes: Sequence[int]) -> None:
    """Draw what is allowed, or the reliability of larger archives."""
    if not sizes:
        trades = {name: each.trade for name, each in answers.items()}
        (folder / "frontier.svg").write_text(frontier.picture(trades, BARS["words"][3], BARS["words"][1]), "utf-8")
    for size in sizes:
        confident = {field(name): each.confident for name, each in answers.items() if name.endswith(f", {size:,}")}
        (folder / f"reliability-{size}.svg").write_text(picture(confident), "utf-8")


def main() -> None:
    """Measure every archive."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--halves", nargs="+", default=[], help="fields of which the first half is filed")
    parser.add_argument("--semantic", action="store_true", help="compare meanings too")
    parser.add_argument("--records", type=int, nargs="+", default=[], help="records of larger archives")
    parser.add_argument("--pictures", type=Path, help="folder of the diagrams")
    parser.add_argument("--only", nargs="+", default=[], help="fields that are measured; all ask")
    parser.add_argument("--keep", type=Path, help="folder of the indexes, whose vectors take minutes to make")
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    print("load average", *map("{:.1f}".format, os.getloadavg()))
    answers: dict[str, dict[str, Answers]] = {}
    vectors = SemanticVectors(SearchSettings(semantic=True)) if arguments.semantic else None
    collections = [load(folder) for folder in arguments.folders]
    for archive in archives(collections, arguments.halves, arguments.records):
        if arguments.only and field(archive.name) not in arguments.only:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = (arguments.keep or Path(scratch)) / archive.name
            write_calibrated(archive.entries, folder, vectors)
            for mode in ("", *(mode.name for mode in vectors.modes if vectors)) if vectors else ("",):
                index = SearchIndex(folder, vectors if mode else None, mode or None)
                answer = ask(index, archive, BARS.get(mode, BARS["words"]))
                answers.setdefault(mode or "words", {})[archive.name] = answer
                print(f"{archive.name:24} {mode or 'words':8} {answer.line}", flush=True)
    for mode, rows in answers.items():
        report(mode, rows)
    if arguments.pictures:
        draw(arguments.pictures, answers["words"], arguments.records)


if __name__ == "__main__":
    main()
