"""The coverage verdict: whether the archive already covers a topic, as a calibrated probability with a grey zone.

A score alone is not enough, because a long question scores high on anything. Features of one search that do not grow
with the length of the question give a probability, and two thresholds measured on the archive's own labels give the
verdict.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from citepress.contract.model import Model, Moment
from citepress.search import passages, ranking, spelling
from citepress.search.index import SearchIndex, SearchResult
from citepress.search.ranking import WeightedQuery
from citepress_payments.products.coverage.confidence import VerdictConfidence, material, negative, positive
from citepress_payments.products.coverage.freshness import age_days, dated_at, day_of
from citepress_payments.products.coverage.query_run import (
    DECIMALS,
    QueryRun,
    evidence_of,
    fault_of,
    held_terms,
    is_met,
    may_be_covered,
    run_query,
    share_of,
)
from citepress_payments.products.coverage.thresholds import Calibration, judge_of

FACETS = 4
MIN_NAMED = 0.5
"""Name similarity from which the verdict is never ``not_covered``."""
Share = Annotated[float, Field(ge=0, le=1)]
Verdict = Literal["covered", "stale", "partially_covered", "not_covered", "insufficient_evidence", "invalid"]
_FACET = re.compile(r"\s*(?:;|\n|\r)\s*|\s+(?:vs\.?|versus)\s+", re.IGNORECASE)
_AND = re.compile(r"\s+(?:and|&)\s+", re.IGNORECASE)


class Facet(Model):
    """One part of a topic."""

    text: str
    """The part as asked."""
    probability: Share
    """Chance that the archive covers it."""
    matched: tuple[str, ...]
    """Its words that the evidence holds."""
    missing: tuple[str, ...]
    """Its words that no evidence holds."""


class Witness(Model):
    """A record that bears on the topic: what the topic makes of it. What it is called and says is in the record."""

    id: str
    """Stable identifier."""
    passage: str
    """The passage that matches best."""
    share: Share
    """The part of the topic's worth that it holds."""
    evidence_at: Moment
    """The day that dates its evidence, which is what freshness is measured by."""
    age_days: int
    """Days from then to the day of the question."""


class CoverageVerdict(Model):
    """The verdict on a topic, with everything it rests on. The same index and topic give the same bytes."""

    topic: str
    """The topic as asked."""
    verdict: Verdict
    """``insufficient_evidence`` is the grey zone and ``invalid`` a topic without known content; neither is for sale."""
    reason: str
    """The verdict in a sentence."""
    confidence: VerdictConfidence | None
    """How far the verdict can be trusted; null for one that is not for sale."""
    probability: Share
    """Chance that the archive covers the topic as a whole."""
    facets: tuple[Facet, ...]
    """Its parts, when it has several."""
    evidence: tuple[Witness, ...]
    """Records that bear on it, best first; one of each group of near-duplicates."""
    newest_evidence_at: Moment | None
    """The newest ``evidence_at`` of any evidence."""
    freshness_days: int
    """Days before the question within which evidence is fresh."""
    asked_at: Moment
    """The day of the question: what every age is measured from."""
    as_of: Moment
    """The newest record date of the archive."""
    reaching: int
    """Records of the best ten that reach the upper threshold by themselves."""
    matched: tuple[str, ...]
    """Words of the topic that the evidence holds."""
    missing: tuple[str, ...]
    """Words of the topic that no evidence holds."""
    calibration: Calibration
    """The thresholds, and how often they err."""
    digest: str
    """Digest of the indexed content."""


def coverage(
    index: SearchIndex, topic: str, asked_at: datetime, freshness_days: int = 30, without: frozenset[str] = frozenset()
) -> CoverageVerdict:
    """The verdict on a topic on the day of ``asked_at`` (specification, "Paid compute products"). Never raises.

    The verdict on a topic without content words, or in a language of no record, is ``invalid``. Records in ``without``
    and their near-duplicates are left out.
    """
    thresholds = judge_of(index).calibration
    whole = run_query(index, topic, without)
    parts = _parts(index, topic, without)
    asked = day_of(asked_at)
    evidence = evidence_of(whole)
    witnesses = tuple(_witness(result, whole.weighted, asked) for result in evidence)
    fault = fault_of(index, whole.weighted)
    newest = max((witness.evidence_at for witness in witnesses), default=None)
    fresh = newest is not None and age_days(newest, asked) <= max(freshness_days, 0)
    probabilities = [part.probability for part in (whole, *parts.values())]
    ruling = _Ruling("invalid", fault)
    if not fault:
        apart = bool(_FACET.search(topic.strip()))
        ruling = _ruling(whole, list(parts.values()), evidence, thresholds, fresh=fresh, apart=apart)
    if ruling.verdict == "not_covered" and _is_misspelt(index, whole.weighted):
        ruling = _Ruling("insufficient_evidence", MISSPELT)
    return CoverageVerdict(
        topic=topic,
        verdict=ruling.verdict,
        reason=ruling.reason,
        confidence=_confidence(ruling, probabilities, thresholds),
        probability=probabilities[0],
        facets=tuple(
            Facet(text=text, probability=part.probability, **_words(part, evidence_of(part)))
            for text, part in parts.items()
        ),
        evidence=witnesses,
        newest_evidence_at=newest,
        freshness_days=freshness_days,
        asked_at=asked,
        as_of=index.stats.as_of,
        reaching=0 if fault else whole.count_from(thresholds.hi),
        **_words(whole, evidence),
        calibration=thresholds,
        digest=index.stats.digest,
    )


REASONS: dict[Verdict, str] = {
    "covered": "The evidence reaches the upper threshold and is fresh.",
    "stale": "The evidence reaches the upper threshold, but none of it is fresh.",
    "partially_covered": "One part of the topic reaches the upper threshold, for another nothing was found.",
    "not_covered": "No part of the topic gets above the lower threshold.",
    "insufficient_evidence": (
        "The evidence lies between the thresholds, where the verdict would be a guess; search is free."
    ),
}
MATERIAL = "The archive has material on this subject, but no passage that is likely to answer."
MISSPELT = "The archive contains no word of the topic, but similar words: the topic may be misspelt."


class _Ruling(NamedTuple):
    verdict: Verdict
    reason: str


def _ruling(
    whole: QueryRun,
    parts: Sequence[QueryRun],
    evidence: Sequence[SearchResult],
    thresholds: Calibration,
    *,
    fresh: bool,
    apart: bool,
) -> _Ruling:
    """The verdict on a topic and its parts; never ``not_covered`` if a record has that name or the rare words."""
    # Parts joined only by "and" may be one thought, so the whole has to exceed the lower threshold as well,
    # unless a stronger separator keeps them apart.
    verdict: Verdict = "insufficient_evidence"
    probability = whole.probability
    if (
        (apart or probability > thresholds.lo)
        and any(part.probability >= thresholds.hi for part in parts)
        and any(_is_absent(part, thresholds) for part in parts)
    ):
        verdict = "partially_covered"
    elif probability >= thresholds.hi and may_be_covered(whole, evidence):
        verdict = "covered" if fresh else "stale"
    elif probability >= thresholds.material:
        return _Ruling("partially_covered", MATERIAL)
    elif all(_is_absent(run, thresholds) for run in (whole, *parts)):
        verdict = "not_covered"
    return _Ruling(verdict, REASONS[verdict])


def _is_absent(query_run: QueryRun, thresholds: Calibration) -> bool:
    """Whether nothing covers a question: its rating is low, no record has its name, the best one lacks its words."""
    return (
        thresholds.is_low(query_run.probability, query_run.features.norm)
        and query_run.named < MIN_NAMED
        and not is_met(query_run, query_run.results[:1])
    )


def _confidence(ruling: _Ruling, probabilities: Sequence[float], thresholds: Calibration) -> VerdictConfidence | None:
    """The confidence of a verdict; for a verdict on parts, the lower one of its best and its worst part."""
    if ruling.verdict in ("covered", "stale"):
        return positive(probabilities[0], thresholds)
    if ruling.verdict == "not_covered":
        return negative(max(probabilities), thresholds)
    if ruling.reason == MATERIAL:
        return material(probabilities[0], thresholds)
    if ruling.verdict == "partially_covered":
        best, worst = positive(max(probabilities[1:]), thresholds), negative(min(probabilities[1:]), thresholds)
        return min(best, worst, key=lambda confidence: confidence.value)
    return None


def _parts(index: SearchIndex, topic: str, without: frozenset[str]) -> Mapping[str, QueryRun]:
    """The runs of the parts of a topic that carry a topic themselves; none where it has only one."""
    runs = {text: run_query(index, text, without) for text in facets_of(topic)}
    parts = {text: part for text, part in runs.items() if not fault_of(index, part.weighted)}
    return parts if len(parts) > 1 else {}


def facets_of(topic: str) -> tuple[str, ...]:
    """The parts of a topic, split at semicolons, line breaks, ``vs``, and ``and`` between groups of words."""
    parts = [part for part in _FACET.split(topic) if part]
    if len(parts) == 1:
        groups = _AND.split(topic)
        parts = groups if all(len(group.split()) > 1 for group in groups) else parts
    named = [part.strip() for part in parts if part.strip() and not _FACET.fullmatch(f" {part.strip()} ")]
    return tuple(named[:FACETS]) if len(named) > 1 else ()


def _is_misspelt(index: SearchIndex, weighted: WeightedQuery) -> bool:
    """Whether the archive knows no word of a topic, and each may be one that it has."""
    if any(weighted.frequencies[term] for term in weighted.counted):
        return False
    unknown = ranking.asked_words(weighted.unknown_terms)
    near = index.near_terms(unknown)
    return bool(unknown) and all(
        word in near and spelling.is_alike(word, near[word][0], spelling.ALIKE) for word in unknown
    )


def _words(query_run: QueryRun, evidence: Sequence[SearchResult]) -> Mapping[str, tuple[str, ...]]:
    """The words of the question that any evidence contains, and the others."""
    counted = query_run.weighted.counted
    held = {term for result in evidence for term in held_terms(result.stored, query_run.weighted)}
    parts = {"matched": held.intersection(counted), "missing": held.symmetric_difference(counted)}
    return {name: ranking.asked_words(filter(part.__contains__, counted)) for name, part in parts.items()}


def _witness(result: SearchResult, weighted: WeightedQuery, asked: datetime) -> Witness:
    dated = dated_at(result.stored, asked)
    return Witness(
        id=result.stored.id,
        passage=passages.passage(result.stored, passages.best_sentence(result.stored, weighted)),
        share=round(share_of(result.stored, weighted), DECIMALS),
        evidence_at=dated,
        age_days=age_days(dated, asked),
    )
