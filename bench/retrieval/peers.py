"""The rankers that are compared: our index, and SQLite FTS5 as it is commonly used."""

import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from corpora import Collection

from citepress.search import Query, open_index
from citepress.search.build import write
from citepress.search.fields import IndexEntry, sentences_of
from citepress.search.ranking import match_of

Ranker = Callable[[str, int], list[str]]
"""``(question, count) -> ids``, best first."""
DAY = datetime(2026, 1, 1, tzinfo=UTC)
WORD = re.compile(r"\w+")


def filings(collection: Collection, *, authored: bool = False) -> list[IndexEntry]:
    """The documents as our index files records; ``authored``: with their first sentence as a summary too."""
    entries = []
    for id_, (title, text) in collection.documents.items():
        sentences = tuple(sentences_of(text))
        blocks = (sentences[:1], sentences) if authored and len(sentences) > 1 else (sentences,)
        summary = sentences[0] if authored and sentences else ""
        entries.append(
            IndexEntry(id_, "posts", title, "/", DAY, DAY, summary=summary, blocks=blocks if sentences else ())
        )
    return entries


def citepress_ranker(collection: Collection, folder: Path, *, authored: bool = False) -> Ranker:
    """Our ranking, near-duplicates not collapsed (the judgements count each document)."""
    write(filings(collection, authored=authored), folder, DAY)
    index = open_index(folder)

    def rank(question: str, count: int) -> list[str]:
        weighted = index.weigh(question)
        match = match_of(index.engine, Query(question), weighted, index.languages) if weighted.terms else None
        rows = index.engine.search(match, count)[1] if match else []
        return [index.engine.stored(row.address).id for row in rows]

    return rank


def fts5(collection: Collection, file: Path) -> Ranker:
    """SQLite's full-text search: Porter stems, any word, its own BM25."""
    link = sqlite3.connect(file)
    link.execute("create virtual table d using fts5(id unindexed, title, body, tokenize='porter unicode61')")
    link.executemany(
        "insert into d values (?, ?, ?)", ((id_, title, text) for id_, (title, text) in collection.documents.items())
    )
    link.commit()

    def rank(question: str, count: int) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in WORD.findall(question))
        rows = link.execute("select id from d where d match ? order by rank limit ?", (words, count))
        return [id_ for (id_,) in rows]

    return rank
