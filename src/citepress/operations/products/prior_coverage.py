"""prior-coverage: whether the archive has covered a topic already, with the evidence and how sure that is."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from citepress.base.canonical import json_bytes
from citepress.contract.model import Model, Moment
from citepress.operations.context import OperationContext
from citepress.operations.products.product import FRESHNESS, ArchiveMark, InsufficientEvidence, Product, mark
from citepress.operations.records import record
from citepress.search import Calibration, CoverageVerdict, coverage
from citepress.search.confidence import VerdictConfidence
from citepress.search.coverage import Facet, Witness

MINIMUM = 1
"""Records that have to reach the upper threshold, where not even the lower one rules the topic out."""
SOURCES = 5
SOLD = ("covered", "partially_covered", "stale", "not_covered")
SoldVerdict = Literal["covered", "partially_covered", "stale", "not_covered"]


class PriorCoverageAsk(Model):
    """A topic, and how fresh coverage has to be."""

    topic: Annotated[str, Field(min_length=3, max_length=200)]
    """The topic, in words; parts are told apart by a semicolon, ``vs`` or ``and``."""
    freshness_days: Annotated[int, Field(strict=True, ge=1, le=3650)] = 30
    """Days before the day of the question within which evidence is fresh."""


class CoverageSource(Model):
    """A source that a record stands on."""

    url: str
    """Its normalised address."""
    title: str
    """Its title, or its host."""
    publisher: str | None
    """Who published it."""
    role: Literal["primary", "secondary"]
    """Whether it is the thing itself or a report about it."""
    published_at: Moment | None
    """When it was published, where known."""


class CoverageEvidence(Model):
    """A record that the verdict rests on."""

    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    kind: str
    """Its collection."""
    title: str
    """Its headline."""
    url: str
    """The address to cite."""
    summary: str
    """One or two sentences that stand alone."""
    passage: str
    """The passage that matches best."""
    share: float
    """The part of the topic that it holds, from 0 to 1, by the worth of the words."""
    published_at: Moment
    """First publication."""
    updated_at: Moment
    """Last change; by itself it makes nothing fresh."""
    evidence_at: Moment
    """The day that dates its evidence: the lower median of its sources' newest days, from its publication to its last change."""
    age_days: int
    """Days from ``evidence_at`` to ``asked_at``."""
    fresh: bool
    """Whether ``age_days`` is at most ``freshness_days``."""
    sources: list[CoverageSource]
    """What it stands on, primary sources first; at most five."""


class CoverageDecision(Model):
    """How the verdict was decided, so that it can be checked."""

    reason: str
    """The verdict in a sentence."""
    method: list[str]
    """The steps."""
    searched_records: int
    """Records of the archive, all of which were searched."""
    reaching: int
    """Records of the best ten that reach the upper threshold by themselves."""
    calibration: Calibration
    """The thresholds, and how often they err on the archive's own questions."""


class PriorCoverage(Model):
    """Whether the archive has covered a topic."""

    schema_version: Literal[1] = 1
    """Version of this form."""
    product: Literal["prior-coverage"] = "prior-coverage"
    """What was bought."""
    topic: str
    """The topic as asked."""
    freshness_days: int
    """Days within which evidence is fresh, as asked."""
    asked_at: Moment
    """The day of the question (UTC), from which every age is counted."""
    archive: ArchiveMark
    """What it was computed from."""
    verdict: SoldVerdict
    """``stale``: covered, but by no fresh record; ``partially_covered``: one part of the topic is, another is not."""
    confidence: VerdictConfidence
    """How far the verdict can be trusted, and what says so."""
    probability: float
    """Chance that the archive covers the topic as a whole, by the model; the thresholds are set on this scale."""
    evidence: list[CoverageEvidence]
    """Records that the verdict rests on, best first; empty where nothing covers the topic."""
    nearest: list[CoverageEvidence]
    """Where nothing covers the topic: the records that come nearest and do not."""
    newest_evidence_at: Moment | None
    """The newest ``evidence_at``; null where there is no evidence."""
    facets: list[Facet]
    """Its parts with a probability each, when it has several."""
    matched: list[str]
    """Words of the topic that these records hold."""
    missing: list[str]
    """Words of the topic that none of them holds."""
    decision: CoverageDecision
    """How the verdict was decided."""


def prepare(ask: PriorCoverageAsk, world: OperationContext, asked_at: datetime) -> bytes | InsufficientEvidence:
    """Compute a verdict (specification, "Paid compute products"). The grey zone and a topic without known content are not for sale."""
    found = coverage(world.index, ask.topic, asked_at, ask.freshness_days)
    if found.verdict not in SOLD or found.confidence is None:
        return InsufficientEvidence(f"No verdict to sell: {found.reason}", found.reaching, MINIMUM)
    return json_bytes(_result(found, found.confidence, world))


def _result(found: CoverageVerdict, confidence: VerdictConfidence, world: OperationContext) -> PriorCoverage:
    records = [_evidence(one, found, world) for one in found.evidence]
    absent = found.verdict == "not_covered"
    return PriorCoverage(
        topic=found.topic,
        freshness_days=found.freshness_days,
        asked_at=found.asked_at,
        archive=mark(world),
        verdict=found.verdict,
        confidence=confidence,
        probability=found.probability,
        evidence=[] if absent else records,
        nearest=records if absent else [],
        newest_evidence_at=None if absent else found.newest_evidence_at,
        facets=list(found.facets),
        matched=list(found.matched),
        missing=list(found.missing),
        decision=CoverageDecision(
            reason=found.reason,
            method=_method(found),
            searched_records=world.index.stats.records,
            reaching=found.reaching,
            calibration=found.calibration,
        ),
    )


MODEL = (
    "A logistic model gives a probability for the topic and for each of its parts, from the best score against the best possible one, the best share "
    "of the topic that one record holds, how far a title names the topic, the lead over the tenth record, and the number of words."
)
LINES = (
    "Covered from an upper threshold, not covered up to a lower one, no verdict and no charge in between; both are set on the archive's own questions, "
    "and the result names them with their measured error rates."
)
METHOD = (
    "Every record is searched for the words of the topic; near-duplicates count once.",
    MODEL,
    LINES,
    "A topic that the title or the question of a record names is never called not covered.",
    f"{FRESHNESS} Covered is stale where that is more than freshness_days before asked_at, the day of the request (UTC), for all evidence.",
    "The confidence is the share of this archive's own calibration questions on which the same verdict is right; questions of foreign fields do not count.",
)


def _method(found: CoverageVerdict) -> list[str]:
    """The steps of the decision, with the figures of this archive."""
    lines = found.calibration
    return [
        *METHOD[:2],
        f"Covered from {lines.hi}, not covered up to {lines.lo}, no verdict in between. "
        + (
            f"Both thresholds were set on {lines.present} questions of this archive, the same with their records taken away, and {lines.off_topic} "
            "questions of foreign fields."
            if lines.basis == "archive"
            else "This archive has too few questions of its own to set thresholds, so those of the software hold."
        ),
        *METHOD[3:],
    ]


def _evidence(one: Witness, found: CoverageVerdict, world: OperationContext) -> CoverageEvidence:
    told = record(world, one.id) or {}
    sources = sorted(told.get("sources", ()), key=lambda source: bool(source["role"] != "primary"))
    members = CoverageSource.model_fields
    return CoverageEvidence(
        id=one.id,
        kind=one.id.partition("/")[0],
        title=one.title,
        url=told.get("canonical_url") or world.url(one.path),
        summary=told.get("summary", ""),
        passage=one.passage,
        share=one.share,
        published_at=one.published_at,
        updated_at=one.updated_at,
        evidence_at=one.evidence_at,
        age_days=one.age_days,
        fresh=one.age_days <= found.freshness_days,
        sources=[CoverageSource(**{name: source[name] for name in members}) for source in sources[:SOURCES]],
    )


PRODUCT = Product(
    id="prior-coverage",
    title="Prior coverage",
    description=(
        "Whether this archive has covered a topic: covered, partially_covered, stale or not_covered, with the evidence and its dates, a calibrated "
        "confidence and how it was decided. A topic between the thresholds gets no verdict and costs nothing."
    ),
    ask=PriorCoverageAsk,
    result=PriorCoverage,
    prepare=prepare,
    method=METHOD,
    reveals=(
        "A 402 says that there is a verdict, not which one; 422 insufficient_evidence says that there is none to sell. The free preflight of a research "
        "bundle on the same words is a good guess at the verdict."
    ),
    example={"topic": "sandbox defaults of coding agents", "freshness_days": 30},
)
