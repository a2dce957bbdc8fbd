"""The bibliography of the archive: every record and dataset as BibTeX, in parts where there are many."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from heapq import merge
from itertools import islice
from operator import attrgetter

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Archive, Dataset
from citepress.base.media import BIBTEX
from citepress.contract.document import PAGE_PARAMETER, Document, Output, Section
from citepress.edition.citations import bibtex
from citepress.edition.data.datasets import dataset_citation
from citepress.edition.render_context import RenderContext
from citepress.kinds.record_page import citation

LIBRARY_PATH = "/library.bib"
ENTRIES = 500
"""Entries of one part, on average; of the first file at most."""


@dataclass(slots=True)
class _Library:
    """Entries by part and id, and each part as it is published."""

    parts: list[dict[str, str]]
    written: list[bytes]


def _library(context: RenderContext) -> _Library:
    """Every entry; an edit writes only the parts that it touches."""

    def whole() -> _Library:
        ids = [*context.archive.entries, *_datasets(context.archive)]
        parts: list[dict[str, str]] = [{} for _ in range(_count(len(ids)))]
        for id_ in ids:
            if entry := _entry(context, id_):
                parts[_place(id_, len(parts))][id_] = entry
        return _Library(parts, list(map(_written, parts)))

    def update(library: _Library, edit: ArchiveEdit) -> _Library:
        ids = {*edit.records, *_datasets(edit.before), *_datasets(edit.after)}
        places = {id_: _place(id_, len(library.parts)) for id_ in sorted(ids)}
        for id_, place in places.items():
            library.parts[place].pop(id_, None)
            if entry := _entry(context, id_):
                library.parts[place][id_] = entry
        if len(library.parts) != _count(sum(map(len, library.parts))):
            return whole()
        for place in {*places.values()}:
            library.written[place] = _written(library.parts[place])
        return library

    return context.derivations.maintained("library", whole, update)


def _datasets(archive: Archive) -> dict[str, Dataset]:
    return {f"datasets/{dataset.name}": dataset for dataset in archive.datasets}


def _entry(context: RenderContext, id_: str) -> str | None:
    """The entry of a record or dataset; ``None`` where it is not published."""
    archive = context.archive
    if entry := archive.entries.get(id_):
        cited = citation(entry, archive)
    elif dataset := _datasets(archive).get(id_):
        cited = dataset_citation(context, dataset)
    else:
        return None
    return bibtex.entry(cited, abstract=False)


def _count(entries: int) -> int:
    """As many parts as that number of entries needs, a power of two."""
    count = 1
    while count * ENTRIES < entries:
        count *= 2
    return count


def _place(id_: str, count: int) -> int:
    """The part of an id: new records move none of the others."""
    return int.from_bytes(blake2b(id_.encode(), digest_size=8).digest(), "big") % count


def _written(entries: Mapping[str, str]) -> bytes:
    return "\n".join(text for _, text in sorted(entries.items())).encode()


def _first(context: RenderContext) -> Iterable[Output]:
    """Everything, or the newest records and where the parts are."""
    library = _library(context)
    parts = library.parts
    if len(parts) == 1:
        return [Output(library.written[0])]
    last = context.url(_path(len(parts)))
    head = (
        f"The newest {ENTRIES} records. The whole bibliography, by no order, is in {len(parts)} parts, from"
        f" {context.url(_path(1))} to {last}\n\n"
    )
    collections = [context.archive.collections[kind.name] for kind in context.archive.kinds]
    ids = [entry.head.id for entry in islice(merge(*collections, key=attrgetter("order")), ENTRIES)]
    texts = [parts[_place(id_, len(parts))][id_] for id_ in ids]
    links = (f'<{context.url(_path(1))}>; rel="first"', f'<{last}>; rel="last"')
    return [Output((head + "\n".join(texts)).encode(), links=links)]


def _path(number: int) -> str:
    return f"/library/{number}.bib"


def _parts(context: RenderContext) -> Iterator[Output]:
    written = _library(context).written
    for number, body in enumerate(written, 1) if len(written) > 1 else ():
        near = {"prev": number - 1, "next": number + 1}
        links = [f'<{context.url(_path(n))}>; rel="{rel}"' for rel, n in near.items() if 1 <= n <= len(written)]
        yield Output(body, {"page": str(number)}, tuple(links))


ALL = (
    Document[RenderContext](
        "library",
        LIBRARY_PATH,
        BIBTEX,
        Section.RECORDS,
        "Every record and dataset as BibTeX; where they are many, the newest of them and where the parts are.",
        _first,
        promised=False,
    ),
    Document[RenderContext](
        "library_part",
        "/library/{page}.bib",
        BIBTEX,
        Section.RECORDS,
        "One part of the bibliography of an archive of many records.",
        _parts,
        parameters=(PAGE_PARAMETER,),
        promised=False,
    ),
)
