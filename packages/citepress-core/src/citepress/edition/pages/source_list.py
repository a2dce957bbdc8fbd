"""The list of all sources for people, in pages."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Archive
from citepress.base.text import counted
from citepress.contract.document import PAGE_PARAMETER, Draft, Pages, Section
from citepress.contract.page import Items, Link, Page
from citepress.edition.data.parts import chain, listed, listed_page_count, pager
from citepress.edition.pages.sources import evidence_line, shown_state, source_list_path
from citepress.edition.render_context import RenderContext

PAGE_SOURCES = 100
"""Sources on a page; the first takes what is left over."""
MAX_SHOWN_RECORDS = 20
"""Records that follow a source."""
Row: TypeAlias = tuple[tuple[float, str], str]
"""The place of the first record that cited a source among all, and the normalised address of the source."""


class _ListOrder(NamedTuple):
    """All sources that records cite, in the order of their list, and what an edit changed of that."""

    rows: tuple[Row, ...]
    former: tuple[Row, ...]
    """Before the edit."""
    differing: frozenset[str] = frozenset()
    """Sources that the edit changed, or that a record cites whose title or date it changed."""


def _list_order(context: RenderContext) -> _ListOrder:
    """Those cited for the first time by the newest records first; within a record by address."""

    def rows(archive: Archive, urls: Iterable[str]) -> Iterator[Row]:
        entries, ledger = archive.entries, archive.ledger
        for source in [ledger[url] for url in urls if url in ledger]:
            if citing := source.cited_by:
                yield max([entries[id_].order for id_ in citing]), source.url

    def update(order: _ListOrder, edit: ArchiveEdit) -> _ListOrder:
        former, differing = order.rows, _differing_sources(edit)
        if not differing:
            return _ListOrder(former, former)
        stayed = [row for row in former if row[1] not in differing]
        return _ListOrder(tuple(sorted([*stayed, *rows(edit.after, differing)])), former, differing)

    archive = context.archive
    return context.derivations.maintained(
        "sources in order", lambda: _ListOrder(tuple(sorted(rows(archive, archive.ledger))), ()), update
    )


def _lists(context: RenderContext) -> Iterator[Draft]:
    rows = _list_order(context).rows
    return (_list_draft(context, rows, number) for number in range(1, _list_page_count(rows) + 1))


def _touched_lists(context: RenderContext) -> Iterator[tuple[str, Draft | None]]:
    rows, former, differing = _list_order(context)
    count, before = _list_page_count(rows), _list_page_count(former)
    for number in range(1, max(count, before) + 1):
        part = listed(rows, number, count, PAGE_SOURCES)
        shifted = count != before or part != listed(former, number, count, PAGE_SOURCES)
        if shifted or not differing.isdisjoint([url for _, url in part]):
            yield source_list_path(number), _list_draft(context, rows, number) if number <= count else None


def _differing_sources(edit: ArchiveEdit) -> frozenset[str]:
    """The sources that an edit changed, and those of a record that others show otherwise now."""
    renamed = {id_ for id_ in edit.records if len({entry.face for entry in edit.versions(id_)}) > 1}
    records = (entry.record for id_ in renamed for entry in edit.versions(id_))
    return edit.sources.union(use.normalized_url for record in records for use in record.uses)


def _list_page_count(rows: tuple[Row, ...]) -> int:
    return listed_page_count(len(rows), PAGE_SOURCES) if rows else 0


def _list_draft(context: RenderContext, rows: tuple[Row, ...], number: int) -> Draft:
    """A page of all sources, which is compared by what it shows of each."""
    ledger, entries, count = context.archive.ledger, context.archive.entries, _list_page_count(rows)
    part = [url for _, url in listed(rows, number, count, PAGE_SOURCES)]
    total = len(rows) if number == 1 else None  # on one page alone, so that a new source leaves the others as they are

    def inputs() -> object:
        read: list[object] = [number, count, total]
        for source in map(ledger.__getitem__, part):
            citing = source.cited_by
            faces = b"".join([entries[id_].face for id_ in citing[:MAX_SHOWN_RECORDS]]).hex()
            shown = source.cited_url, source.title, source.publisher, source.published_at
            read.append((*shown, shown_state(context, source), len(citing), faces))
        return read

    return Draft(partial(_list, context, part, number, count, total), inputs, source_list_path(number))


def _list(context: RenderContext, part: Sequence[str], number: int, count: int, total: int | None) -> Page:
    """A page of all sources, each with its state and the records that cite it."""
    items = tuple(
        evidence_line(context, source, "", MAX_SHOWN_RECORDS)
        for source in map(context.archive.ledger.__getitem__, part)
    )
    return Page(
        source_list_path(number),
        f"All sources, page {number} of {count}" if count > 1 else "All sources",
        f"{counted(total, 'source') if total else 'Sources'} with the records that cite each, newest first.",
        (Items("all-sources", "", items), *pager(source_list_path, number, count)),
        label="Sources",
        crumbs=(Link("Home", "/"), Link("Sources", "/sources/")),
        links=chain(source_list_path, number, count),
        previous=source_list_path(number - 1) if number > 1 else "",
        next=source_list_path(number + 1) if number < count else "",
    )


ALL = (
    Pages[RenderContext](
        "sources_page",
        "/sources/page/{page}/",
        Section.EXTRAS,
        "A page of all sources with the records that cite each, for people.",
        _lists,
        parameters=(PAGE_PARAMETER,),
        touched=_touched_lists,
    ),
)
