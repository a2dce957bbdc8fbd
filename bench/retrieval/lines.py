"""Verdicts of archives without labels: ``python bench/retrieval/lines.py --semantic FOLDER FOLDER...``.

Archives are put together from the collections: each whole (of a large one the records that answer, and others up to
three thousand), 500 and 150 records of each, and each with the next. Each is asked its own questions, the same without
the records that answer them (near-miss) and without what resembles these either (absent), and the questions of the
collections that it does not hold (off-topic). Prints what ships, what is left if weights and line are chosen without
the collections of the archive that is asked, their archives and their questions, and what the best line for each
archive would bring, which knows the answers. ``--field NAME NAME`` names collections of one field, which are not
off-topic for each other. ``--keep FILE`` keeps what was measured, which takes an hour. Needs numpy.
"""

import argparse
import json
import math
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

import numpy as np
from calibrated import write_calibrated
from corpora import Collection, load
from fit import auc
from peers import DAY, filings
from reliability import calibration_error, error_by_chance

from citepress.search.fields import IndexEntry
from citepress.search.index import SearchIndex
from citepress.search.state import open_index
from citepress_payments.products.coverage.calibration import foreign_questions
from citepress_payments.products.coverage.confidence import logit, stated
from citepress_payments.products.coverage.query_run import UNNAMED, Features, run_query
from citepress_payments.products.coverage.thresholds import LO, MODE_NUMBERS, WORD_NUMBERS, Weights, judge_of
from citepress_payments.products.coverage.verdict import coverage, facets_of
from citepress_semantic.modes import MODES
from citepress_semantic.settings import SearchSettings
from citepress_semantic.source import SemanticVectors

LEAST, MOST, PARTS = 4, 3_000, (500, 150)
"""Collections at least, records of one at most, and of its parts."""
QUESTIONS, OFF_TOPIC, RESEMBLING = 60, 40, 20
"""Questions of an archive, off-topic ones of each collection, records that resemble one."""
BAR, PRESENT_BAR, ERROR_BAR = 0.03, 0.35, 0.08
SPARE = 0.25
"""How far a line is kept above that which the archives need from which it is chosen."""
ROUNDS, RIDGE = 30, 0.01
Row = TypeVar("Row")
Values = list[float]
"""The features of a question in the order of the weights, the first of which is 1."""


@dataclass(frozen=True)
class Reading:
    """What an archive makes of questions in one way to compare."""

    kinds: Mapping[str, Sequence[Values]]
    """``present``, ``near_miss`` and ``absent``."""
    off_topic: Mapping[str, Sequence[Values]]
    """The questions of each other collection."""
    long: Sequence[Sequence[Values]]
    """The long off-topic questions of each field."""
    hi: float
    sold: Sequence[bool]
    """Whether the verdict on each off-topic question is positive as it ships, in part or as a whole."""
    confident: Mapping[str, Sequence[float]]
    """What is stated of the questions of each kind as it ships."""


@dataclass(frozen=True)
class Archive:
    """An archive of some collections."""

    name: str
    collections: Sequence[str]
    """With those of the same field."""
    readings: Mapping[str, Reading]
    """By ``words``, ``encoder`` and ``table``."""


def even(rows: Sequence[Row], most: int) -> list[Row]:
    """At most so many, evenly taken."""
    return list(rows[:: -(-len(rows) // most) or 1])


def sampled(collection: Collection) -> Collection:
    """The records that answer, and others evenly taken, where there are too many."""
    documents, judged = collection.documents, collection.judged
    if len(documents) <= 1.1 * MOST:
        return collection
    ids = dict.fromkeys(id_ for question in sorted(judged) for id_ in sorted(judged[question]) if id_ in documents)
    others = even([id_ for id_ in documents if id_ not in ids], max(MOST - len(ids), 1))
    chosen = {*list(ids)[:MOST], *others}
    return replace(collection, documents={id_: document for id_, document in documents.items() if id_ in chosen})


def archives(collections: Sequence[Collection]) -> Iterator[tuple[str, tuple[Collection, ...], list[IndexEntry]]]:
    """Name, collections and records of every archive."""
    entries = {
        each.name: [replace(e, id=_id(each, e.id)) for e in filings(each, authored=True)] for each in collections
    }
    for collection in collections:
        yield collection.name, (collection,), entries[collection.name]
        for count in PARTS:
            if len(entries[collection.name]) > 1.3 * count:
                yield f"{collection.name}, {count}", (collection,), even(entries[collection.name], count)
    for two in pairwise([*collections, collections[0]]):
        yield " and ".join(each.name for each in two), two, [entry for each in two for entry in entries[each.name]]


def _id(collection: Collection, document: str) -> str:
    return f"{collection.name}/{document}"


def measured(
    own: Sequence[Collection],
    entries: Sequence[IndexEntry],
    others: Sequence[Collection],
    folder: Path,
    settings: SearchSettings,
) -> dict[str, Reading]:
    """Ask an archive, by words and by meaning."""
    vectors = SemanticVectors(settings) if settings.semantic else None
    write_calibrated(entries, folder, vectors)
    ids = {entry.id for entry in entries}
    questions = [
        (text, frozenset(_id(each, document) for document, gain in each.judged[id_].items() if gain > 0) & ids)
        for each in own
        for id_, text in sorted(each.questions.items())
    ]
    sample = even([(text, answers) for text, answers in questions if answers], QUESTIONS)
    indexes = {"words": open_index(folder)}
    indexes |= {mode.name: SearchIndex(folder, vectors, mode.name) for mode in MODES if vectors}
    return {name: _reading(index, sample, others) for name, index in indexes.items()}


def _reading(index: SearchIndex, sample: Sequence[tuple[str, frozenset[str]]], others: Sequence[Collection]) -> Reading:
    calibration = judge_of(index).calibration
    foreign = {each.name: [text for _, text in even(sorted(each.questions.items()), OFF_TOPIC)] for each in others}
    rated = {
        "present": [_features(index, text) for text, _ in sample],
        "near_miss": [_features(index, text, answers) for text, answers in sample],
        "absent": [_features(index, text, _with_resembling(index, answers)) for text, answers in sample],
    }
    off_topic = {name: [_features(index, text) for text in texts] for name, texts in foreign.items()}
    every = {**rated, "off_topic": list(chain.from_iterable(off_topic.values()))}
    sold = [
        features.probability >= calibration.hi or _in_part(index, text)
        for text, features in zip(chain.from_iterable(foreign.values()), every["off_topic"], strict=True)
    ]
    return Reading(
        {kind: list(map(_values, rows)) for kind, rows in rated.items()},
        {name: list(map(_values, rows)) for name, rows in off_topic.items()},
        [[_values(_features(index, text)) for text in texts] for texts in foreign_questions()["long"].values()],
        calibration.hi,
        sold,
        {kind: [stated(row.probability, calibration) for row in rows] for kind, rows in every.items()},
    )


def _in_part(index: SearchIndex, text: str) -> bool:
    return bool(facets_of(text)) and coverage(index, text, DAY).verdict == "partially_covered"


def _features(index: SearchIndex, text: str, without: frozenset[str] = frozenset()) -> Features:
    return run_query(index, text, without).features


def _with_resembling(index: SearchIndex, ids: frozenset[str]) -> frozenset[str]:
    return ids | {hit.id for id_ in sorted(ids) for hit in index.related(id_, RESEMBLING)}


def _values(features: Features) -> Values:
    row = (features.norm, features.share, features.gap, features.length, features.name - UNNAMED, features.cosine)
    return [1.0, *(round(value, 4) for value in row)]


def apart(archive: Archive, rows: Sequence[Archive]) -> list[Archive]:
    """The archives that share no collection with this one, without its questions, where others are left."""
    others = [_without(other, archive) for other in rows if not set(other.collections) & set(archive.collections)]
    return [other for other in others if all(foreign(reading) for reading in other.readings.values())]


def _without(other: Archive, archive: Archive) -> Archive:
    readings = {
        mode: replace(
            reading, off_topic={name: v for name, v in reading.off_topic.items() if name not in archive.collections}
        )
        for mode, reading in other.readings.items()
    }
    return replace(other, readings=readings)


def foreign(reading: Reading) -> list[Values]:
    """Every off-topic question."""
    return list(chain.from_iterable(reading.off_topic.values()))


def weighed(reading: Reading, rate: Callable[[Sequence[Values]], Iterable[Any]]) -> list[tuple[Any, float, float]]:
    """(what is made of it, covered, weight): half of the weight is covered, of the rest each kind has a third."""
    return _halves({kind: list(rate(rows)) for kind, rows in {**reading.kinds, "off_topic": foreign(reading)}.items()})


def _halves(kinds: Mapping[str, Sequence[Any]]) -> list[tuple[Any, float, float]]:
    return [
        (row, float(kind == "present"), (1.0 if kind == "present" else 1 / 3) / len(rows))
        for kind, rows in kinds.items()
        for row in rows
    ]


def shipped(mode: str) -> Weights:
    """The weights of the package."""
    return MODE_NUMBERS.get(mode, WORD_NUMBERS).weights


def fitted(rows: Sequence[Archive], mode: str) -> "np.ndarray[Any, Any]":
    """The weights of the features that ship with one, by logistic regression; that of names is left as it is."""
    data = [row for archive in rows for row in weighed(archive.readings[mode], list)]
    values, covered, much = (np.array(column, float) for column in zip(*data, strict=True))
    weights, much = np.array(shipped(mode), float), much / sum(much)
    free = [place for place, weight in enumerate(weights) if weight and Weights._fields[place] != "name"]
    spread = np.maximum(values[:, free].std(axis=0), RIDGE)
    spread[0], ridge = 1.0, np.array([0.0, *[RIDGE] * (len(free) - 1)])
    scaled = values[:, free] / spread
    weights[free] = 0.0
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-(values @ weights)))
        slope = scaled.T @ (much * (covered - chance)) - ridge * weights[free] * spread
        bend = (scaled * (much * chance * (1 - chance))[:, None]).T @ scaled + np.diag(ridge)
        weights[free] += np.linalg.solve(bend, slope) / spread
    return weights


def logits(rows: Sequence[Values], weights: Sequence[float]) -> list[float]:
    """What these weights make of questions, as a verdict rounds it."""
    chances = 1 / (1 + np.exp(-(np.array(rows) @ np.array(weights))))
    return [logit(round(chance, 4)) for chance in chances.tolist()]


def line_of(archive: Archive, rows: Sequence[Archive], mode: str, weights: Sequence[float]) -> float:
    """The line for an archive, which few off-topic questions of the others reach."""
    slope = MODE_NUMBERS.get(mode, WORD_NUMBERS).line[0]

    def long(reading: Reading) -> float:
        fields = sorted((logits(field, weights) for field in reading.long), key=fmean)[:-1]
        return slope * fmean(chain.from_iterable(fields))

    needed = [least_line(logits(foreign(other.readings[mode]), weights)) - long(other.readings[mode]) for other in rows]
    return max(long(archive.readings[mode]) + max(needed) + SPARE, logit(0.3))


def least_line(reaches: Sequence[float]) -> float:
    """The lowest line that no more than the bar of these reach."""
    ordered = sorted(reaches)
    return ordered[len(ordered) - 1 - int(BAR * len(ordered))] + 1e-6


def report(rows: Sequence[Archive], mode: str, *, each: bool) -> None:
    """Print what ships, what holds without the collections that are asked, and what the best line would bring."""
    ships, without, best = ([dict[str, float]() for _ in rows] for _ in range(3))
    errors = {"ships": list[list[tuple[float, float, float]]](), "kept back": list[list[tuple[float, float, float]]]()}
    for place, archive in enumerate(rows):
        reading, others = archive.readings[mode], apart(archive, rows)
        weights = shipped(mode)
        ships[place] = called(reading, weights, logit(reading.hi)) | {"off-topic": fmean(reading.sold)}
        best[place] = called(reading, weights, least_line(logits(foreign(reading), weights)))
        errors["ships"].append(_halves(reading.confident))
        chosen = fitted(others, mode).tolist()
        without[place] = called(reading, chosen, line_of(archive, others, mode, chosen))
        errors["kept back"].append(
            weighed(reading, lambda part, w=chosen: [1 / (1 + math.exp(-r)) for r in logits(part, w)])
        )
        if each:
            print(f"    {archive.name:32}", *(f"{kind} {share:.3f}" for kind, share in ships[place].items()))
    print(mode)
    for name, shares in (("as it ships", ships), ("its collections kept back", without), ("best line for each", best)):
        off_topic, present = ([row[kind] for row in shares] for kind in ("off-topic", "present"))
        further = {kind: fmean(row[kind] for row in shares) for kind in ("near_miss", "absent", "missed", "AUC")}
        print(
            f"  {name:28} off-topic {fmean(off_topic):.3f}, at most {max(off_topic):.3f}, above the bar"
            f" {sum(share > BAR for share in off_topic)} of {len(rows)} | present {fmean(present):.2f}, from"
            f" {PRESENT_BAR} up {sum(share >= PRESENT_BAR for share in present)} |",
            ", ".join(f"{kind} {share:.3f}" for kind, share in further.items()),
            f"(least {min(row['AUC'] for row in shares):.3f})",
        )
    for name, statements in errors.items():
        each_error = [calibration_error(row) for row in statements]
        print(
            f"  calibration error, {name}: {fmean(each_error):.3f} in each, at most {max(each_error):.3f}, by chance"
            f" {fmean(map(error_by_chance, statements)):.3f}, to {ERROR_BAR} {sum(e <= ERROR_BAR for e in each_error)};"
            f" together {calibration_error([row for part in statements for row in part]):.3f}",
            flush=True,
        )


def called(reading: Reading, weights: Sequence[float], line: float) -> dict[str, float]:
    """Shares that reach a line, present ones called not covered, and the AUC against off-topic questions."""
    reaches = {kind: logits(part, weights) for kind, part in {**reading.kinds, "off-topic": foreign(reading)}.items()}
    shares = {kind: fmean(reach >= line for reach in part) for kind, part in reaches.items()}
    missed = fmean(reach <= logit(LO) for reach in reaches["present"])
    return shares | {"missed": missed, "AUC": auc(reaches["present"], reaches["off-topic"])}


def once_encoded() -> None:
    """Encode a text once, in however many archives it is."""
    from citepress_semantic.encoder import Encoder  # noqa: PLC0415  (needs the extra)

    vectors: dict[tuple[int, ...], Any] = {}
    single = Encoder._single  # noqa: SLF001

    def remembered(self: Encoder, numbers: list[int]) -> object:
        key = tuple(numbers)
        if key not in vectors:
            vectors[key] = single(self, numbers)
        return vectors[key]

    Encoder._single = remembered  # type: ignore[method-assign]  # noqa: SLF001


def main() -> None:
    """Measure every archive, and choose weights and lines without it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--semantic", action="store_true", help="compare meanings too")
    parser.add_argument("--vocabulary", help="file of word pieces, where its package is not installed")
    parser.add_argument("--field", nargs="+", action="append", default=[], help="collections of one field")
    parser.add_argument("--each", action="store_true", help="print each archive as it ships")
    parser.add_argument("--keep", type=Path, help="file of what was measured; what is there is not measured again")
    parser.add_argument("folders", nargs="*", type=Path)
    arguments = parser.parse_args()
    if 0 < len(arguments.folders) < LEAST:
        parser.error(f"at least {LEAST} collections: of the archives of two, others are to be kept back")
    rows = list[Archive]()
    with suppress(OSError, TypeError):
        rows = [_restored(row) for row in json.loads(arguments.keep.read_text())]
    collections = [sampled(replace(load(folder), name=folder.name)) for folder in arguments.folders]
    settings = SearchSettings(semantic=arguments.semantic, vocabulary=arguments.vocabulary)
    if arguments.semantic:
        once_encoded()
    for name, own, entries in archives(collections) if collections else ():
        if name in {row.name for row in rows}:
            continue
        names = {each.name for each in own}
        names |= {other for field in arguments.field if names & set(field) for other in field}
        others = [other for other in collections if other.name not in names]
        with tempfile.TemporaryDirectory() as scratch:
            readings = measured(own, entries, others, Path(scratch) / "index", settings)
        rows.append(Archive(name, sorted(names), readings))
        print(f"{name}: {len(entries):,} records", flush=True)
        if arguments.keep:
            arguments.keep.write_text(json.dumps([asdict(row) for row in rows]))
    for mode in rows[0].readings:
        report(rows, mode, each=arguments.each)


def _restored(row: dict[str, Any]) -> Archive:
    return Archive(
        row["name"], row["collections"], {mode: Reading(**reading) for mode, reading in row["readings"].items()}
    )


if __name__ == "__main__":
    main()
