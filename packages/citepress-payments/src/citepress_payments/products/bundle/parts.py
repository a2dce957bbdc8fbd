"""The parts of a research bundle that combine its records: citations, points, freshness and gaps."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from citepress.kinds.topics import topic_id
from citepress.operations.context import OperationContext
from citepress.operations.records import RecordJson, record
from citepress_payments.products.bundle.bundle import BundleSource, Statement
from citepress_payments.products.bundle.models import (
    BundleAgreement,
    BundleCitation,
    BundleClaim,
    BundleDisagreement,
    BundleFreshness,
    BundleGaps,
    BundleObjection,
    BundlePoint,
    BundleQuestion,
    BundleRecord,
)
from citepress_payments.products.bundle.stances import Objection, Point

CITED = 12
"""Upper limit of the citations of one record."""
MAX_NAMED_PARTS = 10
"""Upper limit of the records named on one side of a point."""
POINTS = 10
OBJECTIONS = 10
OPEN_QUESTIONS = 5
HUBS = 2
YEAR = 365
SIDES = ("supports", "contradicts")
ChosenRecord = tuple[BundleSource, RecordJson]
"""A chosen record with its published JSON."""


class Citations:
    """The citation list of a bundle: each source once, numbered in the order in which records cite it."""

    def __init__(self, pairs: Iterable[ChosenRecord]) -> None:
        self._cited: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
        self._of: dict[str, list[str]] = {}
        for source, document in pairs:
            cited = {str(citation["normalized_url"]): citation for citation in document["sources"]}
            needed = [url for statement in (*source.statements, *source.against) for url in statement.sources]
            self._of[source.id] = [url for url in dict.fromkeys((*needed, *cited)) if url in cited][:CITED]
            for url in self._of[source.id]:
                self._cited.setdefault(url, []).append((source.id, cited[url]))
        self._numbers = {url: number for number, url in enumerate(self._cited, 1)}

    def of(self, id_: str) -> list[int]:
        """The numbers of a record's citations."""
        return self.numbers(self._of[id_])

    def numbers(self, urls: Iterable[str]) -> list[int]:
        """The numbers of these addresses; those that are not on the list are left out."""
        return sorted({self._numbers[url] for url in urls if url in self._numbers})

    def claims(self, statements: Iterable[Statement]) -> list[BundleClaim]:
        """The statements with references to the citation list."""
        return [
            BundleClaim(role=statement.role, text=statement.text, citations=self.numbers(statement.sources))
            for statement in statements
        ]

    def listed(self) -> list[BundleCitation]:
        """The citation list."""
        return [_citation(number, url, self._cited[url]) for url, number in self._numbers.items()]


def _citation(number: int, url: str, uses: Sequence[tuple[str, Mapping[str, Any]]]) -> BundleCitation:
    """One source of the list: primary if any record cites it as primary, with the latest access date."""
    documents = [use for _, use in uses]
    return BundleCitation(
        number=number,
        url=url,
        title=documents[0]["title"],
        publisher=next((use["publisher"] for use in documents if use["publisher"]), None),
        origin=documents[0]["origin"],
        role="primary" if any(use["role"] == "primary" for use in documents) else "secondary",
        published_at=next((use["published_at"] for use in documents if use["published_at"]), None),
        accessed_at=max((use["accessed_at"] for use in documents if use["accessed_at"]), default=None),
        records=[id_ for id_, _ in uses],
    )


def points(
    context: OperationContext, declared: Sequence[Point], pairs: Sequence[ChosenRecord]
) -> list[tuple[Point, BundlePoint]]:
    """Points that records of the bundle support or contradict, then their own points that other records do."""
    ids = {point.id for point in declared}
    own_points = (
        Point(id=source.id, supporting=(source.id,), contradicting=())
        for source, document in pairs
        if source.id not in ids and any(link["relation"] in SIDES for link in document["backlinks"])
    )
    shown = ((point, record(context, point.id)) for point in (*declared, *own_points))
    published = ((point, _point(context, point, document)) for point, document in shown if document)
    return list(islice(published, POINTS))


def agreement(archive_points: Iterable[Point]) -> Iterator[BundleAgreement]:
    """The points with at least two records on one side."""
    for point in archive_points:
        if len(point.supporting) > 1:
            yield BundleAgreement(point=point.id, side="supporting", records=list(point.supporting))
        if len(point.contradicting) > 1:
            yield BundleAgreement(point=point.id, side="contradicting", records=list(point.contradicting))


def disagreement(archive_points: Iterable[tuple[Point, BundlePoint]]) -> Iterator[BundleDisagreement]:
    """The points on which records of the archive disagree."""
    for point, shown in archive_points:
        if shown.supporting_count and shown.contradicting_count:
            yield BundleDisagreement(
                point=point.id, supporting=list(point.supporting), contradicting=list(point.contradicting)
            )


def _point(context: OperationContext, point: Point, document: RecordJson) -> BundlePoint:
    """A point with all records on either side, those of the bundle first."""
    supports, contradicts = (
        [link["id"] for link in document["backlinks"] if link["relation"] == side] for side in SIDES
    )
    supporting = list(dict.fromkeys((*point.supporting, point.id, *supports)))
    contradicting = list(dict.fromkeys((*point.contradicting, *contradicts)))
    return BundlePoint(
        id=point.id,
        title=document["title"],
        url=context.url(f"/{point.id}/"),
        statement=document.get("statement") or document["summary"],
        status=document.get("status"),
        confidence=(document.get("confidence") or {}).get("level"),
        supporting=supporting[:MAX_NAMED_PARTS],
        contradicting=contradicting[:MAX_NAMED_PARTS],
        supporting_count=len(supporting),
        contradicting_count=len(contradicting),
    )


def objected(objections: Iterable[Objection], citations: Citations) -> list[BundleObjection]:
    """The objections with references to the citation list."""
    return [
        BundleObjection(
            record=objection.record,
            against=list(objection.against),
            text=objection.text,
            citations=citations.numbers(objection.sources),
        )
        for objection in islice(objections, OBJECTIONS)
    ]


def freshness(
    records: Sequence[BundleRecord], citations: Sequence[BundleCitation], asked_at: datetime
) -> BundleFreshness:
    """The age of records and citations on the day of the question."""
    tomorrow = asked_at + timedelta(days=1)
    published = [
        citation.published_at for citation in citations if citation.published_at and citation.published_at < tomorrow
    ]
    updated = [shown.updated_at for shown in records]
    dated = [shown.evidence_at for shown in records]
    within = {days: sum(shown.age_days <= days for shown in records) for days in (30, 90, YEAR)}
    return BundleFreshness(
        newest_update_at=max(updated),
        oldest_update_at=min(updated),
        newest_evidence_at=max(dated),
        oldest_evidence_at=min(dated),
        updated_within_30_days=within[30],
        updated_within_90_days=within[90],
        updated_within_365_days=within[YEAR],
        newest_citation_at=max(published, default=None),
        undated_citations=sum(citation.published_at is None for citation in citations),
    )


def gaps(
    context: OperationContext, pairs: Sequence[ChosenRecord], words: Iterable[str], further: Iterable[str]
) -> BundleGaps:
    """The gaps of the bundle."""
    return BundleGaps(
        words=list(words),
        open_questions=list(islice(_open_questions(context, [document for _, document in pairs]), OPEN_QUESTIONS)),
        without_citations=[source.id for source, document in pairs if not document["sources"]],
        older_than_a_year=[source.id for source, _ in pairs if source.age_days > YEAR],
        further_records=list(further),
    )


def _open_questions(context: OperationContext, documents: Sequence[RecordJson]) -> Iterator[BundleQuestion]:
    """Open questions of the topic hubs of the bundle; without one, of the hub that most of its records belong to."""
    hubs = [str(document["id"]) for document in documents if "open_questions" in document]
    counted = Counter(topic_id(slug) for document in documents for slug in document["topics"])
    common = min(counted, key=lambda id_: (-counted[id_], id_), default="")
    for id_ in hubs[:HUBS] or [common]:
        hub = record(context, id_)
        yield from (BundleQuestion(text=text, record=id_) for text in (hub or {}).get("open_questions", ()))
