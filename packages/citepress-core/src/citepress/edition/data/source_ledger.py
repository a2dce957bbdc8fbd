"""The source ledger and the index of origins, in parts."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from hashlib import blake2b
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Archive, Citation, Origin, SourceEntry
from citepress.archive.quotes import source_quote
from citepress.base.canonical import json_bytes, short_digest, sorted_bytes
from citepress.base.media import JSON
from citepress.contract.document import PAGE_PARAMETER, Document, Output, Section
from citepress.contract.model import constructed
from citepress.contract.observation import health_of
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.data.parts import chain, held_items, held_of, link_values, page_count, with_items
from citepress.edition.data.source_models import (
    LedgerSource,
    OriginItem,
    PublicSourceLedger,
    QuoteCounts,
    SourceOriginIndex,
    SourceQuote,
)
from citepress.edition.render_context import RenderContext

T = TypeVar("T")
PART_SOURCES = 1000
"""Sources or origins in one document, whose ``next`` leads to further parts: some hundred kilobytes, because a leaf
from a megabyte on is stored as it is sent."""
NO_QUOTES = QuoteCounts()
MAX_ORIGIN_EVIDENCE = 2000
"""Sources or records that the document of an origin lists at most."""


class _List(NamedTuple):
    """A list in numbered documents, of which the first has the name of the list."""

    name: str
    model: type[BaseModel]
    member: str
    """Of the model, which holds the items."""
    values: Callable[[Archive], Mapping[str, Any]]
    item: Callable[[RenderContext, Any], BaseModel]
    differing: Callable[[ArchiveEdit], frozenset[str]]
    as_of: Callable[[RenderContext], datetime]


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


def by_origin(context: RenderContext, name: str, work_out: Callable[[Archive, Origin], T]) -> Mapping[str, T]:
    """What is worked out of each origin, by its id; an edit changes that of the origins that it concerns."""

    def update(before: dict[str, T], edit: ArchiveEdit) -> dict[str, T]:
        for id_ in edit.cited:
            before.pop(id_, None)
            if origin := edit.after.origins.get(id_):
                before[id_] = work_out(edit.after, origin)
        return before

    archive = context.archive
    return context.derivations.maintained(
        name, lambda: {origin.id: work_out(archive, origin) for origin in archive.origins.values()}, update
    )


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


def _outputs(each: _List, first: int, last: int | None, context: RenderContext) -> Iterator[Output]:
    """The parts from one to another, or to the end.

    A new value changes the number and the place of many, so what is said of each is held.
    """
    values, observations = each.values(context.archive), context.archive.observations
    keys, count = tuple(values), page_count(len(values), PART_SOURCES)
    held, digests = (held_items(context, f"{what} of {each.name}", each.differing) for what in ("items", "digests"))
    path = partial(_part_path, each.name)

    def digest_of(key: str) -> bytes:
        return blake2b(sorted_bytes([values[key], observations.get(key)]), digest_size=8).digest()

    for number in range(first, (last or count) + 1):
        part = keys[(number - 1) * PART_SOURCES : number * PART_SOURCES]
        head: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "as_of": each.as_of(context),
            "count": len(keys),
            "next": context.url(path(number + 1)) if number < count else None,
        }
        shown = short_digest(b"".join(held_of(digests, part, digest_of)))
        body = partial(_body, each, context, each.model(**head, **{each.member: []}), part, held)
        links = link_values(context, chain(path, number, count))
        yield Output(body, {"page": str(number)}, links, inputs=[head, shown])


def _body(
    each: _List, context: RenderContext, frame: BaseModel, part: Sequence[str], held: dict[str, bytes] | None
) -> bytes:
    values = each.values(context.archive)
    return with_items(
        frame, each.member, held_of(held, part, lambda key: json_bytes(each.item(context, values[key]))[:-1])
    )


def _part_path(name: str, number: int) -> str:
    return f"/{name}.json" if number == 1 else f"/{name}/{number}.json"


LEDGER = _List(
    "source-ledger",
    PublicSourceLedger,
    "sources",
    attrgetter("ledger"),
    _ledger_source,
    attrgetter("sources"),
    _as_of,
)
ORIGINS = _List(
    "source-entities",
    SourceOriginIndex,
    "items",
    attrgetter("origins"),
    _origin_item,
    attrgetter("origins"),
    attrgetter("archive.as_of"),
)

ALL = (
    Document[RenderContext](
        "source_ledger",
        "/source-ledger.json",
        JSON,
        Section.DISCOVERY,
        "Every source of the archive with the records that cite it.",
        partial(_outputs, LEDGER, 1, 1),
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
        partial(_outputs, LEDGER, 2, None),
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
        partial(_outputs, ORIGINS, 1, 1),
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
        partial(_outputs, ORIGINS, 2, None),
        "SourceOriginIndex",
        SourceOriginIndex,
        (PAGE_PARAMETER,),
        promised=False,
    ),
)
"""The ledger, the origins, and their further parts."""
