"""The collections: an index of each kind, lists for people, and pages of full records."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from pydantic import Field, create_model

from citepress.archive.model import Archive, Entry
from citepress.base.canonical import json_bytes
from citepress.base.media import JSON
from citepress.contract.document import PAGE, SLUG, Document, Draft, Output, Pages, Section
from citepress.contract.index_filter import IndexFilter
from citepress.contract.kind import Kind
from citepress.contract.model import Model, Moment
from citepress.contract.page import Block, Card, Cards, Facets, Fact, Link, Notice, Page, Pager
from citepress.contract.record import ALWAYS_THERE
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.forms.absolute import with_whole_links
from citepress.edition.render_context import RenderContext
from citepress.kinds.parts import words
from citepress.kinds.record_page import record_inputs, record_page

INDEX_ITEMS = 1000
"""Items of one index document; a larger collection goes on at ``/<collection>/index/<page>.json``."""
FACET_LINKS = 40


class IndexItem(Model):
    """A record in an index: enough to decide whether to read it."""

    model_config = ALWAYS_THERE

    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    slug: str
    """The record's name in its paths."""
    title: str
    """The headline."""
    summary: str
    """One or two sentences that stand alone."""
    html_url: str
    """The page for people."""
    markdown_url: str
    """The Markdown twin."""
    json_url: str
    """The full record."""
    published_at: Moment
    """First publication."""
    updated_at: Moment
    """Last change."""
    topics: list[str]
    """Slugs of topic hubs."""


class Index(Model):
    """The records of one collection, newest first."""

    schema_version: int
    """Version of this document's schema."""
    kind: str
    """The collection."""
    as_of: Moment
    """The newest record date of the archive."""
    count: int
    """Records in the whole collection; of an index narrowed by its query those of this part that fit."""
    next: str | None
    """URL of the older part of the index, when there is one."""


class PageLink(Model):
    """One page of full records."""

    page: int
    """Its number, counted from 1."""
    url: str
    """Its address."""


class PagedIndex(Index):
    """An index whose full records are served in pages."""

    page_count: int
    """Pages of full records."""
    page_size: int
    """Records a page."""
    pages: list[PageLink]
    """Every page in order."""


class RecordPage(Model):
    """Full records of a collection, newest first."""

    schema_version: int
    """Version of this document's schema."""
    kind: str
    """The collection."""
    as_of: Moment
    """The newest record date of the archive."""
    count: int
    """Records in the whole collection."""
    page: int
    """This page's number, counted from 1."""
    page_count: int
    """Pages in all."""
    next: str | None
    """URL of the next page."""
    prev: str | None
    """URL of the page before."""


@lru_cache(maxsize=64)
def index_model(kind: Kind) -> type[Index]:
    """The index type of a kind: its items repeat the members that decide whether to read on."""
    deciding: dict[str, Any] = {name: (kind.record.model_fields[name].annotation, kind.record.model_fields[name]) for name in kind.deciding}
    item = create_model(f"{kind.index}Item", __base__=IndexItem, __doc__=f"A {kind.singular.lower()} in the index.", **deciding)
    base = PagedIndex if kind.page_size else Index
    items: Any = (list[item], Field(description="The newest records."))
    return create_model(kind.index, __base__=base, __doc__=f"{kind.plural}: {kind.about}", items=items)


@lru_cache(maxsize=64)
def page_model(kind: Kind) -> type[RecordPage]:
    """The type of a page of full records of a kind."""
    items: Any = (list[kind.record], Field(description="Full records."))  # type: ignore[name-defined]
    return create_model(page_shape(kind), __base__=RecordPage, __doc__=f"One page of full records: {kind.about}", items=items)


def page_shape(kind: Kind) -> str:
    """``SignalPage`` for the kind whose index is ``SignalIndex``."""
    return kind.index.removesuffix("Index") + "Page"


def of_kind(kind: Kind) -> tuple[Document[RenderContext] | Pages[RenderContext], ...]:
    """Everything a kind publishes, from its one declaration."""
    plural = kind.plural.lower()
    lists = Pages[RenderContext](
        kind.name.replace("-", "_"), f"/{kind.name}/", Section.RECORDS, f"All {plural}: {kind.about}", _lists(kind),
        kind.index, index_model(kind), promised=("json",) if kind.promised_index else (), resource=0.6, filters=IndexFilter,
    )  # fmt: skip
    records = Pages[RenderContext](
        f"{kind.name.replace('-', '_')}_record", f"/{kind.name}/{{slug}}/", Section.RECORDS, f"One {kind.singular.lower()}.", _records(kind),
        kind.schema, kind.record, (SLUG,), promised=kind.promised_forms,
    )  # fmt: skip
    paged = Pages[RenderContext](
        f"{kind.name.replace('-', '_')}_page", f"/{kind.name}/page/{{page}}/", Section.RECORDS, f"A page of {plural}.", _pages(kind),
        page_shape(kind) if kind.page_size else "", page_model(kind) if kind.page_size else None, (PAGE,),
        promised=("json",) if kind.page_size else (),
    )  # fmt: skip
    older = Document[RenderContext](
        f"{kind.name.replace('-', '_')}_index_part", f"/{kind.name}/index/{{page}}.json", JSON, Section.EXTRAS,
        f"An older part of the index of {plural}.", _older(kind), kind.index, index_model(kind), (PAGE,), promised=False, filters=IndexFilter,
    )  # fmt: skip
    return lists, records, paged, older


def _records(kind: Kind) -> Callable[[RenderContext], Iterable[Draft]]:
    def make(desk: RenderContext) -> Iterator[Draft]:
        for entry in desk.archive.collections[kind.name]:
            yield Draft(partial(record_page, entry, desk.archive), record_inputs(entry, desk.archive))

    return make


def _lists(kind: Kind) -> Callable[[RenderContext], Iterable[Draft]]:
    return lambda desk: [Draft(partial(_list_page, kind, desk, 1))]


def _pages(kind: Kind) -> Callable[[RenderContext], Iterable[Draft]]:
    def make(desk: RenderContext) -> Iterator[Draft]:
        entries, size = desk.archive.collections[kind.name], _page_size(kind, desk)
        for number in range(1, page_count(len(entries), size) + 1):
            part = entries[(number - 1) * size : number * size]
            inputs = [len(entries), desk.archive.as_of, number, *(entry.digest.hex() for entry in part)]
            yield Draft(partial(_numbered_page, kind, desk, number), inputs)

    return make


def _older(kind: Kind) -> Callable[[RenderContext], Iterable[Output]]:
    def make(desk: RenderContext) -> Iterator[Output]:
        entries = desk.archive.collections[kind.name]
        for number in range(2, page_count(len(entries), INDEX_ITEMS) + 1):
            part = entries[(number - 1) * INDEX_ITEMS : number * INDEX_ITEMS]
            inputs = [len(entries), desk.archive.as_of, *(entry.digest.hex() for entry in part)]
            relations = chain(partial(_index_path, kind), number, page_count(len(entries), INDEX_ITEMS))
            modified = max(entry.record.updated_at for entry in part)
            links = link_values(desk, relations)
            yield Output(partial(_index_body, kind, desk, number), {"page": str(number)}, modified, links, inputs=inputs)

    return make


def _index_body(kind: Kind, desk: RenderContext, number: int) -> bytes:
    return json_bytes(index_of(kind, desk, number))


def page_count(records: int, size: int) -> int:
    """Pages that so many records fill; an empty collection has one."""
    return max(1, -(-records // size))


def _page_size(kind: Kind, desk: RenderContext) -> int:
    return kind.page_size or desk.site.page_size


def index_of(kind: Kind, desk: RenderContext, number: int = 1) -> Index:
    """Part ``number`` of the index of a kind; part 1 holds the newest records."""
    entries = desk.archive.collections[kind.name]
    model = index_model(kind)
    item = model.model_fields["items"].annotation.__args__[0]  # type: ignore[union-attr]
    members = [*IndexItem.model_fields, *kind.deciding]
    part = entries[(number - 1) * INDEX_ITEMS : number * INDEX_ITEMS]
    more = number * INDEX_ITEMS < len(entries)
    head: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "kind": kind.name,
        "as_of": desk.archive.as_of,
        "count": len(entries),
        "next": desk.url(_index_path(kind, number + 1)) if more else None,
        "items": [item.model_construct(**{name: getattr(entry.record, name) for name in members}) for entry in part],
    }
    if kind.page_size:
        count = page_count(len(entries), kind.page_size)
        links = [PageLink(page=n, url=desk.url(f"/{kind.name}/page/{n}.json")) for n in range(1, count + 1)]
        head |= {"page_count": count, "page_size": kind.page_size, "pages": links}
    return model.model_construct(**head)


def _list_page(kind: Kind, desk: RenderContext, number: int) -> Page:
    """The first page of a collection for people; its data is the whole index."""
    entries = desk.archive.collections[kind.name]
    count = page_count(len(entries), _page_size(kind, desk))
    return Page(
        f"/{kind.name}/", kind.plural, kind.about, _list_blocks(kind, desk, number, count), label="Collection", template="list",
        updated=max((entry.record.updated_at for entry in entries), default=None),
        crumbs=(Link("Home", "/"),), data=index_of(kind, desk), next=_page_path(kind, 2, count),
        links=_paging(kind, 1, count), data_links=chain(partial(_index_path, kind), 1, page_count(len(entries), INDEX_ITEMS)),
    )  # fmt: skip


def _numbered_page(kind: Kind, desk: RenderContext, number: int) -> Page:
    entries, size = desk.archive.collections[kind.name], _page_size(kind, desk)
    count = page_count(len(entries), size)
    part = entries[(number - 1) * size : number * size]
    return Page(
        f"/{kind.name}/page/{number}/", f"{kind.plural}, page {number} of {count}", kind.about, _list_blocks(kind, desk, number, count),
        label="Collection", template="list", updated=max((entry.record.updated_at for entry in part), default=None),
        crumbs=(Link("Home", "/"), Link(kind.plural, f"/{kind.name}/")), indexed=False,
        data=_page_data(kind, desk, number, count, part) if kind.page_size else None, links=_paging(kind, number, count),
        data_links=chain(partial(_data_path, kind), number, count), canonical=f"/{kind.name}/" if number == 1 else "",
        previous=_page_path(kind, number - 1, count), next=_page_path(kind, number + 1, count),
    )  # fmt: skip


def _page_data(kind: Kind, desk: RenderContext, number: int, count: int, part: Sequence[Entry]) -> RecordPage:
    def url(n: int) -> str | None:
        return desk.url(_data_path(kind, n)) if 1 <= n <= count else None

    model: Any = page_model(kind)
    page: RecordPage = model.model_construct(
        schema_version=SCHEMA_VERSION, kind=kind.name, as_of=desk.archive.as_of, count=len(desk.archive.collections[kind.name]),
        page=number, page_count=count, next=url(number + 1), prev=url(number - 1), items=[with_whole_links(entry.record, desk, entry.path) for entry in part],
    )  # fmt: skip
    return page


def _page_path(kind: Kind, number: int, count: int) -> str:
    """The page for people with this number; the first is the collection's own, empty where there is none."""
    if not 1 <= number <= count:
        return ""
    return f"/{kind.name}/" if number == 1 else f"/{kind.name}/page/{number}/"


def _data_path(kind: Kind, number: int) -> str:
    """The page of full records with this number."""
    return f"/{kind.name}/page/{number}.json"


def _index_path(kind: Kind, number: int) -> str:
    """The part of the index with this number."""
    return f"/{kind.name}.json" if number == 1 else f"/{kind.name}/index/{number}.json"


def chain(path: Callable[[int], str], number: int, count: int) -> dict[str, str]:
    """Link relations (RFC 8288) of a part among its parts, as paths; none where it is the only one."""
    parts = {"first": 1, "prev": number - 1, "next": number + 1, "last": count}
    return {rel: path(n) for rel, n in parts.items() if 1 <= n <= count} if count > 1 else {}


def link_values(desk: RenderContext, relations: Mapping[str, str]) -> tuple[str, ...]:
    """Relations as values of ``Link`` fields."""
    return tuple(f'<{desk.url(path)}>; rel="{rel}"' for rel, path in relations.items())


def _paging(kind: Kind, number: int, count: int) -> dict[str, str]:
    """Link relations between the pages of a collection for people."""
    return chain(lambda n: _page_path(kind, n, count), number, count)


def _list_blocks(kind: Kind, desk: RenderContext, number: int, count: int) -> tuple[Block, ...]:
    entries, size = desk.archive.collections[kind.name], _page_size(kind, desk)
    part = entries[(number - 1) * size : number * size]
    if not part:
        return (Notice("empty", "", f"The archive holds no {kind.plural.lower()} yet."),)
    blocks: tuple[Block, ...] = (Cards("records", "", tuple(map(card, part))),)
    if count > 1:
        pages = [_page_path(kind, n, count) for n in (1, number - 1, number + 1, count)]
        blocks += (Pager("pages", "Pages", number, count, *pages),)
    if facets := _topic_facets(kind, desk.archive):
        blocks += (Facets("topics", "By topic", (Fact("Topics", facets),)),)
    return blocks


def _topic_facets(kind: Kind, archive: Archive) -> tuple[Link, ...]:
    counted = [(slug, sum(entry.kind is kind for entry in members)) for slug, members in archive.topics.items()]
    ranked = sorted(((slug, n) for slug, n in counted if n), key=lambda row: (-row[1], row[0]))[:FACET_LINKS]
    hubs = [(archive.entry(f"topics/{slug}"), n) for slug, n in ranked]
    return tuple(Link(f"{hub.record.title} ({n})", hub.path, hub.record.language) for hub, n in hubs if hub)


def card(entry: Entry) -> Card:
    """A record as a list shows it."""
    record = entry.record
    marks = tuple(
        words(value) for name in entry.kind.deciding if isinstance(value := getattr(record, name), str) and len(value) < FACET_LINKS
    )
    return Card(record.title, entry.path, record.summary, entry.kind.singular, record.published_at, marks, record.language)
