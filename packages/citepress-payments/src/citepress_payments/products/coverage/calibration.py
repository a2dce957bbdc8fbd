"""Calibration of the coverage verdict: thresholds measured on the archive's own labels each time the index is built."""

import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import Any, NamedTuple

from citepress.archive.model import Archive
from citepress.contract.refs import TOPICS
from citepress.search.index import SearchIndex
from citepress.search.measuring import Measurement
from citepress.search.stored_document import StoredDocument
from citepress_payments.products.coverage.confidence import logit
from citepress_payments.products.coverage.own_questions import (
    OwnQuestion,
    OwnQuestions,
    chance_questions,
    own_questions,
    sample_records,
)
from citepress_payments.products.coverage.query_run import (
    DECIMALS,
    evidence_of,
    fault_of,
    may_be_covered,
    run_query,
)
from citepress_payments.products.coverage.thresholds import (
    COVERAGE_MEASUREMENT,
    LO,
    MIN_CALIBRATED_RECORDS,
    MODE_NUMBERS,
    WORD_NUMBERS,
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
"""Number of labels below which off-topic questions set the upper threshold; of titles, below which sentences help."""
QUESTIONS = 600
"""Upper limit of the labels that one build measures."""
MAX_EXCLUDED_RECORDS = 400
"""Upper limit of the records excluded for one label; a larger topic is not used as a label."""
MIN_UPPER_THRESHOLD = 0.3
"""Lower limit of the threshold that off-topic questions set; the lowest one that was measured."""
MAX_OFF_TOPIC_SHARE = 0.03
"""Share of off-topic and chance questions that may reach the threshold of material."""
MAX_TITLE_SHARE, MAX_SENTENCE_SHARE = 0.10, 0.04
"""Shares of the titles and sentences asked without their record that may be called covered. Sentences resemble
questions less than titles do (``bench/retrieval/README.md``)."""
MIN_UNIQUE_SHARE, MAX_SENTENCE_THRESHOLD = 0.5, 0.6
"""Share of unique titles below which sentences set the upper threshold, and the highest threshold that they may set."""
MATERIAL_WORDS, FLOOR_WORDS = 4, 6
"""Words of the chance questions that set the threshold of material, and of those that set the floor."""
CHANCE_SHARE_BELOW_FLOOR = 0.05
"""Share of the chance questions that stay below the floor."""
FOREIGN_LANGUAGE = "en"
"""The language of the off-topic questions of the package."""


_NOTHING: Mapping[str, Any] = {"present": 0, "absent": 0, "off_topic": 0, "errors": None}


class _Rated(NamedTuple):
    """The two numbers that decide the verdict on a question."""

    probability: float = 0.0
    norm: float = 0.0


_Rates = Sequence[_Rated]


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
    questions and those of the records (``ids``) set the upper thresholds; words of different records set the floor,
    above which nothing is called not covered.
    """
    usable = [label for label in _sample(questions) if any(index.record(id_) for id_ in label.records)]
    present = [_rate(index, label.question, label.itself) for label in usable]
    absent = [_rate(index, label.question, label.records | label.itself) for label in usable]
    off_topic = _off_topic(index, off_topic_questions or foreign_questions()["short"])
    records = sample_records(index, ids) if index.engine.size >= MIN_CALIBRATED_RECORDS else []
    # Thresholds from a handful of questions would follow single records.
    if len(usable) < MIN_LABELS:
        return _without_labels(index, records, present, absent, off_topic)
    hi = _above(_probabilities([*absent, *off_topic]), FALSE_COVERED)
    # In a small archive the two may cross, and a topic cannot be covered and not covered.
    lo = min(_below(_probabilities(present), MISSED), hi)
    return _calibration(Calibration(basis="archive", hi=hi, lo=lo, **_NOTHING), present, absent, off_topic)


def _without_labels(
    index: SearchIndex, records: Sequence[StoredDocument], present: _Rates, absent: _Rates, off_topic: _Rates
) -> Calibration:
    """The thresholds of an archive with few labels or none; those of the package where it is small."""
    if index.engine.size < MIN_CALIBRATED_RECORDS:
        return _calibration(packaged(), present, absent, off_topic)
    # How high off-topic questions score depends on the size of the archive and on the length of its records.
    long = _off_topic(index, foreign_questions()["long"])
    judge = judge_of(index)
    partly = max(MIN_UPPER_THRESHOLD, _above(_probabilities(off_topic), MAX_OFF_TOPIC_SHARE))
    is_foreign = FOREIGN_LANGUAGE not in index.languages[:1]
    if not is_foreign:
        # The threshold that few questions of a neighbouring field reach, estimated from long ones of any other.
        slope, shift = judge.numbers.line
        mean = fmean(map(logit, _probabilities(long)))
        partly = max(partly, round(1 / (1 + math.exp(-shift - slope * mean)), DECIMALS))
    # Random words mean little but resemble every record somewhat, so by meaning they would set too high a threshold.
    if is_foreign or not judge.by_meaning:
        partly = max(partly, _by_chance(index, records))
    hi = max(partly, _left_out(index, own_questions(index, records), partly))
    lines = {"hi": hi, "partly": partly, "lo": LO, "floor": _floor(index, records)}
    thresholds = Calibration.model_validate({"basis": "off_topic", **lines, **_NOTHING})
    return _calibration(thresholds, present, absent, [*off_topic, *long])


def _left_out(index: SearchIndex, own: OwnQuestions, least: float) -> float:
    """The threshold from which few questions are called covered without their answer, if it is above ``least``."""
    titles, sentences = (
        _above([_covered_from(index, each, least) for each in part] or [0.0], spare)
        for part, spare in ((own.titles, MAX_TITLE_SHARE), (own.sentences, MAX_SENTENCE_SHARE))
    )
    # A shared title finds the other records that have it, which says nothing of missing answers. If sentences score as
    # high, the records are about one subject and repeat each other.
    shared = own.unique < MIN_UNIQUE_SHARE * len(own.titles)
    if not own.titles or (shared and sentences <= MAX_SENTENCE_THRESHOLD):
        return sentences
    return titles if len(own.titles) >= MIN_LABELS else max(titles, sentences)


def _covered_from(index: SearchIndex, own: OwnQuestion, least: float) -> float:
    """The highest threshold at which a question is covered without its record; 0 below ``least`` or for none."""
    query_run = run_query(index, own.text, frozenset([own.record]))
    # What the verdict asks of passages counts too: probabilities alone put the threshold too high in diverse archives.
    if (probability := query_run.probability) < least or fault_of(index, query_run.weighted):
        return 0.0
    return probability if may_be_covered(query_run, evidence_of(query_run)) else 0.0


def _floor(index: SearchIndex, records: Sequence[StoredDocument]) -> float | None:
    """The share of the best possible score that only few chance questions stay below: the lowest of all languages."""
    asked = chance_questions(index, records, FLOOR_WORDS)
    lows = [_below([_rate(index, text).norm for text in texts], CHANCE_SHARE_BELOW_FLOOR) for texts in asked]
    return min(lows, default=None)


def _by_chance(index: SearchIndex, records: Sequence[StoredDocument]) -> float:
    """The probability that only few chance questions reach: the highest of all languages."""
    asked = chance_questions(index, records, MATERIAL_WORDS)
    return max(
        (_above(_probabilities(_rate(index, text) for text in texts), MAX_OFF_TOPIC_SHARE) for texts in asked),
        default=0.0,
    )


def _sample(questions: Iterable[Label]) -> list[Label]:
    """An evenly spaced sample of the labels, independent of the order of the archive."""
    usable = sorted(
        {label for label in questions if len(label.records) <= MAX_EXCLUDED_RECORDS},
        key=lambda label: (label.question, sorted(label.records)),
    )
    # Every n-th of a sorted list: bounded in time, and the same for the same content.
    return usable[:: -(-len(usable) // QUESTIONS) or 1]


def _rate(index: SearchIndex, question: str, without: frozenset[str] = frozenset()) -> _Rated:
    """The probability and score of a question; zeros if the question is invalid."""
    query_run = run_query(index, question, without)
    return _Rated() if fault_of(index, query_run.weighted) else _Rated(query_run.probability, query_run.features.norm)


def _probabilities(rated: Iterable[_Rated]) -> list[float]:
    return [each.probability for each in rated]


def _off_topic(index: SearchIndex, fields: Mapping[str, Sequence[str]]) -> list[_Rated]:
    """The off-topic questions; the field with the highest mean is left out, as it may be a subject of this archive."""
    rated = [[_rate(index, question) for question in questions] for questions in fields.values()]
    return [each for field in sorted(rated, key=lambda field: fmean(_probabilities(field)))[:-1] for each in field]


def _above(probabilities: Sequence[float], spare: float) -> float:
    """The lowest threshold that at most this share of the probabilities reaches."""
    ordered = sorted(probabilities)
    below = len(ordered) - int(spare * len(ordered))
    return round(min(ordered[below - 1] + 10**-DECIMALS, 1.0), DECIMALS) if below else 0.0


def _below(probabilities: Sequence[float], spare: float) -> float:
    """The highest threshold that at most this share of the probabilities does not exceed."""
    ordered = sorted(probabilities)
    return round(max(ordered[int(spare * len(ordered))] - 10**-DECIMALS, 0.0), DECIMALS) if ordered else 0.0


def _calibration(thresholds: Calibration, present: _Rates, absent: _Rates, off_topic: _Rates) -> Calibration:
    """The thresholds with their errors on these questions."""
    hi, is_low = thresholds.hi, thresholds.is_low
    errors = ErrorRates(
        absent_called_covered=_share(each.probability >= hi for each in absent),
        off_topic_called_covered=_share(each.probability >= hi for each in off_topic),
        absent_called_not_covered=_share(is_low(*each) for each in absent),
        off_topic_called_not_covered=_share(is_low(*each) for each in off_topic),
        present_missed=_share(is_low(*each) for each in present),
        present_covered=_share(each.probability >= hi for each in present),
        absent_auc=_auc(_probabilities(present), _probabilities(absent)),
        off_topic_auc=_auc(_probabilities(present), _probabilities(off_topic)),
    )
    counts = {"present": len(present), "absent": len(absent), "off_topic": len(off_topic)}
    return thresholds.model_copy(update={**counts, "errors": errors if present else None})


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
