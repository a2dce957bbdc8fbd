"""research-bundle-v2: independent records on a question, ready to be cited."""

from collections.abc import Mapping
from datetime import datetime

from citepress.base.canonical import json_bytes
from citepress.base.text import bounded
from citepress.operations.context import OperationContext
from citepress.operations.records import record, stable_id
from citepress_payments.products.bundle.answer import AnswerSentence
from citepress_payments.products.bundle.bundle import INDEPENDENT, Bundle, bundle
from citepress_payments.products.bundle.models import (
    BundleKnown,
    BundleRecord,
    BundleSentence,
    ResearchBundle,
    ResearchBundleAsk,
)
from citepress_payments.products.bundle.parts import (
    ChosenRecord,
    Citations,
    agreement,
    disagreement,
    freshness,
    gaps,
    objected,
    points,
)
from citepress_payments.products.coverage.thresholds import judge_of
from citepress_payments.products.product import FRESHNESS, LIMIT_BYTES, InsufficientEvidence, Product, mark
from citepress_payments.rails import Lane


def prepare(ask: ResearchBundleAsk, context: OperationContext, asked_at: datetime) -> bytes | InsufficientEvidence:
    """Compute a bundle (specification, "Paid compute products").

    The number of records is reduced until the bundle fits into ``LIMIT_BYTES``.
    """
    count, ids_by_name = ask.max_sources, {name: stable_id(context, name) for name in ask.known_stable_ids}
    while count:
        selection = bundle(context.index, ask.query, asked_at, count, tuple(ids_by_name.values()))
        pairs = [(source, document) for source in selection.sources if (document := record(context, source.id))]
        if not selection.sufficient or not pairs:
            return _insufficient(selection)
        body = json_bytes(_result(ids_by_name, context, selection, pairs))
        if len(body) <= LIMIT_BYTES:
            return body
        count = min(len(pairs) - 1, len(pairs) * LIMIT_BYTES // len(body))
    return InsufficientEvidence(f"No record on this question fits into {LIMIT_BYTES:,} bytes.", 0, 1)


MAX_NAMED_RECORDS = 10
"""Upper limit of the unknown records that a note names."""
BUNDLE_METHOD = (
    (
        "Every record is searched for the words of the question; near-duplicates count once, and known records are left"
        " out with theirs."
    ),
    (
        "Records are taken in the order of their match; among those that match nearly as well, other source origins"
        " come first."
    ),
    (
        "The answer is made of sentences that records and their sourced statements hold word for word, chosen by how"
        " much of the question they hold."
    ),
    (
        "Sold when a record names or covers the question, or when two independent records are relevant to it;"
        " otherwise 422 and no charge."
    ),
    f"{FRESHNESS} Ages are counted from asked_at, the day of the request (UTC).",
)


def _insufficient(selection: Bundle) -> InsufficientEvidence:
    """The outcome for a question with too little evidence; its detail points to the free search."""
    left = (
        f" after {len(selection.known_excluded)} known records and their near-duplicates were left out"
        if selection.known_excluded
        else ""
    )
    return InsufficientEvidence(
        f"Too little to sell{left}: {selection.reason} Searching is free.", selection.independent, INDEPENDENT
    )


def _result(
    ids_by_name: Mapping[str, str], context: OperationContext, selection: Bundle, pairs: list[ChosenRecord]
) -> ResearchBundle:
    citations = Citations(pairs)
    listed = citations.listed()
    archive_points = points(context, selection.points, pairs)
    records = [_record(rank, pair, citations) for rank, pair in enumerate(pairs, 1)]
    lowest = judge_of(context.index).calibration.lo
    return ResearchBundle(
        query=selection.query,
        asked_at=selection.asked_at,
        archive=mark(context),
        selection=(
            f"{selection.independent} of the ten best groups of near-duplicates reach the threshold from which a record"
            f" bears on a question ({lowest}); {len(pairs)} records were taken in the order of"
            " their match, other source origins first among those that match nearly as well."
        ),
        answer=[
            _sentence(sentence, context, citations)
            for sentence in selection.answer
            if sentence.record in {source.id for source, _ in pairs}
        ],
        sources=records,
        points=[shown for _, shown in archive_points],
        agreement=list(agreement(point for point, _ in archive_points)),
        disagreement=list(disagreement(archive_points)),
        objections=objected(selection.objections, citations),
        freshness=freshness(records, listed, selection.asked_at),
        missing=gaps(context, pairs, selection.missing, selection.further),
        known=BundleKnown(
            excluded=list(selection.known_excluded),
            unknown=[name for name, id_ in ids_by_name.items() if id_ not in selection.known_excluded],
        ),
        citations=listed,
    )


def notes(ask: ResearchBundleAsk, context: OperationContext) -> tuple[str, ...]:
    """Notes for the buyer before paying: known records that are not in this archive and cannot be left out."""
    unknown = [name for name in ask.known_stable_ids if not context.index.record(stable_id(context, name))]
    if not unknown:
        return ()
    shown = ", ".join(f'"{bounded(name, 80)}"' for name in unknown[:MAX_NAMED_RECORDS])
    more = f" and {len(unknown) - MAX_NAMED_RECORDS} more" if len(unknown) > MAX_NAMED_RECORDS else ""
    return (
        (
            "known_stable_ids names records that this archive does not have, so nothing is left out for them:"
            f" {shown}{more}."
        ),
    )


def _sentence(sentence: AnswerSentence, context: OperationContext, citations: Citations) -> BundleSentence:
    return BundleSentence(
        text=sentence.text,
        record=sentence.record,
        url=context.url(f"/{sentence.record}/"),
        citations=citations.numbers(sentence.sources),
    )


def _record(rank: int, pair: ChosenRecord, citations: Citations) -> BundleRecord:
    source, document = pair
    return BundleRecord(
        rank=rank,
        id=source.id,
        kind=document["kind"],
        title=document["title"],
        url=document["canonical_url"],
        revision=document["revision"],
        published_at=document["published_at"],
        updated_at=document["updated_at"],
        evidence_at=source.evidence_at,
        age_days=source.age_days,
        summary=document["summary"],
        passages=list(source.passages),
        claims=citations.claims(source.statements),
        counter_evidence=citations.claims(source.against),
        confidence=document.get("confidence"),
        share=source.share,
        matched=list(source.matched),
        missing=list(source.missing),
        near_duplicates=list(source.near_duplicates),
        citations=citations.of(source.id),
    )


PRODUCT = Product(
    id="research-bundle-v2",
    title="Research bundle",
    description=(
        "A ranked, diversified bundle of records on a question, with passages, sourced claims, points of agreement and"
        " disagreement, freshness, what is missing, and a citation list. Records that you name as known are left out"
        " with their near-duplicates."
    ),
    ask=ResearchBundleAsk,
    result=ResearchBundle,
    prepare=prepare,
    notes=notes,
    method=BUNDLE_METHOD,
    reveals=(
        "A 402 means that the archive has relevant records; 422 insufficient_evidence means that it has too few."
        " That much is free; payment is for the answer, its evidence and its citations."
    ),
    example={"query": "How do coding agents confine the commands they run?", "max_sources": 5, "known_stable_ids": []},
    lanes=tuple(Lane),
)
