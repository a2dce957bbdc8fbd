"""The rankers that are compared: our index, and SQLite FTS5 as it is commonly used."""

import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import tantivy
from corpora import Collection

from citepress.search.build import write
from citepress.search.fields import IndexEntry, sentences_of
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from citepress.search.state import open_index
from citepress.search.stopwords import ENGLISH
from citepress_semantic.modes import MODES
from citepress_semantic.settings import SearchSettings
from citepress_semantic.source import SemanticVectors

Ranker = Callable[[str, int], list[str]]
"""``(question, count) -> ids``, best first."""
DAY = datetime(2026, 1, 1, tzinfo=UTC)
WORD = re.compile(r"\w+")
OURS = "citepress"


def filings(collection: Collection, *, authored: bool = False, named: bool = False) -> list[IndexEntry]:
    """The documents as our index files records.

    ``authored`` ones have their first sentence as a summary too, ``named`` ones the names of their authors.
    """
    entries = []
    for id_, (title, text) in collection.documents.items():
        sentences = tuple(sentences_of(text))
        blocks = (sentences[:1], sentences) if authored and len(sentences) > 1 else (sentences,)
        summary = sentences[0] if authored and sentences else ""
        blocks = blocks if sentences else ()
        marks = (collection.authors[id_],) if named and id_ in collection.authors else ()
        of_text = {"summary": summary, "marks": marks, "blocks": blocks, "language": collection.language}
        entries.append(IndexEntry(id_, "posts", title, "/", DAY, DAY, **of_text))
    return entries


def citepress_rankers(
    collection: Collection, folder: Path, settings: SearchSettings, *, authored: bool = False, named: bool = False
) -> dict[str, Ranker]:
    """Our ranking by words and, if set, by meaning, near-duplicates not collapsed (judgements count each)."""
    vectors = SemanticVectors(settings) if settings.semantic else None
    write(filings(collection, authored=authored, named=named), folder, DAY, keyed=vectors is not None)
    if vectors:
        vectors.embed(folder)
    rankers = {OURS: _ranker(open_index(folder))}
    for mode in MODES if vectors else ():
        rankers[f"{OURS} {mode.name}"] = _ranker(SearchIndex(folder, vectors, mode.name))
    return rankers


def _ranker(index: SearchIndex) -> Ranker:
    def rank(question: str, count: int) -> list[str]:
        return [index.engine.stored(row.address).id for row in index.ranked(Query(question), count)]

    return rank


def fts5(collection: Collection, file: Path) -> Ranker:
    """SQLite's full-text search: Porter stems, any word, its own BM25."""
    link = _fts5(collection, file)

    def rank(question: str, count: int) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in WORD.findall(question))
        rows = link.execute("select id from d where d match ? order by rank limit ?", (words, count))
        return [id_ for (id_,) in rows]

    return rank


def tuned_fts5(collection: Collection, file: Path) -> Ranker:
    """The same without stop words in the question, and with titles counted twice."""
    link = _fts5(collection, file)

    def rank(question: str, count: int) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in _content_words(question))
        order = "select id from d where d match ? order by bm25(d, 0, 2, 1) limit ?"
        return [id_ for (id_,) in link.execute(order, (words, count))] if words else []

    return rank


def tantivy_stock(collection: Collection) -> Ranker:
    """The engine that ours is built on with its own English analysis, and the same stop words in the question."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    for name in ("title", "body"):
        builder.add_text_field(name, tokenizer_name="en_stem")
    index = tantivy.Index(builder.build())
    writer = index.writer(heap_size=100_000_000, num_threads=1)
    for id_, (title, text) in collection.documents.items():
        writer.add_document(tantivy.Document(id=id_, title=title, body=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def rank(question: str, count: int) -> list[str]:
        query = index.parse_query(" ".join(_content_words(question)) or "~", ["title", "body"])
        return [searcher.doc(address)["id"][0] for _, address in searcher.search(query, count).hits]

    return rank


def _content_words(question: str) -> list[str]:
    return [word for word in WORD.findall(question) if word.lower() not in ENGLISH]


def _fts5(collection: Collection, file: Path) -> sqlite3.Connection:
    link = sqlite3.connect(file)
    link.execute("create virtual table d using fts5(id unindexed, title, body, tokenize='porter unicode61')")
    link.executemany(
        "insert into d values (?, ?, ?)", ((id_, title, text) for id_, (title, text) in collection.documents.items())
    )
    link.commit()
    return link
