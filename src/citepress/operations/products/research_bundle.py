"""research-bundle-v2: independent records on a question, ready to be cited."""

from collections.abc import Mapping
from datetime import datetime

from citepress.base.canonical import json_bytes
from citepress.base.text import bounded
from citepress.operations.context import OperationContext
from citepress.operations.products.bundle_models import BundleKnown, BundleRecord, BundleSentence, ResearchBundle, ResearchBundleAsk
from citepress.operations.products.bundle_parts import Citations, Pair, agreement, disagreement, freshness, gaps, objected, points
from citepress.operations.products.product import FRESHNESS, LIMIT_BYTES, InsufficientEvidence, Product, mark
from citepress.operations.records import record, stable_id
from citepress.payments.rails import Lane
from citepress.search import Bundle, bundle
from citepress.search.answer import AnswerSentence
from citepress.search.bundle import INDEPENDENT


def prepare(ask: ResearchBundleAsk, world: OperationContext, asked_at: datetime) -> bytes | InsufficientEvidence:
    """Compute a bundle (specification, "Paid compute products"); one that would be larger than ``LIMIT_BYTES`` has fewer records."""
    count, known = ask.max_sources, {name: stable_id(world, name) for name in ask.known_stable_ids}
    while count:
        found = bundle(world.index, ask.query, asked_at, count, tuple(known.values()))
        pairs = [(source, told) for source in found.sources if (told := record(world, source.id))]
        if not found.sufficient or not pairs:
            return _thin(found)
        made = json_bytes(_result(known, world, found, pairs))
        if len(made) <= LIMIT_BYTES:
            return made
        count = min(len(pairs) - 1, len(pairs) * LIMIT_BYTES // len(made))
    return InsufficientEvidence(f"No record on this question fits into {LIMIT_BYTES:,} bytes.", 0, 1)


NAMED = 10
"""Unknown records that a note names."""
METHOD = (
    "Every record is searched for the words of the question; near-duplicates count once, and known records are left out with theirs.",
    "Records are taken in the order of their match; among those that match nearly as well, other source origins come first.",
    "The answer is made of sentences that records and their sourced statements hold word for word, chosen by how much of the question they hold.",
    "Sold when a record names or covers the question, or when two independent records bear on it; otherwise 422 and no charge.",
    f"{FRESHNESS} Ages are counted from asked_at, the day of the request (UTC).",
)


def _thin(found: Bundle) -> InsufficientEvidence:
    """Why there is nothing to sell, and what is free instead."""
    left = f" after {len(found.known_excluded)} known records and their near-duplicates were left out" if found.known_excluded else ""
    return InsufficientEvidence(f"Too little to sell{left}: {found.reason} Searching is free.", found.independent, INDEPENDENT)


def _result(known: Mapping[str, str], world: OperationContext, found: Bundle, pairs: list[Pair]) -> ResearchBundle:
    citations = Citations(pairs)
    listed = citations.listed()
    taken = points(world, found.points, pairs)
    return ResearchBundle(
        query=found.query,
        asked_at=found.asked_at,
        archive=mark(world),
        selection=(
            f"{found.independent} of the ten best groups of near-duplicates reach the threshold from which a record bears on a question "
            f"({world.index.calibration.lo}); {len(pairs)} records were taken in the order of their match, other source origins first among those that match nearly as well."
        ),
        answer=[_sentence(one, world, citations) for one in found.answer if one.record in {source.id for source, _ in pairs}],
        sources=[_record(rank, pair, citations) for rank, pair in enumerate(pairs, 1)],
        points=[shown for _, shown in taken],
        agreement=list(agreement(point for point, _ in taken)),
        disagreement=list(disagreement(taken)),
        objections=objected(found.objections, citations),
        freshness=freshness([source for source, _ in pairs], listed, found.asked_at),
        missing=gaps(world, pairs, found.missing, found.further),
        known=BundleKnown(
            excluded=list(found.known_excluded), unknown=[name for name, id_ in known.items() if id_ not in found.known_excluded]
        ),
        citations=listed,
    )


def notes(ask: ResearchBundleAsk, world: OperationContext) -> tuple[str, ...]:
    """What a buyer hears before paying: the known records that this archive does not have, and so cannot leave out."""
    unknown = [name for name in ask.known_stable_ids if not world.index.record(stable_id(world, name))]
    if not unknown:
        return ()
    shown = ", ".join(f'"{bounded(name, 80)}"' for name in unknown[:NAMED])
    more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
    return (f"known_stable_ids names records that this archive does not have, so nothing is left out for them: {shown}{more}.",)


def _sentence(one: AnswerSentence, world: OperationContext, citations: Citations) -> BundleSentence:
    return BundleSentence(text=one.text, record=one.record, url=world.url(f"/{one.record}/"), citations=citations.numbers(one.sources))


def _record(rank: int, pair: Pair, citations: Citations) -> BundleRecord:
    one, told = pair
    return BundleRecord(
        rank=rank,
        id=one.id,
        kind=one.kind,
        title=one.title,
        url=told["canonical_url"],
        revision=one.revision,
        published_at=one.published_at,
        updated_at=one.updated_at,
        evidence_at=one.evidence_at,
        age_days=one.age_days,
        summary=one.summary,
        passages=list(one.passages),
        claims=citations.claims(one.statements),
        counter_evidence=citations.claims(one.against),
        confidence=one.confidence,
        share=one.share,
        matched=list(one.matched),
        missing=list(one.missing),
        near_duplicates=list(one.near_duplicates),
        citations=citations.of(one.id),
    )


PRODUCT = Product(
    id="research-bundle-v2",
    title="Research bundle",
    description=(
        "A ranked, diversified bundle of records on a question, with passages, sourced claims, points of agreement and disagreement, freshness, "
        "what is missing, and a citation list. Records that you name as known are left out with their near-duplicates."
    ),
    ask=ResearchBundleAsk,
    result=ResearchBundle,
    prepare=prepare,
    notes=notes,
    method=METHOD,
    reveals=(
        "A 402 says that the archive bears on the question; 422 insufficient_evidence says that it holds too little. Whoever wants only that bit has it "
        "for nothing; what is paid for is the answer, its evidence and its citations."
    ),
    example={"query": "How do coding agents confine the commands they run?", "max_sources": 5, "known_stable_ids": []},
    lanes=tuple(Lane),
)
