"""The types of the collections: the index of each kind, and its pages of full records."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import Field, create_model

from citepress.archive.model import Entry
from citepress.contract.index_filter import IndexFilter
from citepress.contract.kind import Kind
from citepress.contract.member_texts import TextOf
from citepress.contract.model import Model, Moment, constructed

INDEX_ITEMS = 1000
"""Items of one index document; a larger collection goes on at ``/<collection>/index/<page>.json``."""


class IndexItem(Model):
    """A record in an index: enough to decide whether to read it."""

    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    slug: str
    """The record's name in its paths."""
    title: str
    """The headline."""
    summary: str
    """One or two sentences that can be quoted on their own."""
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
    tags: list[str]
    """Free words."""
    language: str
    """BCP 47 language tag."""


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
    total: int | None
    """Records in all parts, of a narrowed index those that fit; null where several parts may hold some and their number
    is not known, as for several conditions together."""
    next: str | None
    """URL of the older part of the index, when there is one; of a narrowed index of the next one that may hold a record
    that fits."""


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
    members, described = kind.record.model_fields, TextOf(kind.record)
    deciding: dict[str, Any] = {
        name: (Annotated[members[name].annotation, described], members[name]) for name in kind.deciding
    }
    item = create_model(f"{kind.index}Item", __base__=IndexItem, __doc__=f"A {kind.noun(1)} in the index.", **deciding)
    base = PagedIndex if kind.page_size else Index
    items: Any = (list[item], Field(description="The newest records."))
    return create_model(kind.index, __base__=base, __doc__=f"{kind.plural}: {kind.about}", items=items)


def index_members(kind: Kind) -> tuple[Any, list[str]]:
    """The model of an item of the index of a kind, and its members."""
    item = get_args(index_model(kind).model_fields["items"].annotation)[0]
    return item, [*IndexItem.model_fields, *kind.deciding]


def index_item(entry: Entry, item: Any, members: Iterable[str]) -> Any:  # noqa: ANN401  (of a kind)
    """What an index says of a record."""
    record = entry.record
    return constructed(item, {name: getattr(record, name) for name in members})


@lru_cache(maxsize=64)
def enumerated(kind: Kind) -> dict[str, tuple[str, ...]]:
    """The members of an index item that have one of a few values, with these: what else an index is filtered by."""
    members = {name: kind.record.model_fields[name].annotation for name in kind.deciding}
    return {name: get_args(type_) for name, type_ in members.items() if get_origin(type_) is Literal}


@lru_cache(maxsize=64)
def index_filter(kind: Kind) -> type[IndexFilter]:
    """The conditions by which the index of a kind is filtered."""
    members: dict[str, Any] = {
        name: (kind.record.model_fields[name].annotation | None, Field(None, description=f"This {name}, exactly."))
        for name in enumerated(kind)
    }
    return create_model(f"{kind.index}Filter", __base__=IndexFilter, **members)


@lru_cache(maxsize=64)
def page_model(kind: Kind) -> type[RecordPage]:
    """The type of a page of full records of a kind."""
    items: Any = (list[kind.record], Field(description="Full records."))  # type: ignore[name-defined]
    return create_model(
        page_shape(kind), __base__=RecordPage, __doc__=f"One page of full records: {kind.about}", items=items
    )


def page_shape(kind: Kind) -> str:
    """``SignalPage`` for the kind whose index is ``SignalIndex``."""
    return kind.index.removesuffix("Index") + "Page"
