"""The engine: writes an index into a folder and reads it, mapped into memory; no other file knows what holds it.

One writing thread and one segment, so that records keep the order in which they were added and ties are broken by it.
The text is tokenised by the analyser and reaches the engine as terms between spaces.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import tantivy
from tantivy import DocAddress, Document, FieldType, Occur

TEXT, WORDS, NAME, ID, KIND, TOPIC, ORIGIN = "text", "words", "name", "id", "kind", "topic", "origin"
UPDATED, CLUSTER, SHOWN, DETAIL = "updated", "cluster", "shown", "detail"
HEAP = 2_000_000_000
"""Bound of the writer's memory; touched only as records come in. Too small a heap would spill into a second segment."""
Match = tantivy.Query
"""A query of the engine."""
Address = DocAddress
"""Where a record lies in the index."""


class EngineError(ValueError):
    """The folder holds no index of this version; it is built anew."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A record as the index keeps it."""

    shown: dict[str, Any]
    """What a hit shows, its passages (``text``, one a line) and the terms that tell it apart (``keys``)."""
    terms: str
    """Its terms: the lines of ``text`` in the same order, each as terms between spaces."""
    packed: bytes
    """What a bundle quotes, as JSON."""

    @property
    def id(self) -> str:
        """The record's id."""
        return str(self.shown["id"])

    @property
    def detail(self) -> dict[str, Any]:
        """What a bundle quotes."""
        found: dict[str, Any] = orjson.loads(self.packed)
        return found


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A match: its score and where it lies."""

    score: float
    address: Address


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TEXT, stored=True, tokenizer_name="whitespace", index_option="position")
    builder.add_text_field(WORDS, tokenizer_name="whitespace", index_option="basic")
    for name in (NAME, ID, KIND, TOPIC, ORIGIN):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field(UPDATED, fast=True, indexed=True)
    builder.add_unsigned_field(CLUSTER, fast=True, indexed=True)
    builder.add_bytes_field(SHOWN, stored=True)
    builder.add_bytes_field(DETAIL, stored=True)
    return builder.build()


@dataclass(frozen=True, slots=True)
class IndexDocument:
    """A record ready to be written."""

    title: str
    """Terms of the title: counted once more than they stand in ``terms``."""
    terms: str
    words: str
    """Lower-case words that a suggestion may use."""
    names: Sequence[str]
    """Keys of its title, its slug and its id."""
    topics: Sequence[str]
    origins: Sequence[str]
    updated: int
    """Seconds since 1970."""
    cluster: int
    """Number of its group of near-duplicates, or 0."""
    shown: dict[str, Any]
    detail: bytes


class IndexWriter:
    """Writes records in the order in which equal scores are to be listed."""

    def __init__(self, folder: Path) -> None:
        self._writer = tantivy.Index(_schema(), str(folder), reuse=False).writer(HEAP, 1)

    def add(self, sheet: IndexDocument) -> None:
        """Write one record."""
        document = Document()
        document.add_text(TEXT, sheet.title)
        document.add_text(TEXT, sheet.terms)
        document.add_text(WORDS, sheet.words)
        document.add_text(ID, sheet.shown["id"])
        document.add_text(KIND, sheet.shown["kind"])
        for name in sheet.names:
            document.add_text(NAME, name)
        for topic in sheet.topics:
            document.add_text(TOPIC, topic)
        for origin in sheet.origins:
            document.add_text(ORIGIN, origin)
        document.add_integer(UPDATED, sheet.updated)
        document.add_unsigned(CLUSTER, sheet.cluster)
        document.add_bytes(SHOWN, orjson.dumps(sheet.shown))
        document.add_bytes(DETAIL, sheet.detail)
        self._writer.add_document(document)

    def finish(self) -> None:
        """Commit, and wait until everything is on disk."""
        self._writer.commit()
        self._writer.wait_merging_threads()


class Engine:
    """An index, read only; safe to share among threads."""

    def __init__(self, folder: Path) -> None:
        try:
            index = tantivy.Index.open(str(folder))
            index.config_reader("manual", 0)
            self._searcher = index.searcher()
        except (OSError, ValueError) as error:
            raise EngineError(f"{folder.name} holds no search index: {error}") from error
        self._schema = index.schema

    @property
    def size(self) -> int:
        """Records of the index."""
        return int(self._searcher.num_docs)

    def term(self, field: str, value: str) -> Match:
        """Records with this term."""
        return Match.term_query(self._schema, field, value, "freq" if field == TEXT else "basic")

    def any_of(self, field: str, values: Sequence[str], score: float = 0.0) -> Match:
        """Records with any of these terms, all with the same score."""
        return Match.const_score_query(Match.term_set_query(self._schema, field, list(values)), score)

    def outside(self, match: Match, clusters: Sequence[int]) -> Match:
        """The records of ``match`` outside of these groups of near-duplicates, with the same scores."""
        inside = Match.term_set_query(self._schema, CLUSTER, list(clusters))
        return Match.boolean_query([(Occur.Must, match), (Occur.MustNot, inside)]) if clusters else match

    def between(self, since: int | None, until: int | None) -> Match:
        """Records updated within these seconds, without a score."""
        return Match.const_score_query(Match.range_query(self._schema, UPDATED, FieldType.Integer, since, until), 0.0)

    def phrase(self, terms: Sequence[str], slop: int) -> Match:
        """Records with these terms one after the other, up to ``slop`` places apart."""
        return Match.phrase_query(self._schema, TEXT, list(terms), slop)

    def frequency(self, stem: str) -> int:
        """Records that hold a term."""
        return int(self._searcher.doc_freq(TEXT, stem))

    def words(self, prefix: str, limit: int) -> list[str]:
        """Words of titles, summaries and tags that begin so, the commonest first."""
        return [word for word, _ in self._searcher.terms_with_prefix(WORDS, prefix, limit=limit)]

    def search(self, match: Match, limit: int, offset: int = 0) -> tuple[int, list[IndexRow]]:
        """The number of matches, and those at these places: best first, then in the order of writing."""
        found = self._searcher.search(match, limit, count=True, offset=offset)
        return int(found.count), [IndexRow(score, address) for score, address in found.hits]  # type: ignore[attr-defined]  # missing in its stub

    def newest(self, match: Match, limit: int, offset: int = 0) -> tuple[int, list[IndexRow]]:
        """Likewise, newest first."""
        found = self._searcher.search(match, limit, count=True, offset=offset, order_by_field=UPDATED)
        return int(found.count), [IndexRow(0.0, address) for _, address in found.hits]  # type: ignore[attr-defined]

    def clusters(self, rows: Sequence[IndexRow]) -> list[int]:
        """The cluster numbers of matches; 0 for a record without near-duplicates."""
        return [int(value or 0) for value in self._searcher.fast_field_values(CLUSTER, [row.address for row in rows])] if rows else []

    def stored(self, address: Address) -> StoredDocument:
        """The record at an address."""
        document = self._searcher.doc(address)
        return StoredDocument(orjson.loads(document[SHOWN][0]), document[TEXT][1], document[DETAIL][0])

    def find(self, id_: str) -> Address | None:
        """Where a record lies."""
        _, rows = self.search(self.term(ID, id_), 1)
        return rows[0].address if rows else None

    def worth(self, match: Match, address: Address) -> float:
        """The score of one record."""
        try:
            return float(orjson.loads(match.explain(self._searcher, address).to_json())["value"])
        except ValueError:  # it does not match
            return 0.0


def all_of(parts: Sequence[Match]) -> Match:
    """Records that match every part."""
    return parts[0] if len(parts) == 1 else Match.boolean_query([(Occur.Must, part) for part in parts])


def some_of(parts: Sequence[Match]) -> Match:
    """Records that match at least one part; scores add up."""
    return parts[0] if len(parts) == 1 else Match.boolean_query([(Occur.Should, part) for part in parts])


def best_of(parts: Sequence[Match]) -> Match:
    """Records that match at least one part; the best score counts."""
    return parts[0] if len(parts) == 1 else Match.disjunction_max_query(list(parts))


def times(match: Match, factor: float) -> Match:
    """The same records, their scores multiplied."""
    return match if factor == 1 else Match.boost_query(match, factor)


def preferring(match: Match, parts: Sequence[Match]) -> Match:
    """The records of ``match``; each of the parts that a record matches too adds its score."""
    return Match.boolean_query([(Occur.Must, match), *((Occur.Should, part) for part in parts)]) if parts else match


def everything() -> Match:
    """Every record."""
    return Match.all_query()
