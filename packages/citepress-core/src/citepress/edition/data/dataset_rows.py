"""Rows of a dataset that meet conditions on its columns, as a page: made while it is asked for, from the row index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from citepress.base.text import bounded
from citepress.contract.page import INTERFACE, Block, Facets, Fact, Facts, Link, Page
from citepress.contract.page import Table as PageTable
from citepress.edition.data.column_facets import ColumnFacet, RowIndex
from citepress.edition.data.dataset_models import DatasetDescription, DatasetFacet, DatasetFacetValue
from citepress.edition.data.parts import pager
from citepress.edition.render_context import RenderContext

PAGE_ROWS, CELL = 50, 120
"""Rows of a page, in every form, and characters of a cell on a page for people."""
NARROWING = 2
"""Conditions from which on no further ones are linked, so that a crawler comes to an end."""


@dataclass(frozen=True, slots=True)
class RowQuery:
    """What the rows of a dataset are asked for."""

    conditions: Mapping[str, str]
    """Values by column."""
    page: int = 1

    def at(self, page: int) -> str:
        """The query of another page of the same rows."""
        return query_of(self.conditions, page)


def query_of(conditions: Mapping[str, str], page: int = 1) -> str:
    """Conditions as a query, with its question mark; nothing without any."""
    members = {**conditions, **({"page": str(page)} if page > 1 else {})}
    return "?" + urlencode(members) if members else ""


def facet_models(data_url: str, facets: Iterable[ColumnFacet], chosen: Mapping[str, str]) -> list[DatasetFacet]:
    """The facets of a dataset as documents have them, for the columns without a condition."""
    return [
        DatasetFacet(
            column=facet.column,
            values=[
                DatasetFacetValue(value=value, count=count, url=data_url + query_of({**chosen, facet.column: value}))
                for value, count in facet.values
            ],
        )
        for facet in facets
        if facet.column not in chosen
    ]


def facets_of_dataset(
    path: str, facets: Iterable[ColumnFacet], chosen: Mapping[str, str], total: int
) -> tuple[Block, ...]:
    """Links that narrow the rows of a dataset by one more condition."""
    groups = tuple(
        Fact(facet.column, links)
        for facet in facets
        if facet.column not in chosen
        and (
            links := tuple(
                Link(f"{value} ({count:,})", path + query_of({**chosen, facet.column: value}))
                for value, count in facet.values
                if count < total
            )
        )
    )
    return (Facets("facets", "Narrow the rows", groups, text_language=INTERFACE),) if groups else ()


def select_rows(
    document: Mapping[str, Any], index: RowIndex, query: RowQuery
) -> tuple[dict[str, Any], list[tuple[int, int]]]:
    """The description of a dataset under a query, still without its rows, and where these are in the CSV."""
    matching = index.matching(query.conditions)
    count = matching.bit_count()
    pages = max(1, -(-count // PAGE_ROWS))
    page = min(query.page, pages)
    url = document["json_url"]
    further = () if len(query.conditions) >= NARROWING else index.counted(matching)
    selection: dict[str, Any] = {
        "conditions": dict(query.conditions),
        "count": count,
        "page": page,
        "page_count": pages,
        "rows": [],
        "next": url + query.at(page + 1) if page < pages else None,
    }
    facets = [facet.model_dump() for facet in facet_models(url, further, query.conditions)]
    return {**document, "facets": facets, "selection": selection}, list(
        index.places(matching, (page - 1) * PAGE_ROWS, PAGE_ROWS)
    )


def selected_page(context: RenderContext, document: Mapping[str, Any], rows: Sequence[Sequence[str]]) -> Page:
    """The rows of a dataset that meet a query, as a page; ``rows`` are their cells as the CSV has them."""
    path, selection = f"/datasets/{document['name']}/", document["selection"]
    named = ", ".join(f"{column} {value}" for column, value in selection["conditions"].items())
    count, total = selection["count"], document["row_count"]
    return Page(
        path,
        f"{document['title']}: {named}",
        f"{count:,} of {total:,} rows of {document['title']}, {document['version']}.",
        tuple(_blocks(path, document, rows)),
        label="Dataset",
        language=context.site.language,
        updated=datetime.fromisoformat(document["updated_at"]),
        license=document["license"],
        crumbs=(
            Link("Home", "/"),
            Link("Datasets", "/datasets/"),
            Link(document["title"], path, context.site.language),
        ),
        indexed=False,
        data=DatasetDescription.model_construct(**document),
        query=RowQuery(selection["conditions"]).at(selection["page"]),
    )


def _blocks(path: str, document: Mapping[str, Any], rows: Sequence[Sequence[str]]) -> Iterator[Block]:
    selection = document["selection"]
    query = RowQuery(selection["conditions"], selection["page"])
    yield Facts("conditions", "Shown", tuple(_conditions(path, query)), text_language=INTERFACE)
    further = (
        ColumnFacet(facet["column"], tuple((value["value"], value["count"]) for value in facet["values"]))
        for facet in document["facets"]
    )
    yield from facets_of_dataset(path, further, query.conditions, selection["count"])
    names = tuple(column["name"] for column in document["columns"])
    first = (query.page - 1) * PAGE_ROWS
    shown = f"Rows {first + 1:,} to {first + len(rows):,} of {selection['count']:,}." if rows else "No row meets them."
    yield PageTable("preview", "Rows", names, tuple(tuple(map(cell_link, row)) for row in rows), shown)
    yield from pager(lambda n: path + query.at(n), query.page, selection["page_count"])


def _conditions(path: str, query: RowQuery) -> Iterator[Fact]:
    """Each condition, with a link to the rows without it."""
    for column, value in query.conditions.items():
        rest = {other: query.conditions[other] for other in query.conditions if other != column}
        yield Fact(column, (Link(value), Link("remove", path + query_of(rest))))


def cell_link(text: str) -> Link:
    """A cell as a page shows it: shortened, and a link where it is an address."""
    return Link(bounded(text, CELL), text if text.startswith(("https://", "http://")) and " " not in text else "")
