"""The index entry of a dataset: it is found by its description and its columns, not by its rows."""

from collections.abc import Iterator
from itertools import chain

from citepress.archive.model import Archive, Dataset
from citepress.base.text import without_emphasis
from citepress.search.analyzer import language_of
from citepress.search.fields import IndexEntry, bounded_blocks, prose, sentences_of, topic_titles

DATASETS = "datasets"
"""The collection of datasets, with which their ids begin."""
SINGULAR, PLURAL = "Dataset", "Datasets"


def dataset_entries(archive: Archive) -> dict[str, IndexEntry]:
    """The index entries of the datasets of an archive, by id."""
    entries = (_entry(dataset, archive) for dataset in archive.datasets)
    return {entry.id: entry for entry in entries}


def _entry(dataset: Dataset, archive: Archive) -> IndexEntry:
    cited = [url for *_, url in dataset.sources]
    origins = (archive.ledger[url].origin for url in cited if url in archive.ledger)
    return IndexEntry(
        id=f"{DATASETS}/{dataset.name}",
        kind=DATASETS,
        title=dataset.title,
        path=dataset.path,
        published=dataset.published,
        updated=dataset.updated,
        summary=without_emphasis(dataset.summary),
        language=language_of(archive.site.language),
        topics=dataset.topics,
        origins=tuple(dict.fromkeys(origins)),
        names=(dataset.name,),
        marks=tuple(dict.fromkeys(mark for mark in _marks(dataset, archive) if mark)),
        blocks=bounded_blocks(tuple(sentences_of(text)) for text in _texts(dataset)),
    )


def _marks(dataset: Dataset, archive: Archive) -> Iterator[str]:
    yield from dataset.keywords
    yield from topic_titles(dataset.topics, archive)
    yield SINGULAR
    yield dataset.creator
    yield from (title for title, *_ in dataset.sources)


def _texts(dataset: Dataset) -> Iterator[str]:
    columns = dataset.versions[-1].columns
    described = (f"{column.name}: {column.description}" if column.description else column.name for column in columns)
    return chain(map(without_emphasis, (dataset.summary, *described)), prose(dataset.readme))
