"""Calibration of the coverage verdict: thresholds measured on the archive's own labels each time the index is built."""

import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import Any

from citepress.archive.model import Archive
from citepress.contract.refs import TOPICS
from citepress.search.index import SearchIndex
from citepress.search.measuring import Measurement
from citepress_payments.products.coverage.confidence import logit
from citepress_payments.products.coverage.query_run import DECIMALS, fault_of, run_query
from citepress_payments.products.coverage.thresholds import (
    COVERAGE_MEASUREMENT,
    HI,
    LO,
    MIN_CALIBRATED_RECORDS,
    MODE_NUMBERS,
    WORD_NUMBERS,
    Basis,
    Calibration,
    ErrorRates,
    Judge,
    appoint,
    judge_of,
    packaged,
)

FALSE_COVERED = 0.05
"""Share of the negatives that may exceed the upper threshold."""
MISSED = 0.10
"""Share of the positives that may fall below the lower threshold."""
MIN_LABELS = 20
"""Number of labels below which off-topic questions set the upper threshold."""
QUESTIONS = 600
"""Upper limit of the labels that one build measures."""
MAX_EXCLUDED_RECORDS = 400
"""Upper limit of the records excluded for one label; a larger topic is not used as a label."""
MIN_UPPER_THRESHOLD = 0.3
"""The upper threshold that off-topic questions set is never below this, the lowest of those measured."""
SENTENCES, QUESTION = 100, 300
"""Upper limits of the records that are asked for one of their sentences, and of its characters."""
OFF_TOPIC_BAR = 0.03


@dataclass(frozen=True, slots=True)
class Label:
    """A question taken from the archive, and every record that answers it."""

    question: str
    records: frozenset[str]
    itself: frozenset[str] = frozenset()
    """Records that the question was taken from; they are always excluded because they prove nothing."""


def labels(archive: Archive) -> Iterator[Label]:
    """The questions of entries and records, with the records that answer them.

    Linked records count as answers too: with only one of them excluded, the question would still be covered.
    """
    for registry in archive.registries:
        for asking in archive.registered.get(registry.name, ()):
            for question, cited in registry.questions(asking) if registry.questions else ():
                ids = frozenset(cited)
                yield Label(question, ids.union(*(_linked_ids(archive, id_) for id_ in ids)))
    for id_, entry in archive.entries.items():
        if entry.kind.questions is None:
            continue
        members = archive.topics.get(entry.record.slug, ())
        is_hub = entry.kind.name == TOPICS
        answering = frozenset(member.head.id for member in members) if is_hub else _linked_ids(archive, id_)
        for text in entry.kind.questions(entry.record):
            yield Label(text, answering, frozenset([id_]))


def _linked_ids(archive: Archive, id_: str) -> frozenset[str]:
    """Records that link to a record or are linked from it; sharing a topic does not count."""
    entry = archive.entry(id_)
    if entry is None:
        return frozenset()
    outgoing = (edge.target for edge in entry.edges if edge.type != "about-topic")
    return frozenset(outgoing) | {link.id for link in entry.record.backlinks if link.relation != "about-topic"}


def answering_ids(archive: Archive) -> list[str]:
    """The ids of the records; topic hubs are left out, because the records under them answer for them."""
    return [id_ for id_, entry in archive.entries.items() if entry.kind.name != TOPICS]


@cache
def foreign_questions() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Off-topic questions by field: ``short`` ones, and ``long`` ones in whole sentences."""
    return tomllib.loads((files(__package__) / "off_topic_questions.toml").read_text("utf-8"))


def measure(index: SearchIndex, archive: Archive) -> Any:  # noqa: ANN401  (JSON)
    """The calibration of an index as JSON; ``None`` where verdicts do without the meanings that it compares."""
    calibration = calibrate(index, labels(archive), answering_ids(archive))
    return calibration.model_dump(mode="json") if calibration else None


def calibrate(index: SearchIndex, questions: Iterable[Label] = (), ids: Iterable[str] = ()) -> Calibration | None:
    """Calibrate an index in its own mode; ``None`` where verdicts do without the meanings that it compares."""
    numbers = MODE_NUMBERS.get(index.mode) if index.mode else WORD_NUMBERS
    if numbers is None or index.engine.size < numbers.min_records:
        return None
    appoint(index, Judge(packaged(), numbers))
    calibration = calibrated(index, questions, ids)
    appoint(index, Judge(calibration, numbers))
    return calibration


def calibrated(
    index: SearchIndex,
    questions: Iterable[Label],
    ids: Iterable[str] = (),
    off_topic_questions: Mapping[str, Sequence[str]] | None = None,
) -> Calibration:
    """The thresholds and their errors on these labels.

    Each question is asked once as it is and once with its records excluded. Where there are too few labels, off-topic
    questions set the upper threshold, and sentences of the records (``ids``) correct what is stated by words alone.
    """
    usable = [label for label in _sample(questions) if any(index.record(id_) for id_ in label.records)]
    present = [_probability(index, label.question, label.itself) for label in usable]
    absent = [_probability(index, label.question, label.records | label.itself) for label in usable]
    off_topic = _off_topic_probabilities(index, off_topic_questions or foreign_questions()["short"])
    # Thresholds from a handful of questions would follow single records.
    if len(usable) < MIN_LABELS:
        return _without_labels(index, ids, present, absent, off_topic)
    hi = _above([*absent, *off_topic], FALSE_COVERED)
    # In a small archive the two may cross, and a topic cannot be covered and not covered.
    lo = min(_below(present, MISSED), hi)
    return _calibration("archive", hi, lo, present, absent, off_topic)


def _without_labels(
    index: SearchIndex,
    ids: Iterable[str],
    present: Sequence[float],
    absent: Sequence[float],
    off_topic: Sequence[float],
) -> Calibration:
    """The thresholds of an archive with few labels or none; those of the package where it is small."""
    if index.engine.size < MIN_CALIBRATED_RECORDS:
        return _calibration("package", HI, LO, present, absent, off_topic)
    # What off-topic questions reach depends on the archive: on its size, and on the length of its records.
    long = _off_topic_probabilities(index, foreign_questions()["long"])
    judge = judge_of(index)
    hi = max(MIN_UPPER_THRESHOLD, _neighbouring(long, *judge.numbers.line), _above(off_topic, OFF_TOPIC_BAR))
    measured = _calibration("off_topic", hi, LO, present, absent, [*off_topic, *long])
    return measured if judge.by_meaning else measured.model_copy(update={"sentences": _rated_sentences(index, ids)})


def _neighbouring(long: Sequence[float], slope: float, shift: float) -> float:
    """The threshold that few questions of a neighbouring field reach, by the probabilities of long off-topic ones."""
    return round(1 / (1 + math.exp(-shift - slope * fmean(map(logit, long)))), DECIMALS)


def _rated_sentences(index: SearchIndex, ids: Iterable[str]) -> float | None:
    """The mean logit of the longest sentences of some records, asked as they stand; ``None`` where there are none."""
    ordered = sorted(ids)
    sample = ordered[:: -(-len(ordered) // SENTENCES) or 1]
    texts = [max(stored.shown["text"].split("\n"), key=len) for id_ in sample if (stored := index.record(id_))]
    rated = [logit(_probability(index, text[:QUESTION], frozenset())) for text in texts if text]
    return round(fmean(rated), DECIMALS) if rated else None


def _sample(questions: Iterable[Label]) -> list[Label]:
    """An evenly spaced sample of the labels, independent of the order of the archive."""
    usable = sorted(
        {label for label in questions if len(label.records) <= MAX_EXCLUDED_RECORDS},
        key=lambda label: (label.question, sorted(label.records)),
    )
    # Every n-th of a sorted list: bounded in time, and the same for the same content.
    return usable[:: -(-len(usable) // QUESTIONS) or 1]


def _probability(index: SearchIndex, question: str, without: frozenset[str]) -> float:
    """The probability that the verdict would give; 0 where the question would be invalid."""
    query_run = run_query(index, question, without)
    return 0.0 if fault_of(query_run.weighted) else query_run.probability


def _off_topic_probabilities(index: SearchIndex, fields: Mapping[str, Sequence[str]]) -> list[float]:
    """Probabilities of the off-topic questions; the field with the highest mean is left out, as it may be on topic."""
    rated = [[_probability(index, question, frozenset()) for question in questions] for questions in fields.values()]
    # The field that is rated highest may well be a subject of this archive.
    return [probability for field in sorted(rated, key=fmean)[:-1] for probability in field]


def _above(probabilities: Sequence[float], spare: float) -> float:
    """The lowest threshold that at most this share of the probabilities reaches."""
    ordered = sorted(probabilities)
    below = len(ordered) - int(spare * len(ordered))
    return round(min(ordered[below - 1] + 10**-DECIMALS, 1.0), DECIMALS) if below else 0.0


def _below(probabilities: Sequence[float], spare: float) -> float:
    """The highest threshold that at most this share of the probabilities does not exceed."""
    ordered = sorted(probabilities)
    return round(max(ordered[int(spare * len(ordered))] - 10**-DECIMALS, 0.0), DECIMALS) if ordered else 0.0


def _calibration(
    basis: Basis,
    hi: float,
    lo: float,
    present: Sequence[float],
    absent: Sequence[float],
    off_topic: Sequence[float],
) -> Calibration:
    errors = ErrorRates(
        absent_called_covered=_share(probability >= hi for probability in absent),
        off_topic_called_covered=_share(probability >= hi for probability in off_topic),
        absent_called_not_covered=_share(probability <= lo for probability in absent),
        off_topic_called_not_covered=_share(probability <= lo for probability in off_topic),
        present_missed=_share(probability <= lo for probability in present),
        present_covered=_share(probability >= hi for probability in present),
        absent_auc=_auc(present, absent),
        off_topic_auc=_auc(present, off_topic),
    )
    measured = errors if present else None
    return Calibration(
        basis=basis,
        hi=hi,
        lo=lo,
        present=len(present),
        absent=len(absent),
        off_topic=len(off_topic),
        errors=measured,
    )


def _share(outcomes: Iterable[bool]) -> float:
    marks = list(outcomes)
    return round(sum(marks) / len(marks), DECIMALS) if marks else 0.0


def _auc(present: Sequence[float], others: Sequence[float]) -> float:
    """Probability that a positive is rated above a negative; ties count half."""
    if not present or not others:
        return 0.5
    wins = sum((positive > other) + 0.5 * (positive == other) for positive in present for other in others)
    return round(wins / (len(present) * len(others)), DECIMALS)


MEASUREMENTS = (Measurement(COVERAGE_MEASUREMENT, measure),)
