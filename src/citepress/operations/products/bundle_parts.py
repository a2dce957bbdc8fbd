"""The parts of a research bundle that its records give only together: citations, points, freshness, what is missing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from citepress.operations.context import OperationContext
from citepress.operations.products.bundle_models import (
    BundleAgreement,
    BundleCitation,
    BundleClaim,
    BundleDisagreement,
    BundleFreshness,
    BundleGaps,
    BundleObjection,
    BundlePoint,
    BundleQuestion,
)
from citepress.operations.records import Told, record
from citepress.search.bundle import BundleSource, Statement
from citepress.search.stances import Objection, Point

CITED = 12
"""Citations of one record."""
NAMED = 10
"""Records named on one side of a point."""
POINTS = 10
OBJECTIONS = 10
OPEN_QUESTIONS = 5
HUBS = 2
YEAR = 365
SIDES = ("supports", "contradicts")
Pair = tuple[BundleSource, Told]
"""A chosen record, and the same as it is published."""


class Citations:
    """The citation list of a bundle: each source once, numbered in the order in which records and their statements need it."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._cited: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
        self._of: dict[str, list[str]] = {}
        for source, told in pairs:
            known = {str(one["normalized_url"]): one for one in told["sources"]}
            needed = [url for said in (*source.statements, *source.against) for url in said.sources]
            self._of[source.id] = [url for url in dict.fromkeys((*needed, *known)) if url in known][:CITED]
            for url in self._of[source.id]:
                self._cited.setdefault(url, []).append((source.id, known[url]))
        self._numbers = {url: number for number, url in enumerate(self._cited, 1)}

    def of(self, id_: str) -> list[int]:
        """The numbers of a record's citations."""
        return self.numbers(self._of[id_])

    def numbers(self, urls: Iterable[str]) -> list[int]:
        """The numbers of these addresses; those that are not on the list are left out."""
        return sorted({self._numbers[url] for url in urls if url in self._numbers})

    def claims(self, statements: Iterable[Statement]) -> list[BundleClaim]:
        """Statements that refer to the list."""
        return [BundleClaim(role=said.role, text=said.text, citations=self.numbers(said.sources)) for said in statements]

    def listed(self) -> list[BundleCitation]:
        """The list."""
        return [_citation(number, url, self._cited[url]) for url, number in self._numbers.items()]


def _citation(number: int, url: str, uses: Sequence[tuple[str, Mapping[str, Any]]]) -> BundleCitation:
    """One source as its records know it: primary where any of them takes it so, read when the last of them read it."""
    known = [use for _, use in uses]
    return BundleCitation(
        number=number,
        url=url,
        title=known[0]["title"],
        publisher=next((use["publisher"] for use in known if use["publisher"]), None),
        origin=known[0]["origin"],
        role="primary" if any(use["role"] == "primary" for use in known) else "secondary",
        published_at=next((use["published_at"] for use in known if use["published_at"]), None),
        accessed_at=max((use["accessed_at"] for use in known if use["accessed_at"]), default=None),
        records=[id_ for id_, _ in uses],
    )


def points(world: OperationContext, found: Sequence[Point], pairs: Sequence[Pair]) -> list[tuple[Point, BundlePoint]]:
    """Points that records of the bundle take a side on, then those that they make and others take a side on."""
    known = {point.id for point in found}
    made = (
        Point(id=source.id, supporting=(source.id,), contradicting=())
        for source, told in pairs
        if source.id not in known and any(link["relation"] in SIDES for link in told["backlinks"])
    )
    shown = ((point, told) for point in (*found, *made) if (told := record(world, point.id)))
    return [(point, _point(world, point, told)) for point, told in islice(shown, POINTS)]


def agreement(found: Iterable[Point]) -> Iterator[BundleAgreement]:
    """Where at least two records are on one side."""
    for point in found:
        if len(point.supporting) > 1:
            yield BundleAgreement(point=point.id, side="supporting", records=list(point.supporting))
        if len(point.contradicting) > 1:
            yield BundleAgreement(point=point.id, side="contradicting", records=list(point.contradicting))


def disagreement(found: Iterable[tuple[Point, BundlePoint]]) -> Iterator[BundleDisagreement]:
    """Where the archive is divided."""
    for point, shown in found:
        if shown.supporting_count and shown.contradicting_count:
            yield BundleDisagreement(point=point.id, supporting=list(point.supporting), contradicting=list(point.contradicting))


def _point(world: OperationContext, point: Point, told: Told) -> BundlePoint:
    """A point with everyone who takes a side on it, the records of the bundle first."""
    supports, contradicts = ([link["id"] for link in told["backlinks"] if link["relation"] == side] for side in SIDES)
    supporting = list(dict.fromkeys((*point.supporting, point.id, *supports)))
    contradicting = list(dict.fromkeys((*point.contradicting, *contradicts)))
    return BundlePoint(
        id=point.id,
        title=told["title"],
        url=world.url(f"/{point.id}/"),
        statement=told.get("statement") or told["summary"],
        status=told.get("status"),
        confidence=(told.get("confidence") or {}).get("level"),
        supporting=supporting[:NAMED],
        contradicting=contradicting[:NAMED],
        supporting_count=len(supporting),
        contradicting_count=len(contradicting),
    )


def objected(found: Iterable[Objection], citations: Citations) -> list[BundleObjection]:
    """Objections that refer to the citation list."""
    return [
        BundleObjection(record=one.record, against=list(one.against), text=one.text, citations=citations.numbers(one.sources))
        for one in islice(found, OBJECTIONS)
    ]


def freshness(sources: Sequence[BundleSource], citations: Sequence[BundleCitation], asked_at: datetime) -> BundleFreshness:
    """How old records and citations are on the day of the question."""
    tomorrow = asked_at + timedelta(days=1)
    published = [one.published_at for one in citations if one.published_at and one.published_at < tomorrow]
    updated = [one.updated_at for one in sources]
    dated = [one.evidence_at for one in sources]
    within = {days: sum(one.age_days <= days for one in sources) for days in (30, 90, YEAR)}
    return BundleFreshness(
        newest_update_at=max(updated),
        oldest_update_at=min(updated),
        newest_evidence_at=max(dated),
        oldest_evidence_at=min(dated),
        updated_within_30_days=within[30],
        updated_within_90_days=within[90],
        updated_within_365_days=within[YEAR],
        newest_citation_at=max(published, default=None),
        undated_citations=sum(one.published_at is None for one in citations),
    )


def gaps(world: OperationContext, pairs: Sequence[Pair], words: Iterable[str], further: Iterable[str]) -> BundleGaps:
    """What the bundle does not give."""
    return BundleGaps(
        words=list(words),
        open_questions=list(islice(_open_questions(world, [told for _, told in pairs]), OPEN_QUESTIONS)),
        without_citations=[source.id for source, told in pairs if not told["sources"]],
        older_than_a_year=[source.id for source, _ in pairs if source.age_days > YEAR],
        further_records=list(further),
    )


def _open_questions(world: OperationContext, found: Sequence[Told]) -> Iterator[BundleQuestion]:
    """Open questions of the topic hubs of the bundle; without one, of the hub that most of its records belong to."""
    hubs = [str(told["id"]) for told in found if "open_questions" in told]
    counted = Counter(f"topics/{slug}" for told in found for slug in told["topics"])
    common = min(counted, key=lambda id_: (-counted[id_], id_), default="")
    for id_ in hubs[:HUBS] or [common]:
        hub = record(world, id_)
        yield from (BundleQuestion(text=text, record=id_) for text in (hub or {}).get("open_questions", ()))
