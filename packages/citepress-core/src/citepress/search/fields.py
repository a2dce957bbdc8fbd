"""The index entry of a record: the searched text, the fields of a hit, and what extensions keep with it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

from pydantic import BaseModel

from citepress.archive.model import Archive, Entry
from citepress.base.text import without_emphasis
from citepress.content.commonmark import PARSER, formula
from citepress.content.heading_ids import without_id
from citepress.contract.record import Claim
from citepress.contract.refs import Location, marked
from citepress.hooks import merged
from citepress.kinds.topics import topic_id
from citepress.search.analyzer import language_of
from citepress.search.stored_document import DETAILS

MAX_RECORD_PASSAGES = 1000
"""Upper limit of the passages of one record; a longer text has longer passages."""
LINE_LENGTH = 600
TEXT_LENGTH = 400_000
"""Characters of one record that are searched."""
SLUG_WORD = 3
"""Minimum length of a slug word that is indexed although the title lacks it."""
_SENTENCE = re.compile(
    r"(?<=[.!?…])(?<![A-Z]\.)(?<!e\.g\.)(?<!i\.e\.)[\"')\]]*\s+(?=[\"'(\[]?[^\sa-z])|(?<=[。！？।॥۔؟])"  # noqa: RUF001
)
_ADDRESS = re.compile(r"https?://\S+")
_INLINE = ("Emphasis", "Strong", "Strikethrough", "Link", "Image")


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A record as it is indexed."""

    id: str
    kind: str
    title: str
    path: str
    published: datetime
    updated: datetime
    observed: datetime | None = None
    """When what it reports was seen, where its kind says so."""
    summary: str = ""
    language: str = "en"
    """Primary language subtag."""
    topics: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    """Origins of its sources in order; the first represents the record when results are diversified by origin."""
    names: tuple[str, ...] = ()
    """Short texts that name the record besides its title: its slug, and the question that it answers."""
    marks: tuple[str, ...] = ()
    """Short texts that are searched but never shown as a passage: tags, topic titles, titles of sources."""
    blocks: tuple[tuple[str, ...], ...] = ()
    """Sentences in reading order, without the title; a passage never spans two blocks."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """What extensions keep with the record."""


def index_entry(entry: Entry, archive: Archive) -> IndexEntry:
    """The index entry of one archive entry."""
    record = entry.record
    sources = sorted(record.sources, key=lambda source: source.role != "primary")
    return IndexEntry(
        id=record.id,
        kind=record.kind,
        title=record.title,
        path=entry.path,
        published=record.published_at,
        updated=record.updated_at,
        observed=observed if isinstance(observed := getattr(record, "observed_at", None), datetime) else None,
        summary=without_emphasis(record.summary),
        language=language_of(record.language),
        topics=tuple(record.topics),
        origins=tuple(dict.fromkeys(source.origin for source in sources)),
        names=tuple(_names(entry)),
        marks=tuple(dict.fromkeys(mark for mark in _marks(entry, archive) if mark)),
        blocks=bounded_blocks(_blocks(entry)),
        detail=merged(DETAILS, entry, written=True),
    )


def _names(entry: Entry) -> Iterator[str]:
    yield entry.head.id.partition("/")[2]
    question = getattr(entry.record, "question", "")
    if isinstance(question, str) and question:
        yield question


def _marks(entry: Entry, archive: Archive) -> Iterator[str]:
    record = entry.record
    yield " ".join(
        word
        for word in record.id.partition("/")[2].split("-")
        if len(word) >= SLUG_WORD and word not in record.title.lower()
    )
    yield from record.tags
    yield from topic_titles(record.topics, archive)
    yield entry.kind.singular
    for source in record.sources:
        yield source.title
        yield source.publisher or ""
    yield from (text for text in _kind_texts(entry) if " " not in text)


def topic_titles(slugs: Iterable[str], archive: Archive) -> Iterator[str]:
    """The title of each topic hub; the words of a slug without one."""
    for slug in slugs:
        hub = archive.entry(topic_id(slug))
        yield hub.head.title if hub else slug.replace("-", " ")


def _blocks(entry: Entry) -> Iterator[tuple[str, ...]]:
    record = entry.record
    own = (text for text in _kind_texts(entry) if " " in text)
    changes = (change.note for change in (*record.updates, *record.corrections) if change.note)
    short = map(without_emphasis, chain([record.summary], own))
    for text in chain(short, prose(record.body_markdown[:TEXT_LENGTH]), changes):
        yield tuple(sentences_of(text))


def bounded_blocks(paragraphs: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The blocks without duplicates; sentences are joined when there are too many of them."""
    blocks = list(dict.fromkeys(block for block in paragraphs if block))
    group = -(-sum(map(len, blocks)) // MAX_RECORD_PASSAGES) or 1
    if group > 1:
        lines = [line for block in blocks for line in block]
        return tuple((" ".join(lines[at : at + group]),) for at in range(0, len(lines), group))
    return tuple(blocks)


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a paragraph, each on one line and of bounded length."""
    for sentence in _SENTENCE.split(" ".join(text.split())):
        rest = sentence.strip()
        while len(rest) > LINE_LENGTH:
            cut = rest.rfind(" ", 1, LINE_LENGTH)
            cut = cut if cut > 0 else LINE_LENGTH
            yield rest[:cut]
            rest = rest[cut:].strip()
        if rest:
            yield rest


def prose(markdown: str) -> Iterator[str]:
    """The blocks of a Markdown text as plain text: paragraphs, headings, list items, cells, code."""
    parts: list[str] = []
    for event in PARSER.events(markdown):
        if isinstance(event, str):
            parts.append(" ")
            continue
        name, value = next(iter(event.items()))
        if name in ("Text", "Code"):
            parts.append(str(value))
        elif mathematics := formula(event):
            parts.append(mathematics)
        elif name in ("Start", "End") and _tag(value) not in _INLINE:
            if _tag(value) == "Heading":
                parts[:] = [without_id("".join(parts))[0]]
            yield from _flushed(parts)
    yield from _flushed(parts)


def _tag(value: object) -> str:
    if isinstance(value, str):
        return value
    return str(next(iter(value), "")) if isinstance(value, dict) else ""


def _flushed(parts: list[str]) -> Iterator[str]:
    text = "".join(parts).strip()
    parts.clear()
    if text:
        yield text


def _kind_texts(entry: Entry) -> Iterator[str]:
    """Every text in the fields that the kind adds; addresses, references and dates are left out."""
    names = set(entry.kind.fields.model_fields)
    pointers = {mark.location for mark in marked(entry.record)}
    for name in type(entry.record).model_fields:
        if name in names:
            yield from _texts(getattr(entry.record, name), (name,), pointers)


def _texts(value: object, at: Location, pointers: set[Location]) -> Iterator[str]:
    if isinstance(value, str):
        if at not in pointers and not _ADDRESS.fullmatch(value):
            yield value
    elif isinstance(value, BaseModel):
        model = Claim if isinstance(value, Claim) else type(value)  # the anchor of a claim is no word of its author
        for name in model.model_fields:
            yield from _texts(getattr(value, name), (*at, name), pointers)
    elif isinstance(value, Mapping):
        for name in sorted(value, key=str):
            yield from _texts(value[name], (*at, str(name)), pointers)
    elif isinstance(value, Sequence):
        for place, item in enumerate(value):
            yield from _texts(item, (*at, place), pointers)
