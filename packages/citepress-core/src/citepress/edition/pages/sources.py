"""A page for each origin of sources, and the list of origins for people."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Literal

from citepress.archive.contents import RecordHead
from citepress.archive.model import MENTIONED, Entry, Origin, SourceEntry
from citepress.base.languages import UNDETERMINED
from citepress.base.text import counted
from citepress.contract.document import ORIGIN_PARAMETER, Draft, Pages, Section
from citepress.contract.observation import health_of
from citepress.contract.page import Block, Cards, Fact, Facts, Item, Items, Link, Page, Table
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.data.source_ledger import (
    MAX_ORIGIN_EVIDENCE,
    health_members,
    origin_changed,
    quotes,
)
from citepress.edition.data.source_models import EvidenceCitation, EvidenceItem, OriginBacklink, SourceOriginDetail
from citepress.edition.pages.collections import card
from citepress.edition.render_context import RenderContext, single
from citepress.kinds.parts import dated_link, record_links, source_state

Relation = Literal["cites", "mentions"]
HEALTH, LEDGER = "/evidence-health/", "/source-ledger.json"
MAX_SHOWN_EVIDENCE = 100
"""Evidence items and backlinks on an origin's page for people."""


def _hubs(context: RenderContext) -> Iterator[Draft]:
    return (_hub_draft(context, origin) for origin in context.archive.origins.values())


def _touched_hubs(context: RenderContext) -> Iterator[tuple[str, Draft | None]]:
    edit, origins = context.edit, context.archive.origins
    for id_ in edit.cited if edit else ():
        origin = origins.get(id_)
        yield f"/sources/{id_}/", _hub_draft(context, origin) if origin else None


def _hub_draft(context: RenderContext, origin: Origin) -> Draft:
    archive, entries = context.archive, context.archive.entries
    records = b"".join([entries[id_].digest for id_ in origin.records]).hex()
    # A hub shows less of what only links to it, and popular hosts would be written anew for any change to a text.
    linking = [(entry.face.hex(), entry.head.updated_at) for entry in map(entries.__getitem__, origin.mentioning)]
    shown = (*origin.mentions[:MAX_ORIGIN_EVIDENCE], *origin.sources[:MAX_ORIGIN_EVIDENCE])
    mentions = [(_mention_inputs(archive.ledger[url]), archive.observations.get(url)) for url in shown]
    read = [origin.id, origin.title, origin.url, origin.description, origin.sources, records, linking, mentions]
    return Draft(partial(_hub, context, origin), read, f"/sources/{origin.id}/")


def _mention_inputs(source: SourceEntry) -> list[object]:
    """What an origin's page shows of a source that depends on no record that cites it."""
    links = [(citation.record, citation.url) for citation in source.citations if citation.role == MENTIONED]
    return [source.url, source.cited_url, source.title, links]


def _hub(context: RenderContext, origin: Origin) -> Page:
    archive, entries = context.archive, context.archive.entries
    sources, mentions = (
        [archive.ledger[url] for url in urls[:MAX_ORIGIN_EVIDENCE]] for urls in (origin.sources, origin.mentions)
    )
    citing, linking = (
        [entries[id_] for id_ in ids[:MAX_ORIGIN_EVIDENCE]] for ids in (origin.records, origin.mentioning)
    )
    facts = (Fact("Address", (Link(origin.url, origin.url),)), Fact("Here", (Link(extent(origin)),)))
    detail = _detail(context, origin, sources, mentions)
    return Page(
        f"/sources/{origin.id}/",
        origin.title,
        origin.description or _about(origin),
        (
            Facts("about", "", facts),
            *_lines(context, origin, "evidence", "Evidence", sources),
            *_lines(context, origin, "mentions", "Linked in texts", mentions),
            *_cards("records", "Cited in", citing),
            *_cards("linking-records", "Linked in", linking),
        ),
        label="Source origin",
        updated=detail.as_of,
        crumbs=(Link("Home", "/"), Link("Sources", "/sources/")),
        data=detail,
    )


def _about(origin: Origin) -> str:
    if origin.sources:
        return f"The sources from {origin.title} that this archive cites, and the records that cite them."
    return f"The addresses of {origin.title} that texts of this archive link to without citing them."


def _lines(
    context: RenderContext, origin: Origin, anchor: str, title: str, sources: Sequence[SourceEntry]
) -> Iterator[Block]:
    if sources:
        items = [evidence_line(context, source, origin.title, 5) for source in sources[:MAX_SHOWN_EVIDENCE]]
        dated = sorted((item for item in items if item.date), key=lambda item: item.date or context.archive.as_of)
        undated = [item for item in items if not item.date]
        yield Items(anchor, title, (*dated, *undated), timeline=len(dated) > len(undated))


def _cards(anchor: str, title: str, entries: Sequence[Entry]) -> Iterator[Block]:
    if entries:
        yield Cards(anchor, title, tuple(map(card, entries[:MAX_SHOWN_EVIDENCE])))


def evidence_line(context: RenderContext, source: SourceEntry, origin: str, records: int) -> Item:
    """A source with the first records that cite it, and its publisher if that is another than its origin."""
    publisher = source.publisher if source.publisher != origin else None
    state = shown_state(context, source)
    citing = source.cited_by or source.mentioned_by
    more = (Link(f"and {len(citing) - records:,} more"),) if len(citing) > records else ()
    return Item(
        ". ".join(part for part in (publisher or "", state.capitalize()) if part),
        source.published_at,
        source.cited_url,
        source.title,
        record_links(context.archive, citing[:records]) + more,
        title_language=UNDETERMINED,
        spoken=True,
    )


def shown_state(context: RenderContext, source: SourceEntry) -> str:
    """What the last check of a source found; empty where none was made."""
    return source_state(health_of(context.archive.observations.get(source.url)))


def _detail(
    context: RenderContext, origin: Origin, sources: Sequence[SourceEntry], mentions: Sequence[SourceEntry]
) -> SourceOriginDetail:
    records: list[tuple[str, Relation]] = [
        *((id_, "cites") for id_ in origin.records),
        *((id_, "mentions") for id_ in origin.mentioning),
    ]
    entries = context.archive.entries
    backlinks = [_backlink(entries[id_].head, relation) for id_, relation in records[:MAX_ORIGIN_EVIDENCE]]
    return SourceOriginDetail(
        schema_version=SCHEMA_VERSION,
        id=origin.id,
        title=origin.title,
        url=origin.url,
        description=origin.description,
        as_of=origin_changed(context.archive, origin),
        evidence_count=len(origin.sources),
        evidence=[_evidence(context, source) for source in sources],
        mention_count=len(origin.mentions),
        mentions=[_evidence(context, source) for source in mentions],
        backlink_count=len(records),
        backlinks=backlinks,
    )


def _backlink(head: RecordHead, relation: Relation) -> OriginBacklink:
    return OriginBacklink(
        id=head.id, title=head.title, url=head.canonical_url, updated_at=head.updated_at, relation=relation
    )


def _evidence(context: RenderContext, source: SourceEntry) -> EvidenceItem:
    entries = context.archive.entries
    citations = [
        EvidenceCitation(
            record=citation.record,
            url=entries[citation.record].head.canonical_url,
            cited_url=citation.url,
            role=citation.role,
            accessed_at=citation.accessed_at,
            claims=list(citation.claims),
            quotes=list(quotes(context, source, citation)),
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
        archive_url=source.archive_url,
        citations=citations,
        **health_members(context, source),
    )


def extent(origin: Origin) -> str:
    """How much the archive holds of an origin, in words."""
    cited = f"{counted(len(origin.sources), 'source')}, cited in {counted(len(origin.records), 'record')}"
    linked = f"{counted(len(origin.mentions), 'address')} that texts link to"
    return "; ".join([*[cited] * bool(origin.sources), *[linked] * bool(origin.mentions)])


def _overview_page(context: RenderContext) -> Page:
    """All origins for people; made once, for what it says, for its date and for itself."""
    return context.derivations.of("overview of origins", partial(_overview, context))


def _overview(context: RenderContext) -> Page:
    """Those with the most records that cite them first, then those with the most links."""
    ranked = sorted(
        context.archive.origins.values(), key=lambda origin: (-len(origin.records), -len(origin.mentioning), origin.id)
    )
    links = sum(len(origin.mentions) for origin in ranked)
    more = f", and {counted(links, 'address')} that texts only link to" if links else ""
    sources, origins = len(context.archive.ledger) - links, counted(len(ranked), "origin")
    count = f"{counted(sources, 'source')}{more}, from {origins}."
    return Page(
        "/sources/",
        "Sources",
        f"Where this archive's evidence comes from: {count}",
        (_about_them(context, sources), _origins(context, ranked[:MAX_ORIGIN_EVIDENCE])),
        label="Sources",
        updated=context.archive.as_of,
        crumbs=(Link("Home", "/"),),
    )


def source_list_path(number: int) -> str:
    """The page of the list of all sources with this number."""
    return f"/sources/page/{number}/"


def _about_them(context: RenderContext, sources: int) -> Facts:
    """Links to the list of all sources, to their health and to their ledger."""
    rows = (
        ("Every source", Link(f"{counted(sources, 'source')} with the records that cite them", source_list_path(1))),
        ("State", health_link(context, "Evidence health")),
        ("As data", Link("Source ledger (JSON)", LEDGER)),
    )
    return Facts("about", "", tuple(Fact(label, (link,)) for label, link in rows[not sources :] if link.href))


def health_link(context: RenderContext, text: str) -> Link:
    """A link to the page on the health of evidence, or the text alone where no extension publishes that page."""
    return Link(text, HEALTH if context.publishes(HEALTH) else "")


def _origins(context: RenderContext, origins: Sequence[Origin]) -> Table:
    """A row for each origin, and a column of links only where texts link to one."""
    linked, cited = any(origin.mentions for origin in origins), _last_cited(context)
    columns = ("Origin", "Sources", "Records", "Last cited", *(("Linked to",) if linked else ()))
    return Table(
        "origins",
        "Origins",
        columns,
        tuple(_origin_row(origin, cited.get(origin.id), linked=linked) for origin in origins),
    )


def _last_cited(context: RenderContext) -> Mapping[str, datetime]:
    """The date of the newest record that cites an origin, by its id."""

    def derive() -> dict[str, datetime]:
        # Read as a whole: to note each of ten thousand records takes longer than to look at all of them.
        dates = {id_: entry.head.published_at for id_, entry in context.archive.entries.items()}
        origins = context.archive.origins.values()
        return {origin.id: max(map(dates.__getitem__, origin.records)) for origin in origins if origin.records}

    return context.derivations.of("last citations of origins", derive, compared=True)


def _origin_row(origin: Origin, cited: datetime | None, *, linked: bool) -> tuple[Link, ...]:
    counts = (f"{len(origin.sources):,}", f"{len(origin.records):,}") if cited else ("", "")
    return (
        Link(origin.title, f"/sources/{origin.id}/", UNDETERMINED),
        *map(Link, counts),
        dated_link(cited) if cited else Link(""),
        *((Link(f"{len(origin.mentions):,}" if origin.mentions else ""),) if linked else ()),
    )


ALL = (
    Pages[RenderContext](
        "source_origin",
        "/sources/{origin}/",
        Section.DISCOVERY,
        "The evidence items of one source origin and the records that cite it.",
        _hubs,
        "SourceOriginDetail",
        SourceOriginDetail,
        (ORIGIN_PARAMETER,),
        promised=("json",),
        touched=_touched_hubs,
    ),
    Pages[RenderContext](
        "sources",
        "/sources/",
        Section.DISCOVERY,
        "The origins of the archive's sources, for people.",
        single(_overview_page),
    ),
)
