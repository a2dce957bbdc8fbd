"""Thresholds of verdicts for archives that nobody labelled: ``python bench/retrieval/lines.py FOLDER FOLDER...``.

Archives are put together from the collections: each whole, 500 and 150 records of each, and every two of them. Each is
asked its own questions, the same without the records that answer them (near-miss) and without what resembles these
either (absent), and the questions of the collections that it does not hold (off-topic). Every way to draw the upper
line from what an archive says of itself, and to correct the stated confidence, is chosen without the collections of
the archive that is asked, their archives and their questions. ``--keep FILE`` keeps what was measured, which takes
minutes.
"""

import argparse
import json
import math
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from statistics import fmean
from typing import TypeVar

from corpora import Collection, load
from fit import WEIGHTS, fitted, logistic, solved
from peers import DAY, filings
from reliability import calibration_error, error_by_chance

from citepress.search import SearchIndex, open_index
from citepress.search.build import write
from citepress.search.confidence import logit, stated
from citepress.search.coverage import run_query
from citepress.search.fields import IndexEntry
from citepress.search.off_topic_questions import LONG_FIELDS

PARTS = (500, 150)
QUESTIONS, OFF_TOPIC, SAMPLE, RESEMBLING = 60, 60, 100, 20
"""Questions of an archive, off-topic ones of each collection, own records that are asked, records that resemble one."""
QUESTION = 300
"""Characters of a sentence that is asked."""
BAR, PRESENT_BAR = 0.03, 0.35
RIDGE = 1e-3
Row = TypeVar("Row")
Signs = tuple[str, ...]
"""Names of what an archive says of itself."""
LINES: Mapping[str, Signs] = {
    "one line for all": (),
    "long off-topic questions": ("long",),
    "its sentences, their records left out": ("left_out",),
    "its titles, their records left out": ("titles",),
    "its sentences both ways": ("sentences", "left_out"),
    "titles and sentences": ("titles", "sentences"),
    "titles, sentences both ways": ("titles", "sentences", "left_out"),
    "long questions, sentences both ways": ("long", "sentences", "left_out"),
    "long questions, titles, sentences both ways, size": ("long", "titles", "sentences", "left_out", "size"),
}
CORRECTIONS: Mapping[str, Signs] = {
    "slope and shift": (),
    "and its sentences": ("sentences",),
    "and its sentences both ways": ("sentences", "left_out"),
    "and long questions, sentences both ways": ("long", "sentences", "left_out"),
}


@dataclass(frozen=True)
class Archive:
    """What an archive of some collections says to questions: logits of probabilities."""

    name: str
    collections: tuple[str, ...]
    hi: float
    """The upper line as it ships."""
    confident: Mapping[str, Sequence[float]]
    """The stated confidence of the questions of each kind as it ships."""
    logits: Mapping[str, Sequence[float]]
    """Of each kind of its own questions."""
    off_topic: Mapping[str, Sequence[float]]
    """Of the questions of each other collection."""
    signs: Mapping[str, float]
    """What it says to its own titles and sentences and to questions of foreign fields, and its size."""

    def foreign(self, without: Iterable[str] = ()) -> list[float]:
        """The off-topic logits but for the questions of some collections."""
        return [reach for name, reaches in self.off_topic.items() if name not in without for reach in reaches]

    def called(self, line: float) -> tuple[float, float]:
        """Shares of off-topic and of present questions that reach a line."""
        return _share(self.foreign(), line), _share(self.logits["present"], line)


def _share(reaches: Sequence[float], line: float) -> float:
    return fmean(reach >= line for reach in reaches)


def least_line(reaches: Sequence[float]) -> float:
    """The lowest line that no more than the bar of these reach."""
    ordered = sorted(reaches)
    return ordered[len(ordered) - 1 - int(BAR * len(ordered))] + 1e-6


def even(rows: Sequence[Row], most: int) -> list[Row]:
    """At most so many, evenly taken."""
    return list(rows[:: -(-len(rows) // most) or 1])


def archives(collections: Sequence[Collection]) -> Iterator[tuple[str, tuple[Collection, ...], list[IndexEntry]]]:
    """Name, collections and records of every archive."""
    entries = {collection.name: _prefixed(collection) for collection in collections}
    for collection in collections:
        yield collection.name, (collection,), entries[collection.name]
        for count in PARTS:
            yield f"{collection.name}, {count}", (collection,), even(entries[collection.name], count)
    for two in combinations(collections, 2):
        yield " and ".join(each.name for each in two), two, [entry for each in two for entry in entries[each.name]]


def _prefixed(collection: Collection) -> list[IndexEntry]:
    return [replace(entry, id=_id(collection, entry.id)) for entry in filings(collection, authored=True)]


def _id(collection: Collection, document: str) -> str:
    return f"{collection.name}/{document}"


def measured(
    name: str, own: Sequence[Collection], entries: Sequence[IndexEntry], others: Sequence[Collection], folder: Path
) -> Archive:
    """Ask an archive."""
    write(entries, folder, DAY)
    index = open_index(folder)
    ids = {entry.id for entry in entries}
    questions = [
        (text, frozenset(_id(each, document) for document, gain in each.judged[id_].items() if gain > 0) & ids)
        for each in own
        for id_, text in sorted(each.questions.items())
    ]
    sample = even([(text, answers) for text, answers in questions if answers], QUESTIONS)
    logits = {
        "present": [_logit(index, text) for text, _ in sample],
        "near_miss": [_logit(index, text, answers) for text, answers in sample],
        "absent": [_logit(index, text, _with_resembling(index, answers)) for text, answers in sample],
    }
    off_topic = {
        other.name: [_logit(index, text) for _, text in even(sorted(other.questions.items()), OFF_TOPIC)]
        for other in others
    }
    confident = {
        kind: [stated(_probability(reach), index.calibration) for reach in reaches]
        for kind, reaches in {**logits, "off_topic": [reach for part in off_topic.values() for reach in part]}.items()
    }
    return Archive(
        name,
        tuple(each.name for each in own),
        logit(index.calibration.hi),
        confident,
        logits,
        off_topic,
        _signs(index, even(entries, SAMPLE)),
    )


def _signs(index: SearchIndex, sample: Sequence[IndexEntry]) -> dict[str, float]:
    longest = [(entry.id, max((entry.title, *chain.from_iterable(entry.blocks)), key=len)) for entry in sample]
    fields = [[_logit(index, text) for text in texts] for texts in LONG_FIELDS.values()]
    titles = [(entry.id, entry.title) for entry in sample if len(entry.title.split()) > 1] or longest
    return {
        "long": fmean(reach for field in sorted(fields, key=fmean)[:-1] for reach in field),
        "sentences": fmean(_logit(index, text[:QUESTION]) for _, text in longest),
        "left_out": fmean(_logit(index, text[:QUESTION], frozenset([id_])) for id_, text in longest),
        "titles": fmean(_logit(index, text, frozenset([id_])) for id_, text in titles),
        "size": math.log10(index.stats.records),
    }


def _logit(index: SearchIndex, text: str, without: frozenset[str] = frozenset()) -> float:
    return logit(run_query(index, text, without).probability)


def _with_resembling(index: SearchIndex, ids: frozenset[str]) -> frozenset[str]:
    return ids | {hit.id for id_ in sorted(ids) for hit in index.related(id_, RESEMBLING)}


def _probability(reach: float) -> float:
    return 1 / (1 + math.exp(-reach))


def apart(archive: Archive, rows: Sequence[Archive]) -> list[Archive]:
    """The archives that share no collection with this one."""
    return [other for other in rows if not set(other.collections) & set(archive.collections)]


def line_of(archive: Archive, rows: Sequence[Archive], signs: Signs) -> float:
    """The line for an archive, drawn by these signs from those apart from it, each of which it holds below the bar."""
    pairs = [(_row(other, signs), least_line(other.foreign(archive.collections))) for other in apart(archive, rows)]
    weights = _least_squares(pairs)
    margin = max(line - _dot(weights, row) for row, line in pairs)
    return _dot(weights, _row(archive, signs)) + margin


def _row(archive: Archive, signs: Signs) -> list[float]:
    return [1.0, *(archive.signs[sign] for sign in signs)]


def _dot(weights: Sequence[float], row: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, row, strict=True))


def _least_squares(pairs: Sequence[tuple[list[float], float]]) -> list[float]:
    size = range(len(pairs[0][0]))
    matrix = [[sum(row[a] * row[b] for row, _ in pairs) + RIDGE * (a == b) for b in size] for a in size]
    return solved(matrix, [sum(row[a] * line for row, line in pairs) for a in size])


def rated(archive: Archive, chance: Callable[[float], float]) -> list[tuple[float, float, float]]:
    """(stated, covered, weight): half of the weight is covered, of the rest each kind has a third."""
    kinds = {**archive.logits, "off_topic": archive.foreign()}
    return _weighed({kind: [chance(reach) for reach in reaches] for kind, reaches in kinds.items()})


def _weighed(kinds: Mapping[str, Sequence[float]]) -> list[tuple[float, float, float]]:
    return [
        (chance, float(kind == "present"), (1.0 if kind == "present" else 1 / 3) / len(chances))
        for kind, chances in kinds.items()
        for chance in chances
    ]


def corrected(archive: Archive, rows: Sequence[Archive], signs: Signs) -> Callable[[float], float]:
    """From a logit to the stated confidence, by these signs, fitted on the archives apart from it."""

    def values(reach: float, row: Archive) -> list[float]:
        features = [1.0, reach, *(row.signs[sign] for sign in signs)]
        return features + [0.0] * (WEIGHTS - len(features))

    data = []
    for other in apart(archive, rows):
        kinds = {**other.logits, "off_topic": other.foreign(archive.collections)}
        for kind, reaches in kinds.items():
            weight = (1.0 if kind == "present" else 1 / 3) / len(reaches)
            data += [(values(reach, other), int(kind == "present"), weight) for reach in reaches]
    weights = fitted(data)
    return lambda reach: logistic(values(reach, archive), weights)


def report_lines(rows: Sequence[Archive]) -> None:
    """Print what each way to draw the line calls covered."""
    ways: dict[str, Callable[[Archive], float]] = {"as it ships": lambda row: row.hi}
    for name, signs in LINES.items():
        ways[name] = partial(line_of, rows=rows, signs=signs)
    ways["the best for each archive"] = lambda row: least_line(row.foreign())
    for name, way in ways.items():
        calls = [row.called(way(row)) for row in rows]
        foreign, present = ([call[place] for call in calls] for place in (0, 1))
        print(
            f"  {name:50} off-topic {fmean(foreign):.3f}, at most {max(foreign):.3f},"
            f" above the bar {sum(share > BAR for share in foreign)} of {len(rows)}"
            f" | present {fmean(present):.2f}, from {PRESENT_BAR} up {sum(share >= PRESENT_BAR for share in present)}",
            flush=True,
        )


def report_confidence(rows: Sequence[Archive]) -> None:
    """Print how far the stated confidence is from what is measured."""
    ways = {"as it ships": [_weighed(row.confident) for row in rows]}
    for name, signs in CORRECTIONS.items():
        ways[name] = [rated(row, corrected(row, rows, signs)) for row in rows]
    for name, each in ways.items():
        errors = [calibration_error(row) for row in each]
        print(
            f"  {name:50} calibration error {fmean(errors):.3f}, at most {max(errors):.3f}, by chance"
            f" {fmean(map(error_by_chance, each)):.3f}, to .08 {sum(error <= 0.08 for error in errors)} of {len(rows)}",  # noqa: PLR2004
            flush=True,
        )


def main() -> None:
    """Measure every archive, and try every way on it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--keep", type=Path, help="file of what was measured; read where it is there")
    parser.add_argument("folders", nargs="*", type=Path)
    arguments = parser.parse_args()
    if arguments.keep and arguments.keep.exists():
        rows = [Archive(**row) for row in json.loads(arguments.keep.read_text())]
    else:
        collections, rows = [load(folder) for folder in arguments.folders], []
        for name, own, entries in archives(collections):
            others = [other for other in collections if other not in own]
            with tempfile.TemporaryDirectory() as scratch:
                rows.append(measured(name, own, entries, others, Path(scratch) / "index"))
            off_topic, present = rows[-1].called(rows[-1].hi)
            print(f"{name}: {len(entries):,} records, off-topic {off_topic:.3f}, present {present:.2f}", flush=True)
        if arguments.keep:
            arguments.keep.write_text(json.dumps([asdict(row) for row in rows]))
    report_lines(rows)
    report_confidence(rows)


if __name__ == "__main__":
    main()
