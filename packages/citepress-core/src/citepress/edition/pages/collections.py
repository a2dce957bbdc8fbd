"""The collections: an index of each kind, lists for people, and pages of full records."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from itertools import groupby
from typing import Any

from citepress.archive.model import Entry
from citepress.base.canonical import json_bytes
from citepress.base.media import JSON
from citepress.base.memo import memoized
from citepress.base.slugs import slugify
from citepress.base.timestamps import UNDATED, UNKNOWN, utc_year
from citepress.contract.document import PAGE_PARAMETER, SLUG, Document, Draft, Output, Pages, Section
from citepress.contract.kind import Kind, ListEntry
from citepress.contract.page import INTERFACE, Block, Card, Cards, Item, Link, Notice, Page
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.data.parts import (
    chain,
    held_items,
    held_of,
    link_values,
    listed,
    listed_page_count,
    page_count,
    pager,
    with_items,
)
from citepress.edition.feeds.entries import collection_feed, collection_path
from citepress.edition.pages.collection_models import (
    INDEX_ITEMS,
    Index,
    PageLink,
    RecordPage,
    index_filter,
    index_item,
    index_members,
    index_model,
    page_model,
    page_shape,
)
from citepress.edition.pages.facets import facets_of
from citepress.edition.prose.absolute import as_published
from citepress.edition.render_context import RenderContext, single
from citepress.kinds.parts import words
from citepress.kinds.record_page import record_inputs, record_page, records_to_render


def of_kind(kind: Kind) -> tuple[Document[RenderContext] | Pages[RenderContext], ...]:
    """Everything a kind publishes, from its one declaration."""
    return _list(kind), _record_pages(kind), _list_pages(kind), _older_index(kind), collection_feed(kind)


def _list(kind: Kind) -> Pages[RenderContext]:
    return Pages[RenderContext](
        kind.name.replace("-", "_"),
        f"/{kind.name}/",
        Section.RECORDS,
        f"All {kind.noun()}: {kind.about}",
        single(partial(_list_page, kind), f"list of {kind.name}"),
        kind.index,
        index_model(kind),
        promised=("json",) if kind.promised_index else (),
        resource=0.6,
        filters=index_filter(kind),
    )


def _record_pages(kind: Kind) -> Pages[RenderContext]:
    return Pages[RenderContext](
        f"{kind.name.replace('-', '_')}_record",
        f"/{kind.name}/{{slug}}/",
        Section.RECORDS,
        f"One {kind.noun(1)}.",
        _records(kind),
        kind.schema,
        kind.record,
        (SLUG,),
        promised=kind.promised_forms,
        touched=_touched_records(kind),
        cited=True,
    )


def _list_pages(kind: Kind) -> Pages[RenderContext]:
    return Pages[RenderContext](
        f"{kind.name.replace('-', '_')}_page",
        f"/{kind.name}/page/{{page}}/",
        Section.RECORDS,
        f"A page of {kind.noun()}.",
        _pages(kind),
        page_shape(kind) if kind.page_size else "",
        page_model(kind) if kind.page_size else None,
        (PAGE_PARAMETER,),
        promised=("json",) if kind.page_size else (),
    )


def _older_index(kind: Kind) -> Document[RenderContext]:
    return Document[RenderContext](
        f"{kind.name.replace('-', '_')}_index_part",
        f"/{kind.name}/index/{{page}}.json",
        JSON,
        Section.EXTRAS,
        f"An older part of the index of {kind.noun()}.",
        _older(kind),
        kind.index,
        index_model(kind),
        (PAGE_PARAMETER,),
        promised=False,
        filters=index_filter(kind),
    )


def _records(kind: Kind) -> Callable[[RenderContext], Iterable[Draft]]:
    def make(context: RenderContext) -> Iterator[Draft]:
        for entry in context.archive.collections[kind.name]:
            yield _record_draft(context, entry)
            if not context.derivations.lasting:
                entry.memo.clear()  # its page is written, and what little is asked for again is worked out again

    return make


def _record_draft(context: RenderContext, entry: Entry) -> Draft:
    archive = context.archive
    # A record is opened for its inputs as for its page: both are left to the process that renders it.
    return Draft(partial(record_page, entry, archive), partial(record_inputs, entry, archive), entry.path)


def _touched_records(kind: Kind) -> Callable[[RenderContext], Iterable[tuple[str, Draft | None]]]:
    def touched(context: RenderContext) -> Iterator[tuple[str, Draft | None]]:
        for id_ in records_to_render(context.edit) if context.edit else ():
            if id_.startswith(f"{kind.name}/"):
                entry = context.archive.entries.get(id_)
                yield f"/{id_}/", _record_draft(context, entry) if entry else None

    return touched


def _pages(kind: Kind) -> Callable[[RenderContext], Iterable[Draft]]:
    def make(context: RenderContext) -> Iterator[Draft]:
        count = _list_page_count(kind, context)
        for number in range(1, count + 1):
            part = _listed(kind, context, number)
            facets = repr(facets_of(context, kind)) if number == 1 else ""
            # The page of full records names the whole; a page for people only how many pages there are.
            whole = [context.archive.as_of, len(context.archive.collections[kind.name])] if kind.page_size else []
            inputs = [count, number, facets, whole or (not part and context.archive.as_of)]
            inputs.append(_digest_of(context, f"list of {kind.name} {number}", part))
            yield Draft(partial(_numbered_page, kind, context, number), inputs, f"/{kind.name}/page/{number}/")

    return make


def _older(kind: Kind) -> Callable[[RenderContext], Iterable[Output]]:
    def make(context: RenderContext) -> Iterator[Output]:
        entries = context.archive.collections[kind.name]
        held = held_items(context, f"index of {kind.name}", lambda edit: edit.records)
        for number in range(2, page_count(len(entries), INDEX_ITEMS) + 1):
            part = entries[(number - 1) * INDEX_ITEMS : number * INDEX_ITEMS]
            digest = _digest_of(context, f"index of {kind.name} {number}", part)
            inputs = [len(entries), context.archive.as_of, digest]
            relations = chain(partial(index_path, kind), number, page_count(len(entries), INDEX_ITEMS))
            links = link_values(context, relations)
            yield Output(partial(_index_body, kind, context, number, held), {"page": str(number)}, links, inputs=inputs)

    return make


def _digest_of(context: RenderContext, name: str, part: Sequence[Entry]) -> str:
    """A digest of what a part of a collection shows; worked out anew where a record in it differs."""
    return context.derivations.held(
        name, part, lambda: blake2b(b"".join([entry.digest for entry in part]), digest_size=16).hexdigest()
    )


def _index_body(kind: Kind, context: RenderContext, number: int, held: dict[str, bytes] | None) -> bytes:
    """An older part, joined from what it says of each record: each new record moves all of these by one place."""
    part = context.archive.collections[kind.name][(number - 1) * INDEX_ITEMS : number * INDEX_ITEMS]
    entries, (item, members) = context.archive.entries, index_members(kind)
    ids = [entry.head.id for entry in part]
    items = held_of(held, ids, lambda id_: json_bytes(index_item(entries[id_], item, members))[:-1])
    return with_items(index_of(kind, context, number, ()), "items", items)


def _list_page_count(kind: Kind, context: RenderContext) -> int:
    """Pages of the list of a kind."""
    records = len(context.archive.collections[kind.name])
    if kind.page_size:
        return page_count(records, kind.page_size)
    return listed_page_count(records, context.site.page_size)


def _listed(kind: Kind, context: RenderContext, number: int) -> Sequence[Entry]:
    """The records on a page of the list of a kind; those that the contract numbers are cut from the newest on."""
    entries, size = _ordered(kind, context), kind.page_size
    if size:
        return entries[(number - 1) * size : number * size]
    return listed(entries, number, _list_page_count(kind, context), context.site.page_size)


def _ordered(kind: Kind, context: RenderContext) -> Sequence[Entry]:
    """The records of a kind as its list for people goes through them."""
    entries, listing = context.archive.collections[kind.name], kind.listing
    if listing is None:
        return entries
    return context.derivations.held(
        f"order of {kind.name}", entries, lambda: tuple(sorted(entries, key=lambda entry: listing(entry.record).order))
    )


def index_of(kind: Kind, context: RenderContext, number: int = 1, part: Iterable[Entry] | None = None) -> Index:
    """Part ``number`` of the index of a kind, or its frame around another ``part``; part 1 holds the newest records."""
    entries = context.archive.collections[kind.name]
    item, members = index_members(kind)
    part = entries[(number - 1) * INDEX_ITEMS : number * INDEX_ITEMS] if part is None else part
    more = number * INDEX_ITEMS < len(entries)
    head: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "kind": kind.name,
        "as_of": context.archive.as_of,
        "count": len(entries),
        "total": len(entries),
        "next": context.url(index_path(kind, number + 1)) if more else None,
        "items": [
            memoized(entry.memo, "index item", item, partial(index_item, entry, item, members)) for entry in part
        ],
    }
    if kind.page_size:
        count = page_count(len(entries), kind.page_size)
        links = [PageLink(page=n, url=context.url(f"/{kind.name}/page/{n}.json")) for n in range(1, count + 1)]
        head |= {"page_count": count, "page_size": kind.page_size, "pages": links}
    return index_model(kind).model_construct(**head)


def _list_page(kind: Kind, context: RenderContext) -> Page:
    """The first page of a collection for people; its data is the whole index."""
    kind = context.labelled(kind)
    entries = context.archive.collections[kind.name]
    count = _list_page_count(kind, context)
    return Page(
        f"/{kind.name}/",
        kind.plural,
        kind.about,
        _list_blocks(kind, context, 1, count),
        label="Collection",
        title_language=kind.label_language,
        template="list",
        updated=max([entry.head.updated_at for entry in entries], default=None),
        crumbs=(Link("Home", "/"),),
        feeds=(Link(f"{kind.plural} (Atom)", collection_path(kind)),),
        data=index_of(kind, context),
        next=_page_path(kind, count, 2),
        links=chain(partial(_page_path, kind, count), 1, count),
        data_links=chain(partial(index_path, kind), 1, page_count(len(entries), INDEX_ITEMS)),
    )


def _numbered_page(kind: Kind, context: RenderContext, number: int) -> Page:
    kind = context.labelled(kind)
    count, part = _list_page_count(kind, context), _listed(kind, context, number)
    return Page(
        f"/{kind.name}/page/{number}/",
        f"{kind.plural}, page {number} of {count}",
        kind.about,
        _list_blocks(kind, context, number, count),
        label="Collection",
        title_language=kind.label_language,
        template="list",
        updated=max((entry.head.updated_at for entry in part), default=None),
        crumbs=(Link("Home", "/"), Link(kind.plural, f"/{kind.name}/", kind.label_language)),
        indexed=False,
        data=_page_data(kind, context, number, count, part) if kind.page_size else None,
        links=chain(partial(_page_path, kind, count), number, count),
        data_links=chain(partial(_data_path, kind), number, count),
        canonical=f"/{kind.name}/" if number == 1 else "",
        previous=_page_path(kind, count, number - 1),
        next=_page_path(kind, count, number + 1),
    )


def _page_data(kind: Kind, context: RenderContext, number: int, count: int, part: Sequence[Entry]) -> RecordPage:
    near = chain(partial(_data_path, kind), number, count)
    model: Any = page_model(kind)
    page: RecordPage = model.model_construct(
        schema_version=SCHEMA_VERSION,
        kind=kind.name,
        as_of=context.archive.as_of,
        count=len(context.archive.collections[kind.name]),
        page=number,
        page_count=count,
        next=context.url(near["next"]) if "next" in near else None,
        prev=context.url(near["prev"]) if "prev" in near else None,
        items=[as_published(entry.record, context, entry.path) for entry in part],
    )
    return page


def _page_path(kind: Kind, count: int, number: int) -> str:
    """The page for people with this number; the first is the collection's own, empty where there is none."""
    if not 1 <= number <= count:
        return ""
    return f"/{kind.name}/" if number == 1 else f"/{kind.name}/page/{number}/"


def _data_path(kind: Kind, number: int) -> str:
    """The page of full records with this number."""
    return f"/{kind.name}/page/{number}.json"


def index_path(kind: Kind, number: int) -> str:
    """The part of the index with this number."""
    return f"/{kind.name}.json" if number == 1 else f"/{kind.name}/index/{number}.json"


def _list_blocks(kind: Kind, context: RenderContext, number: int, count: int) -> tuple[Block, ...]:
    kind = context.labelled(kind)
    part = _listed(kind, context, number)
    if not part:
        return (Notice("empty", "", f"The archive holds no {kind.noun()} yet."),)
    cards = tuple(card(entry, listed=True) for entry in part)
    groups = [kind.listing(entry.record) for entry in part] if kind.listing else ()
    blocks = grouped(cards, groups) if groups else by_year(cards)
    if number == 1:
        blocks = (*facets_of(context, kind), *blocks)
    return (*blocks, *pager(partial(_page_path, kind, count), number, count))


def by_year(cards: Sequence[Card]) -> tuple[Block, ...]:
    """Cards under the years of their dates, where there is more than one."""
    years = [(year, tuple(part)) for year, part in groupby(cards, lambda card: card.date and utc_year(card.date))]
    if len(years) == 1 or len({year for year, _ in years}) < len(years):
        return (Cards("records", "", tuple(cards)),)
    names = {year: str(year) if year != UNKNOWN.year else UNDATED for year, _ in years}
    return tuple(Cards(f"in-{names[year]}", names[year].capitalize(), part) for year, part in years)


def grouped(cards: Iterable[Card], rows: Iterable[ListEntry]) -> tuple[Block, ...]:
    """Cards under the headings of their entries, with what these have drawn, and without dates of publication."""
    drawn = ((row.group, replace(card, date=None, chance=row.chance)) for card, row in zip(cards, rows, strict=True))
    return tuple(
        Cards(slugify(group), group, tuple(card for _, card in part))
        for group, part in groupby(drawn, lambda pair: pair[0])
    )


def rest(count: int, shown: int, path: str) -> tuple[Item, ...]:
    """Where the others are, if not all are shown."""
    return (Item("", href=path, title=f"All {count:,}", title_language=INTERFACE),) if count > shown else ()


def card(entry: Entry, *, listed: bool = False) -> Card:
    """A record as a list shows it; ``listed`` by a list of its own kind, which names that kind once for all."""
    head = entry.head
    return Card(
        head.title,
        entry.path,
        head.summary,
        "" if listed else entry.kind.singular,
        head.published_at,
        tuple(map(words, head.marks)),
        head.language,
        entry.kind.label_language,
    )
