"""Search for a host of files: a page, its script, and an inverted index in small files that the script reads.

A record is found by the words of its title, summary and text, a dataset by those of its title, summary, columns and
description. It counts how often it has a word, less each
further time, and words that few records have count more. Words are compared as they are written: there is no stemming,
but a word also finds longer ones that begin with it. Words in quotation marks are looked for as they stand, in the
records that have all of them.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from importlib.resources import files
from typing import NamedTuple

from citepress.archive.model import Dataset, Entry
from citepress.base.canonical import json_bytes
from citepress.base.media import HTML, JAVASCRIPT, JSON, Media
from citepress.base.text import without_emphasis
from citepress.base.timestamps import day
from citepress.contract.document import PAGE_PARAMETER, Document, Hosting, Output, Parameter, Section
from citepress.contract.site import Site
from citepress.edition import theme
from citepress.edition.forms import html
from citepress.edition.pages.search_page import SEARCH_PATH, search_page
from citepress.edition.render_context import RenderContext

SCRIPT = "search.js"
SCRIPT_PATH = f"{SEARCH_PATH}{SCRIPT}"
TITLE_WEIGHT, SUMMARY_WEIGHT, TEXT_WEIGHT = 8, 3, 1
"""What a word counts in each part of a record."""
SATURATION, SCALE = 2.0, 20
"""A record's score of a word approaches ``SCALE``; at ``SATURATION`` counts it is half of that."""
WORD_LENGTH = 40
COMMON_WORD_SHARE, MIN_ARCHIVE_RECORDS = 0.5, 50
"""Words of more than this share of the records tell nothing, except in an archive of few records."""
SHARD_BYTES = 65_536
"""Size from which a shard is split by one more letter of its words."""
PART_RECORDS = 200
"""Records of one file of titles and summaries."""
SHARD_PARAMETER = Parameter(
    "shard", "Code points of what the shard's words begin with.", r"[0-9a-f]+(?:-[0-9a-f]+)*", "61"
)
_WORD = re.compile(r"[^\W_]+(?:[#+]+(?![^\W_]))?")
"""Letters and digits, with the signs that end the names of some languages (C#, C++)."""
_UNSPACED = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+)")
"""Kana, Han and Hangul."""
_ADDRESS = re.compile(r"https?://\S+|\]\([^)]*\)")
Make = Callable[[RenderContext], Iterable[Output]]
Postings = dict[str, list[int]]
"""Number of a record and its score, in turn, of each word."""
SearchShards = tuple[list["SearchItem"], dict[str, Mapping[str, Sequence[int]]]]
"""What is searched, in order, and the shards of its words."""


def words_of(text: str) -> list[str]:
    """The words of a text as ``search.js`` reads those of a query; of scripts without spaces, pairs of letters."""
    words: list[str] = []
    for run in _WORD.findall(unicodedata.normalize("NFKC", text).lower()):
        for part in _UNSPACED.split(run):
            if _UNSPACED.fullmatch(part):
                words += [part[at : at + 2] for at in range(max(1, len(part) - 1))]
            elif part.strip("#+") and len(part) <= WORD_LENGTH:
                words.append(part)
    return words


class SearchItem(NamedTuple):
    """A record or a dataset as the search has it."""

    url: str
    title: str
    summary: str
    published: datetime
    text: str


def _of_record(entry: Entry) -> SearchItem:
    record = entry.record
    return SearchItem(record.canonical_url, record.title, record.summary, record.published_at, record.body_markdown)


def _of_dataset(dataset: Dataset, site: Site) -> SearchItem:
    columns = (f"{column.name} {column.description}" for column in dataset.versions[-1].columns)
    text = "\n".join((*columns, *dataset.keywords, dataset.readme))
    return SearchItem(site.url(dataset.path), dataset.title, dataset.summary, dataset.published, text)


def _counted(item: SearchItem) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text, weight in (
        (item.title, TITLE_WEIGHT),
        (item.summary, SUMMARY_WEIGHT),
        (_ADDRESS.sub(" ", item.text), TEXT_WEIGHT),
    ):
        for word in words_of(text):
            counts[word] += weight
    return counts


def postings(items: Sequence[SearchItem]) -> Postings:
    """The inverted index of these records and datasets, by word."""
    index: Postings = {}
    for number, item in enumerate(items):
        for word, count in _counted(item).items():
            index.setdefault(word, []).extend((number, round(SCALE * count / (count + SATURATION))))
    most = 2 * max(MIN_ARCHIVE_RECORDS, COMMON_WORD_SHARE * len(items))
    return {word: index[word] for word in sorted(index) if len(index[word]) <= most}


def shards(words: Mapping[str, Sequence[int]]) -> Iterator[tuple[str, Mapping[str, Sequence[int]]]]:
    """The words by what they begin with. A shard that would be large keeps the word that is its key alone."""
    pending = [("", words)]
    while pending:
        key, inside = pending.pop()
        if key and (len(inside) == 1 or len(json_bytes(inside)) <= SHARD_BYTES):
            yield key, inside
            continue
        longer: dict[str, dict[str, Sequence[int]]] = {}
        for word, numbers in inside.items():
            longer.setdefault(word[: len(key) + 1], {})[word] = numbers
        own = longer.pop(key, None)
        if own:
            yield key, own
        pending += longer.items()


def _index(context: RenderContext) -> SearchShards:
    archive = context.archive
    # At equal scores the script shows records first, and of these the newest.
    items = list(map(_of_record, archive.entries.values()))
    items += [_of_dataset(dataset, archive.site) for dataset in archive.datasets]
    return items, dict(sorted(shards(postings(items))))


def _shared(context: RenderContext) -> SearchShards:
    return context.derivations.of("search files", partial(_index, context))


def _manifest(context: RenderContext) -> Iterable[Output]:
    items, by_key = _shared(context)
    return [Output(json_bytes({"records": len(items), "part": PART_RECORDS, "shards": list(by_key)}))]


def _words(context: RenderContext) -> Iterator[Output]:
    for key, words in _shared(context)[1].items():
        yield Output(json_bytes(words), {"shard": "-".join(f"{ord(letter):x}" for letter in key)})


def _records(context: RenderContext) -> Iterator[Output]:
    items = _shared(context)[0]
    for start in range(0, len(items), PART_RECORDS):
        rows = [
            [item.url, item.title, without_emphasis(item.summary), day(item.published)]
            for item in items[start : start + PART_RECORDS]
        ]
        yield Output(json_bytes(rows), {"page": str(start // PART_RECORDS + 1)})


def _page(context: RenderContext) -> Iterable[Output]:
    return [Output(html.write(search_page("search_files"), context))]


def _script(_context: RenderContext) -> Iterable[Output]:
    return [Output(files(theme).joinpath(SCRIPT).read_bytes())]


def _is_searched(site: Site) -> bool:
    return site.export.search


def _document(
    name: str, path: str, media: Media, summary: str, make: Make, parameters: tuple[Parameter, ...] = ()
) -> Document[RenderContext]:
    """A document of an export that can be searched."""
    return Document[RenderContext](
        name,
        path,
        media,
        Section.EXTRAS,
        summary,
        make,
        parameters=parameters,
        promised=False,
        only=Hosting.FILES,
        enabled=_is_searched,
    )


ALL = (
    _document("search_files_page", SEARCH_PATH, HTML, "Search in the browser.", _page),
    _document("search_files_script", SCRIPT_PATH, JAVASCRIPT, "The script of the search.", _script),
    _document("search_files_index", f"{SEARCH_PATH}index.json", JSON, "What the search index has.", _manifest),
    _document(
        "search_files_words",
        f"{SEARCH_PATH}words/{{shard}}.json",
        JSON,
        "A shard of the search index.",
        _words,
        (SHARD_PARAMETER,),
    ),
    _document(
        "search_files_records",
        f"{SEARCH_PATH}records/{{page}}.json",
        JSON,
        "Titles and summaries that the search shows.",
        _records,
        (PAGE_PARAMETER,),
    ),
)
