"""The coverage verdict: whether the archive has already covered a topic, as a calibrated probability with an honest grey zone.

A score alone cannot tell: a long question scores high on anything. So four features of one search that do not grow with
the length of the question give a probability, and two thresholds measured on the archive's own labels give the verdict.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.model import Model, Moment
from citepress.search import ranking
from citepress.search.analyzer import Term
from citepress.search.confidence import VerdictConfidence, negative, positive
from citepress.search.freshness import age_days, day_of, evidence_at
from citepress.search.index import SearchIndex, SearchResult
from citepress.search.models import Calibration
from citepress.search.ranking import WeightedQuery

SATURATION = 2.2
"""The engine's k1 + 1: the most that one word can add, in units of its idf."""
TOP = 10
FACETS = 4
EVIDENCE = 5
HALF = 0.5
"""Share of the best match's worth that a record has to hold to be evidence beside it."""
DIGITS = 4
BIAS, NORM, SHARE, GAP, LENGTH = -5.49, 3.39, 2.27, 1.66, 1.20
NAME, UNNAMED = 3.0, 0.25
"""Weight of a title that names the topic, and how far titles do by chance (measured on the demo archive: ``tests/demo/questions.toml``)."""
NAMED = 0.5
"""From which a name and a topic are so alike that the archive cannot be said not to cover it."""
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
    """A record that bears on the topic."""

    id: str
    """Stable identifier."""
    title: str
    """Its headline."""
    path: str
    """Its canonical path."""
    passage: str
    """The passage that matches best."""
    share: Share
    """The part of the topic's worth that it holds."""
    published_at: Moment
    """First publication."""
    updated_at: Moment
    """Last change."""
    evidence_at: Moment
    """The day of its newest evidence, which is what freshness is measured by."""
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


@dataclass(frozen=True, slots=True)
class Features:
    """What a search tells about coverage, free of the length of the question."""

    norm: float
    """Best score against the best possible one."""
    share: float
    """Best part of the question's worth that one record holds."""
    gap: float
    """Lead of the best score over the tenth."""
    length: float
    """Logarithm of one and the number of words."""
    name: float = 0.0
    """How far the title, the slug or the question of one of the best ten is the topic itself."""

    @property
    def probability(self) -> float:
        """Chance of coverage; the weights but that of names were fitted on public collections (``bench/retrieval/fit.py``)."""
        reach = BIAS + NORM * self.norm + SHARE * self.share + GAP * self.gap + LENGTH * self.length + NAME * (self.name - UNNAMED)
        return 1 / (1 + math.exp(-reach))


@dataclass(frozen=True, slots=True)
class QueryRun:
    """One search for one question."""

    weighed: WeightedQuery
    found: tuple[SearchResult, ...]
    """The best ten, one of each cluster."""
    shares: tuple[float, ...]
    """The part of the question's worth that each holds."""
    names: tuple[float, ...]
    """How far a name of each is the question."""

    @property
    def named(self) -> float:
        """How far the archive has a record that is called what was asked."""
        return max(self.names, default=0.0)

    @property
    def features(self) -> Features:
        """The features of the best match."""
        return replace(self.features_of(0, max(self.shares, default=0.0)), name=self.named)

    def features_of(self, place: int, share: float | None = None) -> Features:
        """The features of one match against the tenth, whatever it is called."""
        whole = SATURATION * self.weighed.most or 1.0
        score = self.found[place].score if place < len(self.found) else 0.0
        last = self.found[TOP - 1].score if len(self.found) >= TOP else 0.0
        own = self.shares[place] if share is None and place < len(self.shares) else share or 0.0
        return Features(score / whole, own, max(score - last, 0.0) / whole, math.log1p(len(self.weighed.counted)), UNNAMED)

    def bears(self, place: int) -> float:
        """The chance that one match by itself bears on the question; a title that says nothing of it does not speak against it."""
        return round(replace(self.features_of(place), name=max(self.names[place], UNNAMED)).probability, DIGITS)


def looked(index: SearchIndex, weighed: WeightedQuery, found: Sequence[SearchResult]) -> QueryRun:
    """What these matches tell of a question."""
    shares = tuple(ranking.share(one.stored, weighed) for one in found)
    return QueryRun(weighed, tuple(found), shares, tuple(ranking.naming(index.engine, one.stored, weighed) for one in found))


def run_query(index: SearchIndex, text: str, without: frozenset[str] = frozenset(), count: int = TOP) -> QueryRun:
    """Search for a question as if the records ``without`` and their near-duplicates were not there."""
    weighed = index.weigh(text)
    return looked(index, weighed, index.top(weighed, count, without=without))


def coverage(index: SearchIndex, topic: str, asked_at: datetime, freshness_days: int = 30) -> CoverageVerdict:
    """The verdict on a topic on the day of ``asked_at`` (specification, prior-coverage). Never raises.

    ``invalid`` tells a topic without content.
    """
    whole = run_query(index, topic)
    parts = [run_query(index, text) for text in facets_of(topic)]
    asked = day_of(asked_at)
    witnesses = tuple(_witness(one, whole.weighed, asked) for one in _evidence(whole))
    fault = fault_of(whole.weighed)
    newest = max((one.evidence_at for one in witnesses), default=None)
    fresh = newest is not None and age_days(newest, asked) <= max(freshness_days, 0)
    chances = [_rounded(part) for part in (whole, *parts)]
    verdict: Verdict = (
        "invalid"
        if fault
        else _verdict(chances, index.calibration, fresh=fresh, named=whole.named >= NAMED, apart=bool(_FACET.search(topic.strip())))
    )
    return CoverageVerdict(
        topic=topic,
        verdict=verdict,
        reason=fault or REASONS[verdict],
        confidence=_confidence(verdict, chances, index.calibration),
        probability=chances[0],
        facets=tuple(_facet(text, part) for text, part in zip(facets_of(topic), parts, strict=True)),
        evidence=witnesses,
        newest_evidence_at=newest,
        freshness_days=freshness_days,
        asked_at=asked,
        as_of=index.stats.as_of,
        reaching=0 if fault else sum(whole.bears(place) >= index.calibration.hi for place in range(len(whole.found))),
        matched=ranking.asked_words(_held(whole)),
        missing=ranking.asked_words(term for term in whole.weighed.counted if term not in _held(whole)),
        calibration=index.calibration,
        digest=index.stats.digest,
    )


REASONS: dict[Verdict, str] = {
    "covered": "The evidence reaches the upper threshold and is fresh.",
    "stale": "The evidence reaches the upper threshold, but none of it is fresh.",
    "partially_covered": "One part of the topic reaches the upper threshold, another stays at or below the lower one.",
    "not_covered": "No part of the topic gets above the lower threshold.",
    "insufficient_evidence": "The evidence lies between the thresholds, where the verdict would be a guess; search is free.",
}


def _verdict(chances: Sequence[float], lines: Calibration, *, fresh: bool, named: bool, apart: bool) -> Verdict:
    """The verdict on the chances of a topic and its parts; what a record is called is never not covered.

    Parts that only an ``and`` divides may be one thought: then the whole has to get above the lower threshold too, unless they stand ``apart``.
    """
    whole, *parts = chances
    if (apart or whole > lines.lo) and any(chance >= lines.hi for chance in parts) and any(chance <= lines.lo for chance in parts):
        return "partially_covered"
    if whole >= lines.hi:
        return "covered" if fresh else "stale"
    return "not_covered" if not named and all(chance <= lines.lo for chance in chances) else "insufficient_evidence"


def _confidence(verdict: Verdict, chances: Sequence[float], lines: Calibration) -> VerdictConfidence | None:
    """Of a verdict on parts, the weaker of what it says of the best and of the worst part."""
    if verdict in ("covered", "stale"):
        return positive(chances[0], lines)
    if verdict == "not_covered":
        return negative(max(chances), lines)
    if verdict == "partially_covered":
        return min(positive(max(chances[1:]), lines), negative(min(chances[1:]), lines), key=lambda one: one.value)
    return None


def fault_of(weighed: WeightedQuery) -> str:
    """Why a question cannot be judged, or nothing."""
    if not weighed.telling:
        return "The topic holds no word that carries a topic."
    if not weighed.known:
        return "The topic holds no word that the archive knows; it may be misspelt."
    return ""


def facets_of(topic: str) -> tuple[str, ...]:
    """The parts of a topic, when it has several: split at semicolons, lines, ``vs`` and an ``and`` between groups of words."""
    parts = [part for part in _FACET.split(topic) if part]
    if len(parts) == 1:
        groups = _AND.split(topic)
        parts = groups if all(len(group.split()) > 1 for group in groups) else parts
    return tuple(part.strip() for part in parts if part.strip())[:FACETS] if len(parts) > 1 else ()


def _rounded(found: QueryRun) -> float:
    return round(found.features.probability, DIGITS) if found.found else 0.0


def _held(found: QueryRun) -> list[Term]:
    """The question's words that any of the evidence holds."""
    held = {term for one in _evidence(found) for term in ranking.holds(one.stored, found.weighed.counted)[0]}
    return [term for term in found.weighed.counted if term in held]


def _evidence(found: QueryRun) -> list[SearchResult]:
    """The best matches that hold at least half of what the best one of them holds."""
    least = HALF * max(found.shares, default=0.0)
    return [one for one, share in zip(found.found, found.shares, strict=True) if share > 0 and share >= least][:EVIDENCE]


def _facet(text: str, found: QueryRun) -> Facet:
    held = _held(found)
    lacking = (term for term in found.weighed.counted if term not in held)
    return Facet(text=text, probability=_rounded(found), matched=ranking.asked_words(held), missing=ranking.asked_words(lacking))


def _witness(one: SearchResult, weighed: WeightedQuery, asked: datetime) -> Witness:
    shown = one.stored.shown
    dated = evidence_at(shown["dated"], asked)
    return Witness(
        id=one.stored.id,
        title=shown["title"],
        path=shown["path"],
        passage=ranking.passage(one.stored, weighed),
        share=round(ranking.share(one.stored, weighed), DIGITS),
        published_at=shown["published"],
        updated_at=shown["updated"],
        evidence_at=dated,
        age_days=age_days(dated, asked),
    )
