"""Where the verdict draws its lines: thresholds from the labels that the archive owns, measured each time the index is built."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from citepress.archive.model import Archive
from citepress.kinds.patterns import TrendPatternRecord
from citepress.kinds.probes import RecallProbeSet
from citepress.kinds.topics import TopicRecord
from citepress.search.coverage import DIGITS, fault_of, run_query
from citepress.search.index import SearchIndex
from citepress.search.models import Calibration, ErrorRates
from citepress.search.off_topic_questions import FIELDS

FALSE_COVERED = 0.05
"""Share of the negatives that may lie above the upper threshold."""
MISSED = 0.10
"""Share of the positives that may lie below the lower threshold."""
LEAST = 20
"""Labels below which the thresholds of the package stay."""
QUESTIONS = 600
"""Labels that one build measures."""
MEMBERS = 400
"""Records taken away for one label; a larger topic is no label."""
HI, LO = 0.6, 0.25
"""Thresholds of the package."""
OFF_TOPIC_BAR = 0.03
AUC_SLIP = 0.03


@dataclass(frozen=True, slots=True)
class Label:
    """A question of the archive's own, and every record that answers it."""

    question: str
    records: frozenset[str]
    itself: frozenset[str] = frozenset()
    """Records that hold the question's own words and so prove nothing: never looked at."""


def labels(archive: Archive) -> Iterator[Label]:
    """Recall probes with their canonical records, topics with their members, patterns with their signals.

    A record answers together with those it is linked to: taken away alone, its question would still be covered.
    """
    for entry in archive.registered.get("probes", ()):
        if isinstance(entry, RecallProbeSet):
            for probe in entry.probes:
                cited = frozenset(one.canonical_path for one in probe.canonical_citations)
                yield Label(probe.question, cited.union(*(_around(archive, id_) for id_ in cited)))
    for id_, one in archive.entries.items():
        if isinstance(one.record, TopicRecord):
            members = frozenset(member.record.id for member in archive.topics.get(one.record.slug, ()))
            yield from (Label(text, members, frozenset([id_])) for text in (one.record.question, one.record.title))
        elif isinstance(one.record, TrendPatternRecord):
            yield from (Label(text, _around(archive, id_), frozenset([id_])) for text in (one.record.statement, one.record.title))


def _around(archive: Archive, id_: str) -> frozenset[str]:
    """Records linked with one, from either side; sharing a topic is no link."""
    one = archive.entry(id_)
    if one is None:
        return frozenset()
    outgoing = (edge.target for edge in one.edges if edge.type != "about-topic")
    return frozenset(outgoing) | {link.id for link in one.record.backlinks if link.relation != "about-topic"}


def calibrated(index: SearchIndex, found: Iterable[Label], foreign: Mapping[str, Sequence[str]] | None = None) -> Calibration:
    """The thresholds and their errors on these labels; each is asked once as it stands and once with its records taken away."""
    usable = [label for label in _spread(found) if any(index.record(id_) for id_ in label.records)]
    present = [_chance(index, label.question, label.itself) for label in usable]
    absent = [_chance(index, label.question, label.records | label.itself) for label in usable]
    off_topic = _foreign(index, FIELDS if foreign is None else foreign)
    if len(usable) < LEAST:
        return _measured("package", HI, LO, present, absent, off_topic)
    hi = _above([*absent, *off_topic], FALSE_COVERED)
    lo = min(_below(present, MISSED), hi)
    return _measured("archive", hi, lo, present, absent, off_topic)


def _spread(found: Iterable[Label]) -> list[Label]:
    """At most so many labels, evenly taken from all, in an order that the archive's order does not change."""
    usable = sorted({label for label in found if len(label.records) <= MEMBERS}, key=lambda one: (one.question, sorted(one.records)))
    return usable[:: -(-len(usable) // QUESTIONS) or 1]


def _chance(index: SearchIndex, question: str, without: frozenset[str]) -> float:
    """The probability as the verdict would state it; 0 where it would call the question invalid."""
    found = run_query(index, question, without)
    return 0.0 if fault_of(found.weighed) or not found.found else round(found.features.probability, DIGITS)


def _foreign(index: SearchIndex, fields: Mapping[str, Sequence[str]]) -> list[float]:
    """Chances of the foreign questions; the field rated highest may be the archive's own and is left out."""
    rated = [[_chance(index, question, frozenset()) for question in questions] for questions in fields.values()]
    return [chance for field in sorted(rated, key=fmean)[:-1] for chance in field]


def _above(chances: Sequence[float], spare: float) -> float:
    """The least threshold that at most this share of the chances reaches."""
    ordered = sorted(chances)
    kept = len(ordered) - int(spare * len(ordered))
    return round(min(ordered[kept - 1] + 10**-DIGITS, 1.0), DIGITS) if kept else 0.0


def _below(chances: Sequence[float], spare: float) -> float:
    """The greatest threshold that at most this share of the chances does not exceed."""
    ordered = sorted(chances)
    return round(max(ordered[int(spare * len(ordered))] - 10**-DIGITS, 0.0), DIGITS) if ordered else 0.0


def _measured(
    basis: Literal["archive", "package"],
    hi: float,
    lo: float,
    present: Sequence[float],
    absent: Sequence[float],
    off_topic: Sequence[float],
) -> Calibration:
    errors = ErrorRates(
        absent_called_covered=_share(chance >= hi for chance in absent),
        off_topic_called_covered=_share(chance >= hi for chance in off_topic),
        absent_called_not_covered=_share(chance <= lo for chance in absent),
        off_topic_called_not_covered=_share(chance <= lo for chance in off_topic),
        present_missed=_share(chance <= lo for chance in present),
        present_covered=_share(chance >= hi for chance in present),
        absent_auc=_auc(present, absent),
        off_topic_auc=_auc(present, off_topic),
    )
    known = errors if present else None
    return Calibration(basis=basis, hi=hi, lo=lo, present=len(present), absent=len(absent), off_topic=len(off_topic), errors=known)


def _share(found: Iterable[bool]) -> float:
    marks = list(found)
    return round(sum(marks) / len(marks), DIGITS) if marks else 0.0


def _auc(present: Sequence[float], others: Sequence[float]) -> float:
    """Chance that a positive is rated above a negative; ties count half."""
    if not present or not others:
        return 0.5
    wins = sum((one > other) + 0.5 * (one == other) for one in present for other in others)
    return round(wins / (len(present) * len(others)), DIGITS)


def warnings(now: Calibration, before: Calibration | None = None) -> tuple[str, ...]:
    """What an operator should hear of a calibration: foreign questions called covered, and a fall against the former build."""
    if now.errors is None:
        return ()
    found = []
    if now.errors.off_topic_called_covered > OFF_TOPIC_BAR:
        found.append(f"{now.errors.off_topic_called_covered:.0%} of foreign questions would be called covered (bar {OFF_TOPIC_BAR:.0%})")
    if before and before.errors and before.errors.absent_auc - now.errors.absent_auc > AUC_SLIP:
        slip = f"from {before.errors.absent_auc:.2f} to {now.errors.absent_auc:.2f}"
        found.append(f"the verdict tells absent topics less well than before: AUC {slip}")
    return tuple(found)
