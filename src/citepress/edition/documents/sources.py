"""The source ledger, the index of origins, and a page for each origin."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Literal

from citepress.archive.model import MENTIONED, Entry, Origin, SourceEntry
from citepress.base.canonical import json_bytes
from citepress.base.languages import UNDETERMINED
from citepress.base.media import JSON
from citepress.contract.document import ORIGIN, PAGE, Document, Draft, Output, Pages, Section
from citepress.contract.page import Block, Cards, Fact, Facts, Item, Items, Link, Page
from citepress.contract.record import Record
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.documents.collections import card, chain, link_values, page_count
from citepress.edition.documents.source_models import (
    EvidenceCitation,
    EvidenceItem,
    LedgerSource,
    OriginBacklink,
    OriginItem,
    PublicSourceLedger,
    SourceOriginDetail,
    SourceOriginIndex,
)
from citepress.edition.render_context import RenderContext
from citepress.kinds.parts import record_links

Relation = Literal["cites", "mentions"]
PART = 2000
"""Sources, origins or evidence items in one document; ``next`` leads to further parts."""
SHOWN = 100
"""Evidence items and backlinks on an origin's page for people."""


def _ledger_part(context: RenderContext, number: int) -> PublicSourceLedger:
    sources = list(context.archive.ledger.values())
    return PublicSourceLedger(
        schema_version=SCHEMA_VERSION,
        as_of=context.archive.as_of,
        count=len(sources),
        next=_next(context, "source-ledger", number, len(sources)),
        sources=[_ledger_source(context, source) for source in sources[(number - 1) * PART : number * PART]],
    )


def _ledger_source(context: RenderContext, source: SourceEntry) -> LedgerSource:
    return LedgerSource(
        url=source.url,
        cited_url=source.cited_url,
        title=source.title,
        publisher=source.publisher,
        origin=source.origin,
        origin_url=context.url(f"/sources/{source.origin}.json"),
        published_at=source.published_at,
        role=source.role,
        aliases=list(source.aliases),
        cited_by=source.cited_by,
        mentioned_by=source.mentioned_by,
    )


def _origins_part(context: RenderContext, number: int) -> SourceOriginIndex:
    origins = list(context.archive.origins.values())
    return SourceOriginIndex(
        schema_version=SCHEMA_VERSION,
        as_of=context.archive.as_of,
        count=len(origins),
        next=_next(context, "source-entities", number, len(origins)),
        items=[_origin_item(context, origin) for origin in origins[(number - 1) * PART : number * PART]],
    )


def _origin_item(context: RenderContext, origin: Origin) -> OriginItem:
    return OriginItem(
        id=origin.id,
        title=origin.title,
        url=origin.url,
        html_url=context.url(f"/sources/{origin.id}/"),
        json_url=context.url(f"/sources/{origin.id}.json"),
        source_count=len(origin.sources),
        mention_count=len(origin.mentions),
        record_count=len(origin.records) + len(origin.mentioning),
    )


def _next(context: RenderContext, name: str, number: int, count: int) -> str | None:
    return context.url(_part_path(name, number + 1)) if number < page_count(count, PART) else None


def _part_path(name: str, number: int) -> str:
    return f"/{name}.json" if number == 1 else f"/{name}/{number}.json"


def _relations(context: RenderContext, name: str, number: int, count: int) -> tuple[str, ...]:
    """The chain of parts as ``Link`` fields, the same as in ``next``."""
    return link_values(context, chain(partial(_part_path, name), number, page_count(count, PART)))


def _ledger(context: RenderContext) -> Iterable[Output]:
    return [
        Output(_ledger_part(context, 1), links=_relations(context, "source-ledger", 1, len(context.archive.ledger)))
    ]


def _ledger_parts(context: RenderContext) -> Iterator[Output]:
    sources = list(context.archive.ledger.values())
    for number in range(2, page_count(len(sources), PART) + 1):
        inputs = [
            context.archive.as_of,
            len(sources),
            *map(_ledger_inputs, sources[(number - 1) * PART : number * PART]),
        ]
        yield Output(
            partial(_ledger_body, context, number),
            {"page": str(number)},
            links=_relations(context, "source-ledger", number, len(sources)),
            inputs=inputs,
        )


def _ledger_body(context: RenderContext, number: int) -> bytes:
    return json_bytes(_ledger_part(context, number))


def _ledger_inputs(source: SourceEntry) -> list[object]:
    """Everything that the ledger shows of a source, in a form that is cheap to compare."""
    return [
        source.url,
        source.cited_url,
        source.title,
        source.publisher,
        source.origin,
        source.published_at,
        source.role,
        source.aliases,
        source.cited_by,
        source.mentioned_by,
    ]


def _origins(context: RenderContext) -> Iterable[Output]:
    return [
        Output(_origins_part(context, 1), links=_relations(context, "source-entities", 1, len(context.archive.origins)))
    ]


def _origins_parts(context: RenderContext) -> Iterator[Output]:
    for number in range(2, page_count(len(context.archive.origins), PART) + 1):
        links = _relations(context, "source-entities", number, len(context.archive.origins))
        yield Output(_origins_part(context, number), {"page": str(number)}, links=links)


def _hubs(context: RenderContext) -> Iterator[Draft]:
    return (_hub_draft(context, origin) for origin in context.archive.origins.values())


def _touched_hubs(context: RenderContext) -> Iterator[tuple[str, Draft | None]]:
    edit, origins = context.edit, context.archive.origins
    for id_ in edit.cited if edit else ():
        origin = origins.get(id_)
        yield f"/sources/{id_}/", _hub_draft(context, origin) if origin else None


def _hub_draft(context: RenderContext, origin: Origin) -> Draft:
    archive = context.archive
    records = b"".join(archive.entries[id_].digest for id_ in origin.records).hex()
    # A hub shows less of what only links to it, and popular hosts would be written anew for any change to a text.
    linking = [
        (entry.face.hex(), entry.record.updated_at) for entry in map(archive.entries.__getitem__, origin.mentioning)
    ]
    mentions = [_mention_inputs(archive.ledger[url]) for url in (*origin.mentions[:PART], *origin.sources[:PART])]
    read = [origin.id, origin.title, origin.url, origin.description, origin.sources, records, linking, mentions]
    return Draft(partial(_hub, context, origin), read, f"/sources/{origin.id}/")


def _mention_inputs(source: SourceEntry) -> list[object]:
    """What an origin's page shows of a source that depends on no record that cites it."""
    links = [(citation.record, citation.url) for citation in source.citations if citation.role == MENTIONED]
    return [source.url, source.cited_url, source.title, links]


def _hub(context: RenderContext, origin: Origin) -> Page:
    archive = context.archive
    sources, mentions = ([archive.ledger[url] for url in urls[:PART]] for urls in (origin.sources, origin.mentions))
    citing, linking = ([archive.entries[id_] for id_ in ids[:PART]] for ids in (origin.records, origin.mentioning))
    facts = [Fact("Address", (Link(origin.url, origin.url),))]
    facts += [
        Fact(label, (Link(str(count)),))
        for label, count in (
            ("Sources that records cite", len(origin.sources)),
            ("Records that cite it", len(origin.records)),
            ("Further addresses that texts link to", len(origin.mentions)),
            ("Records that only link to it", len(origin.mentioning)),
        )
        if count
    ]
    entries = [*citing, *linking]
    return Page(
        f"/sources/{origin.id}/",
        origin.title,
        origin.description or _about(origin),
        (
            Facts("about", "", tuple(facts)),
            *_lines(context, "evidence", "Evidence", sources),
            *_lines(context, "mentions", "Linked in texts", mentions),
            *_cards("records", "Cited in", citing),
            *_cards("linking-records", "Linked in", linking),
        ),
        label="Source origin",
        updated=max((entry.record.updated_at for entry in entries), default=None),
        crumbs=(Link("Home", "/"), Link("Sources", "/sources/")),
        data=_detail(context, origin, sources, mentions),
    )


def _about(origin: Origin) -> str:
    if origin.sources:
        return f"The sources from {origin.title} that this archive cites, and the records that cite them."
    return f"The addresses of {origin.title} that texts of this archive link to; nothing here rests on them."


def _lines(context: RenderContext, anchor: str, title: str, sources: Sequence[SourceEntry]) -> Iterator[Block]:
    if sources:
        yield Items(anchor, title, tuple(_evidence_line(context, source) for source in sources[:SHOWN]))


def _cards(anchor: str, title: str, entries: Sequence[Entry]) -> Iterator[Block]:
    if entries:
        yield Cards(anchor, title, tuple(map(card, entries[:SHOWN])))


def _evidence_line(context: RenderContext, source: SourceEntry) -> Item:
    """A source on the page of its origin, with the first records that cite it."""
    return Item(
        source.publisher or "",
        source.published_at,
        source.cited_url,
        source.title,
        record_links(context.archive, (source.cited_by or source.mentioned_by)[:5]),
        title_language=UNDETERMINED,
    )


def _detail(
    context: RenderContext, origin: Origin, sources: Sequence[SourceEntry], mentions: Sequence[SourceEntry]
) -> SourceOriginDetail:
    records: list[tuple[str, Relation]] = [
        *((id_, "cites") for id_ in origin.records),
        *((id_, "mentions") for id_ in origin.mentioning),
    ]
    backlinks = [_backlink(context.archive.entries[id_].record, relation) for id_, relation in records[:PART]]
    return SourceOriginDetail(
        schema_version=SCHEMA_VERSION,
        id=origin.id,
        title=origin.title,
        url=origin.url,
        description=origin.description,
        as_of=max((backlink.updated_at for backlink in backlinks), default=context.archive.as_of),
        evidence_count=len(origin.sources),
        evidence=[_evidence(context, source) for source in sources],
        mention_count=len(origin.mentions),
        mentions=[_evidence(context, source) for source in mentions],
        backlink_count=len(records),
        backlinks=backlinks,
    )


def _backlink(record: Record, relation: Relation) -> OriginBacklink:
    return OriginBacklink(
        id=record.id, title=record.title, url=record.canonical_url, updated_at=record.updated_at, relation=relation
    )


def _evidence(context: RenderContext, source: SourceEntry) -> EvidenceItem:
    citations = [
        EvidenceCitation(
            record=citation.record,
            url=context.archive.entries[citation.record].record.canonical_url,
            cited_url=citation.url,
            role=citation.role,
            accessed_at=citation.accessed_at,
            claims=list(citation.claims),
        )
        for citation in source.citations
    ]
    return EvidenceItem(
        url=source.url,
        cited_url=source.cited_url,
        title=source.title,
        publisher=source.publisher,
        published_at=source.published_at,
        role=source.role,
        citations=citations,
    )


def counted(origin: Origin) -> str:
    """How much the archive holds of an origin, in words."""
    cited = f"{len(origin.sources)} sources, cited in {len(origin.records)} records" if origin.sources else ""
    linked = f"{len(origin.mentions)} addresses that texts link to" if origin.mentions else ""
    return "; ".join(part for part in (cited, linked) if part)


def _overview(context: RenderContext) -> Iterable[Draft]:
    return [Draft(partial(_overview_page, context))]


def _overview_page(context: RenderContext) -> Page:
    """All origins for people, those with the most records that cite them first, then those with the most links."""
    ranked = sorted(
        context.archive.origins.values(),
        key=lambda origin: (-len(origin.records), -len(origin.mentioning), origin.id),
    )
    items = tuple(
        Item(
            counted(origin),
            None,
            f"/sources/{origin.id}/",
            origin.title,
        )
        for origin in ranked[:PART]
    )
    links = sum(len(origin.mentions) for origin in ranked)
    more = f", and {links} addresses that texts only link to" if links else ""
    count = f"{len(context.archive.ledger) - links} sources{more}, from {len(ranked)} origins."
    return Page(
        "/sources/",
        "Sources",
        f"Where this archive's evidence comes from: {count}",
        (Items("origins", "Origins", items),),
        label="Source ledger",
        updated=context.archive.as_of,
        crumbs=(Link("Home", "/"),),
    )


ALL = (
    Document[RenderContext](
        "source_ledger",
        "/source-ledger.json",
        JSON,
        Section.DISCOVERY,
        "Every source of the archive with the records that cite it.",
        _ledger,
        "PublicSourceLedger",
        PublicSourceLedger,
        resource=0.6,
    ),
    Document[RenderContext](
        "source_ledger_part",
        "/source-ledger/{page}.json",
        JSON,
        Section.EXTRAS,
        "A further part of the source ledger.",
        _ledger_parts,
        "PublicSourceLedger",
        PublicSourceLedger,
        (PAGE,),
        promised=False,
    ),
    Document[RenderContext](
        "source_entities",
        "/source-entities.json",
        JSON,
        Section.DISCOVERY,
        "The origins of the archive's sources.",
        _origins,
        "SourceOriginIndex",
        SourceOriginIndex,
        resource=0.6,
    ),
    Document[RenderContext](
        "source_entities_part",
        "/source-entities/{page}.json",
        JSON,
        Section.EXTRAS,
        "A further part of the list of origins.",
        _origins_parts,
        "SourceOriginIndex",
        SourceOriginIndex,
        (PAGE,),
        promised=False,
    ),
    Pages[RenderContext](
        "source_origin",
        "/sources/{origin}/",
        Section.DISCOVERY,
        "The evidence items of one source origin and the records that cite it.",
        _hubs,
        "SourceOriginDetail",
        SourceOriginDetail,
        (ORIGIN,),
        promised=("json",),
        touched=_touched_hubs,
    ),
    Pages[RenderContext](
        "sources", "/sources/", Section.DISCOVERY, "The origins of the archive's sources, for people.", _overview
    ),
)
