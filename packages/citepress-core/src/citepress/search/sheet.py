"""A record as it is written to the index: its terms, its names, what a hit shows and what extensions keep with it.

Analysing a text takes most of the time of a build, so a sheet can be read back from the index that holds it.
"""

import marshal
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from operator import attrgetter
from typing import Any

import orjson

from citepress.base import fast_json
from citepress.base.timestamps import rfc3339
from citepress.search.analyzer import chunks, index_lines, normal, split_lines
from citepress.search.engine import TEXT_FIELD, TITLE_FIELD
from citepress.search.fields import IndexEntry
from citepress.search.names import name_keys, name_lines
from citepress.search.stored_document import StoredDocument, first_sentence

CUT = "…"
"""The end of a sentence that was cut off."""
SUGGESTED = (3, 30)
"""Lengths of the words that a suggestion may use."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """An analysed record. Every value is a string, a number or bytes, so that it can be packed."""

    id: str
    kind: str
    language: str
    published: str
    updated: int
    """Seconds since 1970."""
    terms: str
    """Its terms, a line for each line of its text: title, marks, sentences."""
    length: int
    """Number of its terms, those of the title counted twice."""
    marks: int
    """Number of its marks."""
    words: str
    """Lower-case words that a suggestion may use."""
    names: tuple[str, ...]
    """Keys of its title, its slug and its id."""
    topics: tuple[str, ...]
    origins: tuple[str, ...]
    shown: bytes
    detail: bytes
    content: Collection[str] = field(default=frozenset(), compare=False)
    """The terms of ``content_terms`` where they are at hand; they are not packed."""

    @property
    def title(self) -> str:
        """The terms of its title, which are indexed in addition to their place in ``terms``."""
        return self.terms.partition("\n")[0]

    @property
    def year(self) -> int:
        """The year of its publication, UTC."""
        return int(self.published[:4])

    @property
    def digest(self) -> bytes:
        """Sixteen bytes over everything that is indexed."""
        whole = b"\0".join((self.shown, self.terms.encode(), self.detail))
        return blake2b(whole, digest_size=16).digest()

    @property
    def text(self) -> str:
        """Its text, in the lines of its terms."""
        return str(fast_json.loads(self.shown)["text"])

    def content_terms(self) -> Collection[str]:
        """The distinct terms of the title and the sentences.

        Tags and source names do not make two records near-duplicates.
        """
        return self.content or frozenset(content_terms(self.terms, self.marks))

    @property
    def lengths(self) -> Mapping[str, int]:
        """Number of the terms that the engine is given in each field with a length."""
        return {TEXT_FIELD: self.length, TITLE_FIELD: len(self.title.split())}

    def packed(self) -> bytes:
        """The sheet as bytes for ``unpack_sheet`` in the same process."""
        return marshal.dumps(_values(self))


_values = attrgetter(*(member.name for member in fields(Sheet) if member.compare))


def unpack_sheet(packed: bytes) -> Sheet:
    """The sheet of ``Sheet.packed``."""
    return Sheet(*marshal.loads(packed))  # noqa: S302  (written by this process a moment ago)


def _length(terms: str) -> int:
    lines = terms.split("\n")
    # Spaces stand between the terms of a line alone.
    within = terms.count(" ") + sum(map(bool, lines))
    return within + (lines[0].count(" ") + 1 if lines[0] else 0)


def content_terms(terms: str, marks: int) -> list[str]:
    """The terms of the title and the sentences, of all terms of a record."""
    lines = terms.split("\n")
    return " ".join([lines[0], *lines[1 + marks :]]).split()


def stored_content(stored: StoredDocument) -> list[str]:
    """The terms of the title and the sentences of a record that an index holds."""
    return content_terms(stored.terms, first_sentence(stored.shown) - 1)


def sheet_of(entry: IndexEntry) -> Sheet:
    """The sheet of a record."""
    (title, *sentences), parts = split_lines((entry.title, *chain.from_iterable(entry.blocks)))
    marks, _ = split_lines(entry.marks)
    repeats = _repeats(title, sentences)
    counted = ["" if place in repeats else text for place, text in enumerate(sentences)] if repeats else sentences
    (title_terms, *sentence_terms), distinct = index_lines(
        (title, *counted), entry.language, None if repeats else parts
    )
    terms = "\n".join((title_terms, *index_lines(marks, entry.language)[0], *sentence_terms))
    published = rfc3339(entry.published)
    shown = {
        "id": entry.id,
        "kind": entry.kind,
        "title": entry.title,
        "path": entry.path,
        "summary": entry.summary,
        "published": published,
        "updated": rfc3339(entry.updated),
        "observed": rfc3339(entry.observed) if entry.observed else None,
        "language": entry.language,
        "topics": entry.topics,
        "origins": entry.origins,
        "begins": "0" * (1 + len(entry.marks)) + "".join("1" + "0" * (len(block) - 1) for block in entry.blocks),
        "names": name_lines((entry.title, *entry.names), entry.language),
        "text": "\n".join((title, *marks, *sentences)),
    }
    return Sheet(
        id=entry.id,
        kind=entry.kind,
        language=entry.language,
        published=published,
        updated=int(entry.updated.timestamp()),
        terms=terms,
        length=_length(terms),
        marks=len(entry.marks),
        words=_suggestion_words((entry.title, entry.summary, *entry.marks)),
        names=name_keys(entry.title, entry.id, entry.language),
        topics=entry.topics,
        origins=entry.origins,
        shown=orjson.dumps(shown),
        detail=orjson.dumps(entry.detail),
        content=distinct,
    )


def _repeats(title: str, sentences: Sequence[str]) -> frozenset[int]:
    """The places of sentences that repeat the title or an earlier one, or that are the cut beginning of another.

    A summary, a nugget and the text often have the same sentence, which would count several times.
    """
    places: dict[str, int] = {title.casefold(): -1}
    repeats = {
        place for place, sentence in enumerate(sentences) if places.setdefault(sentence.casefold(), place) != place
    }
    for place, sentence in enumerate(sentences):
        if sentence.endswith(CUT):
            start = sentence.removesuffix(CUT).rstrip().casefold()
            if any(_begins(text, start) for text, at in places.items() if at != place):
                repeats.add(place)
    return frozenset(repeats)


def _begins(text: str, start: str) -> bool:
    """Whether a text begins with these whole words."""
    return text.startswith(start) and not text[len(start) : len(start) + 1].isalnum()


def vector_key(id_: str) -> int:
    """The key of a record's vector, of 63 bits."""
    return int.from_bytes(blake2b(id_.encode("utf-8", "replace"), digest_size=8).digest()) >> 1


def restore_sheet(shown: bytes, terms: str, detail: bytes) -> Sheet:
    """The sheet of a record that an index holds."""
    facts: dict[str, Any] = fast_json.loads(shown)
    marks = first_sentence(facts) - 1
    lines = facts["text"].split("\n")
    return Sheet(
        id=facts["id"],
        kind=facts["kind"],
        language=facts["language"],
        published=facts["published"],
        updated=_seconds(facts["updated"]),
        terms=terms,
        length=_length(terms),
        marks=marks,
        words=_suggestion_words((lines[0], facts["summary"], *lines[1 : 1 + marks])),
        names=name_keys(facts["title"], facts["id"], facts["language"]),
        topics=tuple(facts["topics"]),
        origins=tuple(facts["origins"]),
        shown=shown,
        detail=detail,
    )


@lru_cache(maxsize=65_536)
def _seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp())


def _suggestion_words(texts: Iterable[str]) -> str:
    """The words of title, summary and marks that a suggestion may use."""
    least, most = SUGGESTED
    words = dict.fromkeys([chunk.lower() for text in texts for chunk in chunks(normal(text))])
    return " ".join([word for word in words if least <= len(word) <= most])
