"""The writer of an index folder: new segments, replaced records, and lengths that average to a whole number.

The engine weighs the length of a record against the average of all that its segments ever held, so an index with
replaced records would rank differently from a fresh one. The writer therefore adds filling documents, deleted at once,
that bring this average to the next whole number above that of the records: the same in both.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import tantivy
from tantivy import Document

from citepress.search.engine import (
    CLUSTER,
    DETAIL,
    GROUP,
    ID,
    KEY,
    KIND,
    NAME,
    ORIGIN_FIELD,
    SHOWN_FIELD,
    TEXT_FIELD,
    TITLE_FIELD,
    TOPIC,
    UPDATED,
    WORDS_FIELD,
    YEAR,
)
from citepress.search.sheet import Sheet, vector_key

HEAP = 1_000_000_000
"""Upper limit of the writer's memory, allocated as records arrive. A smaller heap would spill into a second segment."""
FILLER, FILLING = "~", "~ "
"""Id and text of a filling document; no record has either."""


@dataclass(slots=True)
class SegmentLevel:
    """The segment of the records that were written together."""

    records: int = 0
    """Records in it that are current."""
    documents: int = 0
    """Documents that the engine counts in it: records, replaced ones and filling ones."""
    tokens: Counter[str] = field(default_factory=Counter)
    """Terms of these documents in each field with a length."""
    replaced: Counter[str] = field(default_factory=Counter)
    """Number of its replaced records that contain each term, and each in the title (``IN_TITLE``)."""


def _schema(*, keyed: bool) -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TEXT_FIELD, stored=True, tokenizer_name="whitespace", index_option="position")
    builder.add_text_field(TITLE_FIELD, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field(WORDS_FIELD, tokenizer_name="whitespace", index_option="basic")
    for name in (NAME, ID, TOPIC, ORIGIN_FIELD):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(KIND, fast=True, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field(UPDATED, fast=True, indexed=True)
    builder.add_unsigned_field(YEAR, fast=True, indexed=True)
    builder.add_unsigned_field(CLUSTER, fast=True, indexed=True)
    if keyed:
        builder.add_unsigned_field(KEY, fast=True, indexed=True)
    for name in (SHOWN_FIELD, DETAIL, GROUP):
        builder.add_bytes_field(name, stored=True)
    return builder.build()


class IndexWriter:
    """Writes records in the order in which equal scores are to be listed, and deletes those that they replace."""

    def __init__(self, folder: Path, *, keyed: bool = False) -> None:
        """``keyed`` records have the keys of their vectors."""
        self._keyed = keyed
        # With one thread: several would spread the records over segments, in another order at each build.
        self._writer = tantivy.Index(_schema(keyed=keyed), str(folder)).writer(HEAP, 1)
        self.written = SegmentLevel()

    def delete(self, ids: Iterable[str]) -> None:
        """Delete records of earlier segments; call this before those that replace them are added."""
        for id_ in ids:
            self._writer.delete_documents_by_term(ID, id_)

    def add(self, sheet: Sheet, number: int = 0, group: Sequence[str] = ()) -> None:
        """Write one record, with the number of its group of near-duplicates and their ids."""
        fields, title = Document(), sheet.title
        fields.add_text(TEXT_FIELD, title)
        fields.add_text(TEXT_FIELD, sheet.terms)
        fields.add_text(TITLE_FIELD, title)
        fields.add_text(WORDS_FIELD, sheet.words)
        fields.add_text(ID, sheet.id)
        fields.add_text(KIND, sheet.kind)
        for name in sheet.names:
            fields.add_text(NAME, name)
        for topic in sheet.topics:
            fields.add_text(TOPIC, topic)
        for origin in sheet.origins:
            fields.add_text(ORIGIN_FIELD, origin)
        fields.add_integer(UPDATED, sheet.updated)
        fields.add_unsigned(YEAR, sheet.year)
        fields.add_unsigned(CLUSTER, number)
        if self._keyed:
            fields.add_unsigned(KEY, vector_key(sheet.id))
        fields.add_bytes(SHOWN_FIELD, sheet.shown)
        fields.add_bytes(DETAIL, sheet.detail)
        if group:
            fields.add_bytes(GROUP, orjson.dumps(group))
        self._writer.add_document(fields)
        self.written.records += 1
        self.written.documents += 1
        self.written.tokens.update(sheet.lengths)

    def fill(self, records: int, tokens: Mapping[str, int], others: Iterable[SegmentLevel]) -> None:
        """Fill up this segment, so that the average length over all of them is the next whole number.

        ``records`` and ``tokens`` are those of the whole index, ``others`` its other segments.
        """
        averages = {name: -(-count // records) for name, count in tokens.items() if count}
        levels = [self.written, *others]
        documents = sum(level.documents for level in levels)
        lacking = {
            name: mean * documents - sum(level.tokens[name] for level in levels) for name, mean in averages.items()
        }
        if not any(lacking.values()):
            return
        count = max(1, *(-(lacking[name] // mean) for name, mean in averages.items()))
        lacking = {name: count * mean + lacking[name] for name, mean in averages.items()}
        for place in range(count):
            filling = Document()
            filling.add_text(ID, FILLER)
            for name in averages:
                filling.add_text(name, FILLING * (0 if place else lacking[name]))
            self._writer.add_document(filling)
        # Deleted documents still count in the engine's average, which is all that they are for.
        self._writer.delete_documents_by_term(ID, FILLER)
        self.written.documents += count
        self.written.tokens.update(lacking)

    def finish(self) -> SegmentLevel:
        """Commit, and wait until everything is on disk; what was written."""
        self._writer.commit()
        self._writer.wait_merging_threads()
        return self.written
