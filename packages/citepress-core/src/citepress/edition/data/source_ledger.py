"""The source ledger and the index of origins, in parts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial
from typing import Any

from zstandard import compress, decompress

from citepress.archive.model import Archive, Citation, Origin, SourceEntry
from citepress.archive.quotes import source_quote
from citepress.base.canonical import digest
from citepress.base.media import JSON
from citepress.contract.document import PAGE_PARAMETER, Document, Output, Section
from citepress.contract.model import constructed
from citepress.contract.observation import health_of
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.data.parts import chain, joined_items, link_values, page_count, with_items
from citepress.edition.data.source_models import (
    LedgerSource,
    OriginItem,
    PublicSourceLedger,
    QuoteCounts,
    SourceOriginIndex,
    SourceQuote,
)
from citepress.edition.render_context import RenderContext

PART_SOURCES = 1000
"""Sources or origins in one document, whose ``next`` leads to further parts: some hundred kilobytes, because a leaf
from a megabyte on is stored as it is sent."""
NO_QUOTES = QuoteCounts()
MAX_ORIGIN_EVIDENCE = 2000
"""Sources or records that the document of an origin lists at most."""


def _ledger_part(context: RenderContext, number: int, part: Iterable[SourceEntry] | None = None) -> PublicSourceLedger:
    """A part of the ledger, or its frame around another ``part``."""
    sources = list(context.archive.ledger.values())
    part = sources[(number - 1) * PART_SOURCES : number * PART_SOURCES] if part is None else part
    return PublicSourceLedger(
        schema_version=SCHEMA_VERSION,
        as_of=_as_of(context),
        count=len(sources),
        next=_next(context, "source-ledger", number, len(sources)),
        sources=[_ledger_source(context, source) for source in part],
    )


def _as_of(context: RenderContext) -> datetime:
    """The newest date of a record or of a check."""
    checked = _last_check(context)
    return max(context.archive.as_of, checked) if checked else context.archive.as_of


def _last_check(context: RenderContext) -> datetime | None:
    """When a source was last checked, if any was."""
    observations = context.archive.observations
    return context.derivations.held(
        "last check", (observations,), lambda: max((each.checked_at for each in observations.values()), default=None)
    )


def origin_changed(archive: Archive, origin: Origin) -> datetime:
    """The newest date of the records that cite an origin or link to it, and of the checks that its page shows."""
    entries = archive.entries
    records = [entries[id_].head.updated_at for id_ in (*origin.records, *origin.mentioning)]
    shown = (*origin.sources[:MAX_ORIGIN_EVIDENCE], *origin.mentions[:MAX_ORIGIN_EVIDENCE])
    checks = [observation.checked_at for url in shown if (observation := archive.observations.get(url))]
    return max([*records, *checks], default=archive.as_of)


def _ledger_source(context: RenderContext, source: SourceEntry) -> LedgerSource:
    states = _quote_states(context, source)
    members = {
        "url": source.url,
        "cited_url": source.cited_url,
        "title": source.title,
        "publisher": source.publisher,
        "origin": source.origin,
        "origin_url": context.url(f"/sources/{source.origin}.json"),
        "published_at": source.published_at,
        "role": source.role,
        "aliases": list(source.aliases),
        "cited_by": source.cited_by,
        "mentioned_by": source.mentioned_by,
        "archive_url": source.archive_url,
        "quotes": QuoteCounts.model_validate(states) if states else NO_QUOTES,
        **health_members(context, source),
    }
    return constructed(LedgerSource, {name: members[name] for name in LedgerSource.model_fields})


def _quote_states(context: RenderContext, source: SourceEntry) -> Counter[str]:
    return Counter(quote.state for citation in source.citations for quote in quotes(context, source, citation))


def quotes(context: RenderContext, source: SourceEntry, citation: Citation) -> Iterator[SourceQuote]:
    """The quotes of a record from a source, each with what the newest copy holds."""
    observation = context.archive.observations.get(source.url) if citation.quotes else None
    for quote in citation.quotes:
        check = source_quote(quote, citation.source_id, observation)
        yield SourceQuote(quote=quote, state=check.state, likeness=check.likeness, checked_at=check.checked_at)


def health_members(context: RenderContext, source: SourceEntry) -> dict[str, Any]:
    """What the last check of a source found, as members of a document."""
    return health_of(context.archive.observations.get(source.url)).__dict__


def _origins_part(context: RenderContext, number: int) -> SourceOriginIndex:
    origins = list(context.archive.origins.values())
    return SourceOriginIndex(
        schema_version=SCHEMA_VERSION,
        as_of=context.archive.as_of,
        count=len(origins),
        next=_next(context, "source-entities", number, len(origins)),
        items=[
            _origin_item(context, origin) for origin in origins[(number - 1) * PART_SOURCES : number * PART_SOURCES]
        ],
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
    return context.url(_part_path(name, number + 1)) if number < page_count(count, PART_SOURCES) else None


def _part_path(name: str, number: int) -> str:
    return f"/{name}.json" if number == 1 else f"/{name}/{number}.json"


def _relations(context: RenderContext, name: str, number: int, count: int) -> tuple[str, ...]:
    """The chain of parts as ``Link`` fields, the same as in ``next``."""
    return link_values(context, chain(partial(_part_path, name), number, page_count(count, PART_SOURCES)))


def _ledger(context: RenderContext) -> Iterable[Output]:
    return [
        Output(_ledger_part(context, 1), links=_relations(context, "source-ledger", 1, len(context.archive.ledger)))
    ]


def _ledger_parts(context: RenderContext) -> Iterator[Output]:
    sources = list(context.archive.ledger.values())
    for number in range(2, page_count(len(sources), PART_SOURCES) + 1):
        part = tuple(sources[(number - 1) * PART_SOURCES : number * PART_SOURCES])
        shown, packed = _part_sources(context, number, part)
        yield Output(
            partial(_ledger_body, context, number, packed),
            {"page": str(number)},
            links=_relations(context, "source-ledger", number, len(sources)),
            inputs=[_as_of(context), len(sources), shown],
        )


def _ledger_body(context: RenderContext, number: int, packed: bytes) -> bytes:
    """A further part around its sources: each new record changes the number of all."""
    return with_items(_ledger_part(context, number, ()), "sources", decompress(packed))


def _part_sources(context: RenderContext, number: int, part: tuple[SourceEntry, ...]) -> tuple[str, bytes]:
    """A digest of the sources of a part, and these compressed; made anew where one of them differs."""

    def make() -> tuple[str, bytes]:
        sources = joined_items(_ledger_source(context, source) for source in part)
        return digest(sources), compress(sources, 1)

    return context.derivations.held(f"ledger part {number}", (part, context.archive.observations), make)


def _origins(context: RenderContext) -> Iterable[Output]:
    return [
        Output(_origins_part(context, 1), links=_relations(context, "source-entities", 1, len(context.archive.origins)))
    ]


def _origins_parts(context: RenderContext) -> Iterator[Output]:
    for number in range(2, page_count(len(context.archive.origins), PART_SOURCES) + 1):
        links = _relations(context, "source-entities", number, len(context.archive.origins))
        yield Output(_origins_part(context, number), {"page": str(number)}, links=links)


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
        (PAGE_PARAMETER,),
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
        (PAGE_PARAMETER,),
        promised=False,
    ),
)
"""The ledger, the origins, and their further parts."""
