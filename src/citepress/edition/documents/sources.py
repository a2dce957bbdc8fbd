"""The source ledger, the origins behind it, and a hub for each origin."""

from collections.abc import Iterable, Iterator
from functools import partial

from citepress.archive.model import Origin, SourceEntry
from citepress.base.canonical import json_bytes
from citepress.base.languages import UNDETERMINED
from citepress.base.media import JSON
from citepress.contract.document import ORIGIN, PAGE, Document, Draft, Output, Pages, Section
from citepress.contract.model import Model, Moment
from citepress.contract.page import Cards, Fact, Facts, Item, Items, Link, Page
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.documents.collections import card, chain, link_values, page_count
from citepress.edition.render_context import RenderContext
from citepress.kinds.parts import record_links

PART = 2000
"""Sources, origins or evidence items in one document; more stand in the parts that ``next`` leads to."""
SHOWN = 100
"""Evidence items and backlinks on an origin's page for people."""


class LedgerSource(Model):
    """One source and who cites it."""

    url: str
    """Normalised address."""
    title: str
    """The source's title, or its host."""
    publisher: str | None
    """Who published it."""
    origin: str
    """Id of its origin."""
    origin_url: str
    """Address of the origin's evidence."""
    published_at: Moment | None
    """When it was published, where known."""
    role: str
    """primary or secondary."""
    aliases: list[str]
    """Other addresses known to lead to it."""
    cited_by: list[str]
    """Ids of the records that cite it."""


class PublicSourceLedger(Model):
    """Every source that the archive stands on."""

    schema_version: int
    """Version of this document's schema."""
    as_of: Moment
    """The newest record date of the archive."""
    count: int
    """Sources in all."""
    next: str | None
    """URL of the next part, when there is one."""
    sources: list[LedgerSource]
    """Sources by normalised address."""


class OriginItem(Model):
    """One origin in the index."""

    id: str
    """Its id, as it stands in paths."""
    title: str
    """Its name."""
    url: str
    """Its own address."""
    html_url: str
    """Its hub for people."""
    json_url: str
    """Its evidence."""
    source_count: int
    """Sources of this origin in the ledger."""
    record_count: int
    """Records that cite any of them."""


class SourceOriginIndex(Model):
    """Where the archive's sources come from."""

    schema_version: int
    """Version of this document's schema."""
    as_of: Moment
    """The newest record date of the archive."""
    count: int
    """Origins in all."""
    next: str | None
    """URL of the next part, when there is one."""
    items: list[OriginItem]
    """Origins by id."""


class EvidenceCitation(Model):
    """A record's use of a source."""

    record: str
    """Id of the record."""
    url: str
    """Its canonical address."""
    accessed_at: Moment | None
    """When the source was read for it."""
    claims: list[str]
    """What the record says on the strength of the source."""


class EvidenceItem(Model):
    """One source of the origin."""

    url: str
    """Normalised address."""
    title: str
    """The source's title, or its host."""
    publisher: str | None
    """Who published it."""
    published_at: Moment | None
    """When it was published, where known."""
    role: str
    """primary or secondary."""
    citations: list[EvidenceCitation]
    """The records that cite it."""


class OriginBacklink(Model):
    """A record that cites the origin."""

    id: str
    """Id of the record."""
    title: str
    """Its headline."""
    url: str
    """Its canonical address."""
    updated_at: Moment
    """Its last change."""


class SourceOriginDetail(Model):
    """The evidence of one origin, and the records that cite it."""

    schema_version: int
    """Version of this document's schema."""
    id: str
    """The origin's id."""
    title: str
    """Its name."""
    url: str
    """Its own address."""
    description: str
    """What it is."""
    as_of: Moment
    """The newest record date of the archive."""
    evidence_count: int
    """Sources in all; ``evidence`` holds the first 2,000."""
    evidence: list[EvidenceItem]
    """Its sources in the ledger."""
    backlink_count: int
    """Records in all; ``backlinks`` holds the first 2,000."""
    backlinks: list[OriginBacklink]
    """Records that cite it."""


def _ledger_part(desk: RenderContext, number: int) -> PublicSourceLedger:
    sources = list(desk.archive.ledger.values())
    return PublicSourceLedger(
        schema_version=SCHEMA_VERSION, as_of=desk.archive.as_of, count=len(sources), next=_next(desk, "source-ledger", number, len(sources)),
        sources=[_ledger_source(desk, source) for source in sources[(number - 1) * PART : number * PART]],
    )  # fmt: skip


def _ledger_source(desk: RenderContext, source: SourceEntry) -> LedgerSource:
    return LedgerSource(
        url=source.url, title=source.title, publisher=source.publisher, origin=source.origin,
        origin_url=desk.url(f"/sources/{source.origin}.json"), published_at=source.published_at, role=source.role,
        aliases=list(source.aliases), cited_by=[citation.record for citation in source.citations],
    )  # fmt: skip


def _origins_part(desk: RenderContext, number: int) -> SourceOriginIndex:
    origins = list(desk.archive.origins.values())
    items = [
        OriginItem(
            id=o.id, title=o.title, url=o.url, html_url=desk.url(f"/sources/{o.id}/"), json_url=desk.url(f"/sources/{o.id}.json"),
            source_count=len(o.sources), record_count=len(o.records),
        )
        for o in origins[(number - 1) * PART : number * PART]
    ]  # fmt: skip
    following = _next(desk, "source-entities", number, len(origins))
    return SourceOriginIndex(schema_version=SCHEMA_VERSION, as_of=desk.archive.as_of, count=len(origins), next=following, items=items)


def _next(desk: RenderContext, name: str, number: int, count: int) -> str | None:
    return desk.url(_part_path(name, number + 1)) if number < page_count(count, PART) else None


def _part_path(name: str, number: int) -> str:
    return f"/{name}.json" if number == 1 else f"/{name}/{number}.json"


def _relations(desk: RenderContext, name: str, number: int, count: int) -> tuple[str, ...]:
    """The chain of parts in ``Link`` fields, as ``next`` tells it."""
    return link_values(desk, chain(partial(_part_path, name), number, page_count(count, PART)))


def _ledger(desk: RenderContext) -> Iterable[Output]:
    return [Output(_ledger_part(desk, 1), links=_relations(desk, "source-ledger", 1, len(desk.archive.ledger)))]


def _ledger_parts(desk: RenderContext) -> Iterator[Output]:
    sources = list(desk.archive.ledger.values())
    for number in range(2, page_count(len(sources), PART) + 1):
        inputs = [desk.archive.as_of, len(sources), *map(_told, sources[(number - 1) * PART : number * PART])]
        yield Output(
            partial(_ledger_body, desk, number),
            {"page": str(number)},
            links=_relations(desk, "source-ledger", number, len(sources)),
            inputs=inputs,
        )


def _ledger_body(desk: RenderContext, number: int) -> bytes:
    return json_bytes(_ledger_part(desk, number))


def _told(source: SourceEntry) -> list[object]:
    """What the ledger says of a source, in a cheaper form."""
    cited_by = [citation.record for citation in source.citations]
    return [source.url, source.title, source.publisher, source.origin, source.published_at, source.role, source.aliases, cited_by]


def _origins(desk: RenderContext) -> Iterable[Output]:
    return [Output(_origins_part(desk, 1), links=_relations(desk, "source-entities", 1, len(desk.archive.origins)))]


def _origins_parts(desk: RenderContext) -> Iterator[Output]:
    for number in range(2, page_count(len(desk.archive.origins), PART) + 1):
        links = _relations(desk, "source-entities", number, len(desk.archive.origins))
        yield Output(_origins_part(desk, number), {"page": str(number)}, links=links)


def _hubs(desk: RenderContext) -> Iterator[Draft]:
    for origin in desk.archive.origins.values():
        records = [desk.archive.entries[id_].digest.hex() for id_ in origin.records]
        yield Draft(
            partial(_hub, desk, origin),
            [desk.archive.as_of, origin.id, origin.title, origin.url, origin.description, origin.sources, records],
        )


def _hub(desk: RenderContext, origin: Origin) -> Page:
    archive = desk.archive
    sources = [archive.ledger[url] for url in origin.sources[:PART]]
    entries = [archive.entries[id_] for id_ in origin.records[:PART]]
    facts = (
        Fact("Address", (Link(origin.url, origin.url),)),
        Fact("Sources in the ledger", (Link(str(len(origin.sources))),)),
        Fact("Records that cite it", (Link(str(len(origin.records))),)),
    )
    evidence = tuple(
        Item(
            s.publisher or "", s.published_at, s.url, s.title,
            record_links(archive, [c.record for c in s.citations[:5]]),
            title_language=UNDETERMINED,
        )
        for s in sources[:SHOWN]
    )  # fmt: skip
    detail = SourceOriginDetail(
        schema_version=SCHEMA_VERSION, id=origin.id, title=origin.title, url=origin.url, description=origin.description, as_of=archive.as_of,
        evidence_count=len(origin.sources), evidence=[_evidence(desk, source) for source in sources],
        backlink_count=len(origin.records),
        backlinks=[
            OriginBacklink(id=e.record.id, title=e.record.title, url=e.record.canonical_url, updated_at=e.record.updated_at) for e in entries
        ],
    )  # fmt: skip
    return Page(
        f"/sources/{origin.id}/", origin.title, origin.description or f"What this archive cites from {origin.title}, and where.",
        (Facts("about", "", facts), Items("evidence", "Evidence", evidence), Cards("records", "Cited in", tuple(map(card, entries[:SHOWN])))),
        label="Source origin", updated=max((e.record.updated_at for e in entries), default=None),
        crumbs=(Link("Home", "/"), Link("Sources", "/sources/")), data=detail,
    )  # fmt: skip


def _evidence(desk: RenderContext, source: SourceEntry) -> EvidenceItem:
    citations = [
        EvidenceCitation(
            record=c.record, url=desk.archive.entries[c.record].record.canonical_url, accessed_at=c.accessed_at, claims=list(c.claims)
        )
        for c in source.citations
    ]
    return EvidenceItem(
        url=source.url,
        title=source.title,
        publisher=source.publisher,
        published_at=source.published_at,
        role=source.role,
        citations=citations,
    )


def _overview(desk: RenderContext) -> Iterable[Draft]:
    return [Draft(partial(_overview_page, desk))]


def _overview_page(desk: RenderContext) -> Page:
    """All origins for people, those with the most records first."""
    ranked = sorted(desk.archive.origins.values(), key=lambda origin: (-len(origin.records), origin.id))
    items = tuple(
        Item(f"{len(o.sources)} sources, cited in {len(o.records)} records", None, f"/sources/{o.id}/", o.title) for o in ranked[:PART]
    )
    count = f"{len(desk.archive.ledger)} sources from {len(ranked)} origins."
    return Page(
        "/sources/", "Sources", f"Where this archive's evidence comes from: {count}", (Items("origins", "Origins", items),),
        label="Source ledger", updated=desk.archive.as_of, crumbs=(Link("Home", "/"),),
    )  # fmt: skip


ALL = (
    Document[RenderContext](
        "source_ledger", "/source-ledger.json", JSON, Section.DISCOVERY, "Every source of the archive with the records that cite it.",
        _ledger, "PublicSourceLedger", PublicSourceLedger, resource=0.6,
    ),
    Document[RenderContext](
        "source_ledger_part", "/source-ledger/{page}.json", JSON, Section.EXTRAS, "A further part of the source ledger.",
        _ledger_parts, "PublicSourceLedger", PublicSourceLedger, (PAGE,), promised=False,
    ),
    Document[RenderContext](
        "source_entities", "/source-entities.json", JSON, Section.DISCOVERY, "The origins of the archive's sources.",
        _origins, "SourceOriginIndex", SourceOriginIndex, resource=0.6,
    ),
    Document[RenderContext](
        "source_entities_part", "/source-entities/{page}.json", JSON, Section.EXTRAS, "A further part of the list of origins.",
        _origins_parts, "SourceOriginIndex", SourceOriginIndex, (PAGE,), promised=False,
    ),
    Pages[RenderContext](
        "source_origin", "/sources/{origin}/", Section.DISCOVERY, "The evidence items of one source origin and the records that cite it.",
        _hubs, "SourceOriginDetail", SourceOriginDetail, (ORIGIN,), promised=("json",),
    ),
    Pages[RenderContext]("sources", "/sources/", Section.DISCOVERY, "The origins of the archive's sources, for people.", _overview),
)  # fmt: skip
