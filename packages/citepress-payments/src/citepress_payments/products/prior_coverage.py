"""prior-coverage: whether the archive has covered a topic already, with the evidence and how sure that is."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from citepress.archive.quotes import STALE, UNHELD
from citepress.base.canonical import json_bytes
from citepress.base.text import counted
from citepress.contract.model import Model, Moment
from citepress.operations.context import OperationContext
from citepress.operations.records import RecordJson, record
from citepress_payments.products.coverage.confidence import VerdictConfidence
from citepress_payments.products.coverage.thresholds import Calibration
from citepress_payments.products.coverage.verdict import CoverageVerdict, Facet, Witness, coverage
from citepress_payments.products.free_text import WITH_PATTERN, WITHOUT_CONTROL
from citepress_payments.products.product import FRESHNESS, ArchiveMark, InsufficientEvidence, Product, mark

MINIMUM = 1
"""Records that have to reach the upper threshold, where not even the lower one rules the topic out."""
MAX_SOURCES = 5
SOLD = ("covered", "partially_covered", "stale", "not_covered")
SoldVerdict = Literal["covered", "partially_covered", "stale", "not_covered"]


class PriorCoverageAsk(Model):
    """A topic, and how fresh coverage has to be."""

    topic: Annotated[str, Field(min_length=3, max_length=200), WITHOUT_CONTROL, WITH_PATTERN]
    """The topic, in words; separate its parts with a semicolon, ``vs`` or ``and``."""
    freshness_days: Annotated[int, Field(strict=True, ge=1, le=3650)] = 30
    """Days before the day of the question within which evidence is fresh."""


class CoverageSource(Model):
    """A source cited by a record."""

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
    """One or two sentences that can be quoted on their own."""
    passage: str
    """The passage that matches best."""
    share: float
    """The part of the topic that it holds, from 0 to 1, by the worth of the words."""
    published_at: Moment
    """First publication."""
    updated_at: Moment
    """Last change; by itself it makes nothing fresh."""
    evidence_at: Moment
    """The day that dates its evidence: the lower median of its sources' newest days, from its publication to its last
    change."""
    age_days: int
    """Days from ``evidence_at`` to ``asked_at``."""
    fresh: bool
    """Whether ``age_days`` is at most ``freshness_days``."""
    sources: list[CoverageSource]
    """Its sources, primary ones first; at most five."""
    weakened: list[str]
    """What the last checks found against its evidence: quotes that drifted or are not found, sources that are gone or
    do not answer; at most five. Empty where nothing was found, or nobody checked."""


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
    """``stale``: covered, but by no fresh record; ``partially_covered``: one part of the topic is, another is not, or
    the archive has material on the subject that may not answer; ``decision.reason`` says which."""
    confidence: VerdictConfidence
    """How reliable the verdict is, and the evidence for that."""
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


def prepare(ask: PriorCoverageAsk, context: OperationContext, asked_at: datetime) -> bytes | InsufficientEvidence:
    """Compute a verdict (specification, "Paid compute products").

    A verdict in the grey zone and a topic without known words are not sold.
    """
    verdict = coverage(context.index, ask.topic, asked_at, ask.freshness_days)
    if verdict.verdict not in SOLD or verdict.confidence is None:
        return InsufficientEvidence(f"No verdict to sell: {verdict.reason}", verdict.reaching, MINIMUM)
    return json_bytes(_result(verdict, verdict.confidence, context))


def _result(verdict: CoverageVerdict, confidence: VerdictConfidence, context: OperationContext) -> PriorCoverage:
    records = list(_evidence(verdict, context))
    absent = verdict.verdict == "not_covered"
    return PriorCoverage(
        topic=verdict.topic,
        freshness_days=verdict.freshness_days,
        asked_at=verdict.asked_at,
        archive=mark(context),
        verdict=verdict.verdict,
        confidence=confidence,
        probability=verdict.probability,
        evidence=[] if absent else records,
        nearest=records if absent else [],
        newest_evidence_at=None if absent else verdict.newest_evidence_at,
        facets=list(verdict.facets),
        matched=list(verdict.matched),
        missing=list(verdict.missing),
        decision=CoverageDecision(
            reason=_reason(verdict.reason, [] if absent else records),
            method=_method(verdict),
            searched_records=context.index.stats.records,
            reaching=verdict.reaching,
            calibration=verdict.calibration,
        ),
    )


MODEL = (
    "A logistic model gives a probability for the topic and for each of its parts, from the best score against the best"
    " possible one, the best share of the topic that one record holds, how far a title names the topic, the lead over"
    " the tenth record, and the number of words."
)
THRESHOLDS = (
    "Covered from an upper threshold, partially covered from that of material on the subject, not covered up to a lower"
    " one, no verdict and no charge in between; the calibration of the result names them, what they are set on and,"
    " where the archive has its own questions, the error rates measured."
)
COVERAGE_METHOD = (
    "Every record is searched for the words of the topic; near-duplicates count once.",
    MODEL,
    THRESHOLDS,
    (
        "Covered asks for a passage that holds the rare words of the topic together, unless meanings are compared. A"
        " topic that the title or question of a record names, or whose words meet in a passage, is never called not"
        " covered."
    ),
    (
        f"{FRESHNESS} Covered is stale where that is more than freshness_days before asked_at, the day of the request"
        " (UTC), for all evidence."
    ),
    (
        "A confidence whose basis is measured is the share of this archive's own calibration questions on which the"
        " same verdict is right; one whose basis is model follows from the probability."
    ),
)


def _method(verdict: CoverageVerdict) -> list[str]:
    """The steps of the decision, with the figures of this archive."""
    calibration = verdict.calibration
    origin = "This archive has too few questions to set its own thresholds, so the software's defaults apply."
    if calibration.basis == "archive":
        origin = (
            f"Both thresholds were set on {calibration.present} questions of this archive, the same with their records"
            f" taken away, and {calibration.off_topic} questions of foreign fields."
        )
    elif calibration.basis == "off_topic":
        origin = (
            "This archive has too few questions whose answers are known. So the upper threshold is what its titles or"
            f" sentences reach without their record, that of material what {calibration.off_topic} questions of foreign"
            " fields and words put together by chance do."
        )
    thresholds = (
        f"Covered from {calibration.hi}, partially from {calibration.material}, not covered up to {calibration.lo}"
        f"{'' if calibration.floor is None else f' and a share of {calibration.floor} of the best possible score'},"
        " no verdict in between."
    )
    return [*COVERAGE_METHOD[:2], f"{thresholds} {origin}", *COVERAGE_METHOD[3:]]


def _evidence(verdict: CoverageVerdict, context: OperationContext) -> Iterator[CoverageEvidence]:
    """The records of the verdict, as they are published."""
    for witness in verdict.evidence:
        document = record(context, witness.id)
        if document:
            yield _shown(witness, document, fresh=witness.age_days <= verdict.freshness_days)


def _shown(witness: Witness, document: RecordJson, *, fresh: bool) -> CoverageEvidence:
    sources = sorted(document["sources"], key=lambda source: bool(source["role"] != "primary"))
    members = CoverageSource.model_fields
    return CoverageEvidence(
        id=witness.id,
        kind=document["kind"],
        title=document["title"],
        url=document["canonical_url"],
        summary=document["summary"],
        passage=witness.passage,
        share=witness.share,
        published_at=document["published_at"],
        updated_at=document["updated_at"],
        evidence_at=witness.evidence_at,
        age_days=witness.age_days,
        fresh=fresh,
        weakened=list(_weakened(document))[:MAX_SOURCES],
        sources=[CoverageSource(**{name: source[name] for name in members}) for source in sources[:MAX_SOURCES]],
    )


def _reason(reason: str, records: Sequence[CoverageEvidence]) -> str:
    """The verdict in a sentence, and in another one how much of its evidence is weakened."""
    if weak := sum(bool(evidence.weakened) for evidence in records):
        return f"{reason} The evidence is {counted(len(records), 'record')}, of which {weak:,} with weakened evidence."
    return reason


def _weakened(document: RecordJson) -> Iterator[str]:
    for part in (*document.get("claims", ()), document):
        for name in ("quote", "excerpt"):
            check = part.get(f"{name}_check")
            if check and check["state"] in UNHELD:
                yield f"{check['state']}: {part[name]}"
    for source in document["sources"]:
        if source["status"] in STALE:
            yield f"{source['status']}: {source['normalized_url']}"


PRODUCT = Product(
    id="prior-coverage",
    title="Prior coverage",
    description=(
        "Whether this archive has covered a topic: covered, partially_covered, stale or not_covered, with the evidence"
        " and its dates, a calibrated confidence and how it was decided. A topic between the thresholds gets no verdict"
        " and costs nothing."
    ),
    ask=PriorCoverageAsk,
    result=PriorCoverage,
    prepare=prepare,
    method=COVERAGE_METHOD,
    reveals=(
        "A 402 means that there is a verdict, not which one; 422 insufficient_evidence means that there is none to"
        " sell. The free preflight of a research bundle on the same words often predicts the verdict."
    ),
    example={"topic": "sandbox defaults of coding agents", "freshness_days": 30},
)
