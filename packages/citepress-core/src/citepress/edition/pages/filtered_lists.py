"""A list under a query, as a page: made from the items of one part of the published index while it is asked for."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args
from urllib.parse import urlencode

from citepress.archive.contents import MARK_LENGTH
from citepress.base.slugs import tag_slug
from citepress.contract.kind import Kind, ListEntry
from citepress.contract.page import Block, Card, Fact, Facts, Link, Notice, Page, Table
from citepress.edition.data.parts import pager
from citepress.edition.pages.collection_models import enumerated, index_model
from citepress.edition.pages.collections import by_year, grouped
from citepress.edition.pages.facets import FacetValue, address, facets_block, label_of, rank_values
from citepress.kinds.parts import dated_link, words

ROWS = 4
"""A page of rows has so many times the records that a page of cards has."""
NARROWING = 2
"""Conditions from which on no further ones are linked, so that a crawler comes to an end."""
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")
Titles = Callable[[str, str], str]
"""``(facet, value) -> words`` that readers know it by."""
Row = tuple[Mapping[str, Any], ListEntry | None]
"""An item, and how lists show it where its kind says so."""


@dataclass(frozen=True, slots=True)
class ListQuery:
    """What a list is asked for."""

    conditions: Mapping[str, str]
    """Values of the conditions by name."""
    page: int = 1
    """The page of the records of this part that fit."""
    part: int = 1
    """The part of the index."""
    table: bool = False
    older: int = 0
    """The next part that may hold records that fit; 0 where there is none."""

    def members(self, *, page: int = 1, part: int | None = None) -> dict[str, str]:
        """The query of another page of the same list."""
        part = self.part if part is None else part
        paging = {"part": part, "page": page}
        view = {"view": "table"} if self.table else {}
        return {**self.conditions, **view, **{name: str(n) for name, n in paging.items() if n > 1}}


def filtered_page(kind: Kind, document: Mapping[str, Any], query: ListQuery, size: int, titles: Titles) -> Page:
    """The records of an index document that fit, as a page; ``document`` holds no others, ``size`` fill a page."""
    size *= ROWS if query.table else 1
    items = document["items"]
    rows = [(item, _listing(kind, item)) for item in items]
    rows.sort(key=lambda row: row[1].order if row[1] else ())
    pages = max(1, -(-len(items) // size))
    number = min(query.page, pages)
    shown = rows[(number - 1) * size : number * size]
    older = address(kind, query.members(part=query.older)) if query.older else ""
    return Page(
        f"/{kind.name}/",
        ": ".join([kind.plural, *filter(None, [_named(query, titles)])]),
        _sentence(kind, query, len(items), bool(older)),
        tuple(_blocks(kind, query, items, shown, (number, pages), older, titles)),
        label="Collection",
        template="list",
        crumbs=(Link("Home", "/"), Link(kind.plural, f"/{kind.name}/", kind.label_language)),
        indexed=False,
        data=index_model(kind).model_construct(**document),
        query="?" + urlencode(query.members(page=number)),
    )


def _named(query: ListQuery, titles: Titles) -> str:
    """What the list is narrowed to."""
    names = [titles(facet, value) for facet, value in query.conditions.items()]
    return ", ".join([*names, *(["table"] if query.table else [])])


def _sentence(kind: Kind, query: ListQuery, count: int, more: bool) -> str:
    noun = kind.noun(count)
    where = " in this part of the collection; there are older parts" if more or query.part > 1 else ""
    if not query.conditions:
        return f"{count:,} {noun}{where}."
    return (
        f"{count:,} {noun} {'meets' if count == 1 else 'meet'} the conditions{where}."
        if count
        else (f"No {kind.noun(1)} meets the conditions{where}.")
    )


def _blocks(
    kind: Kind,
    query: ListQuery,
    items: Sequence[Mapping[str, Any]],
    shown: Sequence[Row],
    place: tuple[int, int],
    older: str,
    titles: Titles,
) -> Iterator[Block]:
    if query.conditions or query.table:
        yield Facts("conditions", "Shown", tuple(_conditions(kind, query, titles)))
    if len(query.conditions) < NARROWING:
        chosen = {**query.conditions, **({"view": "table"} if query.table else {})}
        yield from facets_block(kind, _counted(kind, items, titles), chosen, len(items))
    if query.table and shown:
        yield _rows(kind, shown)
    elif shown:
        cards = [_card(kind, item, entry) for item, entry in shown]
        entries = [entry for _, entry in shown if entry]
        yield from grouped(cards, entries) if entries else by_year(cards)
    number, pages = place
    yield from pager(lambda n: address(kind, query.members(page=n)), number, pages)
    if older:
        yield Notice("older", "", f"Older {kind.noun()}", older)


def _conditions(kind: Kind, query: ListQuery, titles: Titles) -> Iterator[Fact]:
    """Each condition, with a link to the list without it."""
    for name, value in query.conditions.items():
        rest = {other: query.conditions[other] for other in query.conditions if other != name}
        rest |= {"view": "table"} if query.table else {}
        yield Fact(label_of(name), (Link(titles(name, value)), Link("remove", address(kind, rest))))
    if query.table:
        yield Fact("View", (Link("table"), Link("as cards", address(kind, query.conditions))))


def _counted(kind: Kind, items: Sequence[Mapping[str, Any]], titles: Titles) -> Iterator[FacetValue]:
    """The values that the items have; origins are none of what an index knows."""
    counts: dict[str, Counter[str]] = {
        "year": Counter(item["published_at"][:4] for item in items),
        **{name: Counter(item[name] for item in items) for name in enumerated(kind)},
        "topic": Counter(topic for item in items for topic in item["topics"]),
        "tag": Counter(tag_slug(tag) for item in items for tag in item["tags"]),
    }
    for facet, values in counts.items():
        rows = sorted(values.items(), reverse=True) if facet == "year" else rank_values(values, facet)
        yield from (FacetValue(facet, value, titles(facet, value), count) for value, count in rows)


def _listing(kind: Kind, item: Mapping[str, Any]) -> ListEntry | None:
    """How lists show an item; ``None`` of a kind whose lists go by date."""
    if kind.listing is None:
        return None
    model: Any = index_model(kind).model_fields["items"].annotation
    return kind.listing(get_args(model)[0].model_validate(item))


def _card(kind: Kind, item: Mapping[str, Any], entry: ListEntry | None) -> Card:
    published = datetime.fromisoformat(item["published_at"])
    return Card(
        item["title"],
        f"/{item['id']}/",
        item["summary"],
        date=published,
        marks=entry.marks if entry else _marks(kind, item),
        language=item["language"],
    )


def _marks(kind: Kind, item: Mapping[str, Any]) -> tuple[str, ...]:
    """The members that decide whether to read on, as far as they are short; a list shows no second date."""
    values = (item[name] for name in kind.deciding)
    short = (value for value in values if isinstance(value, str) and len(value) < MARK_LENGTH)
    return tuple(words(value) for value in short if value != item["summary"] and not _MOMENT.fullmatch(value))


def _rows(kind: Kind, shown: Sequence[Row]) -> Block:
    """One row for each record: what its kind lists, or its short members and its dates."""
    names = tuple(enumerated(kind))
    titles = [Link(item["title"], f"/{item['id']}/", item["language"]) for item, _ in shown]
    if cells := [entry.cells for _, entry in shown if entry]:
        return Table("rows", "", ("Title", *kind.columns), tuple(zip(titles, *zip(*cells, strict=True), strict=True)))
    rows = tuple(
        (
            title,
            *(Link(words(item[name])) for name in names),
            dated_link(datetime.fromisoformat(item["published_at"])),
            dated_link(datetime.fromisoformat(item["updated_at"])),
        )
        for title, (item, _) in zip(titles, shown, strict=True)
    )
    return Table("rows", "", ("Title", *map(label_of, names), "Published", "Updated"), rows)
