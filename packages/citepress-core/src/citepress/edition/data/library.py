"""The bibliography of the archive: every record and dataset as BibTeX, in parts where there are many."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Archive, Dataset
from citepress.base.media import BIBTEX
from citepress.contract.document import PAGE_PARAMETER, Document, Output, Section
from citepress.edition.citations import bibtex
from citepress.edition.data.datasets import dataset_citation
from citepress.edition.hashed_shards import HashedShards, place_of
from citepress.edition.render_context import RenderContext
from citepress.kinds.record_page import citation

LIBRARY_PATH = "/library.bib"
ENTRIES = 500
"""Entries of one part, on average; of the first file at most."""


def _library(context: RenderContext) -> HashedShards[str, bytes]:
    """Every entry; an edit writes only the parts that it touches."""

    def whole() -> HashedShards[str, bytes]:
        ids = (*context.archive.entries, *_datasets(context.archive))
        return HashedShards(((id_, entry) for id_ in ids if (entry := _entry(context, id_))), ENTRIES, _written)

    def update(library: HashedShards[str, bytes], edit: ArchiveEdit) -> HashedShards[str, bytes]:
        ids = {*edit.records, *_datasets(edit.before), *_datasets(edit.after)}
        library.revise({id_: _entry(context, id_) for id_ in ids})
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


def _written(_: int, entries: Mapping[str, str]) -> bytes:
    return "\n".join(text for _, text in sorted(entries.items())).encode()


def _first(context: RenderContext) -> Iterable[Output]:
    """Everything, or the newest records and where the parts are."""
    library = _library(context)
    parts = library.rows
    if len(parts) == 1:
        return [Output(library.written[0])]
    last = context.url(_path(len(parts)))
    head = (
        f"The newest {ENTRIES} records. The whole bibliography, by no order, is in {len(parts)} parts, from"
        f" {context.url(_path(1))} to {last}\n\n"
    )
    texts = [parts[place_of(id_, len(parts))][id_] for id_ in islice(context.archive.entries, ENTRIES)]
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
