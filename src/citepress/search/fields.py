"""An entry of the archive as the index files it: what is searched, what a hit shows, and what a research bundle quotes."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import chain, islice
from typing import Any

import pyromark
from pydantic import BaseModel

from citepress.archive.model import Archive, Entry
from citepress.contract.refs import Location, marked
from citepress.search.analyzer import language_of
from citepress.search.freshness import evidence_days

LINES = 1000
"""Passages kept of one record; a longer text has longer passages."""
LINE_LENGTH = 600
TEXT_LENGTH = 400_000
"""Characters of one record that are searched."""
STATEMENTS = 40
"""Sourced statements of one record that a bundle can quote."""
SLUG_WORD = 3
"""Letters from which a word of a slug that its title lacks is searched too."""
_MARKDOWN = pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES)
_SENTENCE = re.compile(r"(?<=[.!?…])(?<![A-Z]\.)(?<!e\.g\.)(?<!i\.e\.)[\"')\]]*\s+(?=[\"'(\[]?[^\sa-z])|(?<=[。！？])")  # noqa: RUF001
_ADDRESS = re.compile(r"https?://\S+")
_INLINE = ("Emphasis", "Strong", "Strikethrough", "Link", "Image")


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A record as the index holds it."""

    id: str
    kind: str
    title: str
    path: str
    published: datetime
    updated: datetime
    dated: tuple[date, ...] = ()
    """Days of its evidence, newest first (``freshness.py``)."""
    summary: str = ""
    language: str = "en"
    """Primary language subtag."""
    topics: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    """Origins of its sources in order; the first stands for the record where sources are spread."""
    names: tuple[str, ...] = ()
    """Short texts that name the record beside its title: its slug, and the question that it answers."""
    marks: tuple[str, ...] = ()
    """Short texts that find the record and are no passage: tags, topic titles, titles of sources."""
    blocks: tuple[tuple[str, ...], ...] = ()
    """Sentences in reading order, without the title; a passage never spans two blocks."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """What a research bundle says of the record."""


def index_entry(entry: Entry, archive: Archive) -> IndexEntry:
    """The filing of one entry."""
    record = entry.record
    return IndexEntry(
        id=record.id,
        kind=record.kind,
        title=record.title,
        path=entry.path,
        published=record.published_at,
        updated=record.updated_at,
        dated=evidence_days(record),
        summary=record.summary,
        language=language_of(record.language),
        topics=tuple(record.topics),
        origins=tuple(dict.fromkeys(source.origin for source in sorted(record.sources, key=lambda one: one.role != "primary"))),
        names=tuple(_names(entry)),
        marks=tuple(dict.fromkeys(mark for mark in _marks(entry, archive) if mark)),
        blocks=_bounded(_blocks(entry)),
        detail=_detail(entry),
    )


def _names(entry: Entry) -> Iterator[str]:
    yield entry.record.id.partition("/")[2]
    question = getattr(entry.record, "question", "")
    if isinstance(question, str) and question:
        yield question


def _marks(entry: Entry, archive: Archive) -> Iterator[str]:
    record = entry.record
    yield " ".join(word for word in record.id.partition("/")[2].split("-") if len(word) >= SLUG_WORD and word not in record.title.lower())
    yield from record.tags
    for slug in record.topics:
        hub = archive.entry(f"topics/{slug}")
        yield hub.record.title if hub else slug.replace("-", " ")
    yield entry.kind.singular
    for source in record.sources:
        yield source.title
        yield source.publisher or ""
    yield from (text for text in _own_texts(entry) if " " not in text)


def _blocks(entry: Entry) -> Iterator[tuple[str, ...]]:
    record = entry.record
    own = (text for text in _own_texts(entry) if " " in text)
    changes = (change.note for change in (*record.updates, *record.corrections) if change.note)
    for text in chain([record.summary], own, prose(record.body_markdown[:TEXT_LENGTH]), changes):
        yield tuple(sentences_of(text))


def _bounded(found: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The blocks without repeats; sentences are joined where there are too many of them."""
    blocks = list(dict.fromkeys(block for block in found if block))
    group = -(-sum(map(len, blocks)) // LINES) or 1
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
    for event in _MARKDOWN.events(markdown):
        if isinstance(event, str):
            parts.append(" ")
            continue
        name, value = next(iter(event.items()))
        if name in ("Text", "Code"):
            parts.append(str(value))
        elif name in ("Start", "End") and _tag(value) not in _INLINE:
            yield from _flushed(parts)
    yield from _flushed(parts)


def _tag(value: object) -> str:
    return value if isinstance(value, str) else str(next(iter(value), "")) if isinstance(value, dict) else ""


def _flushed(parts: list[str]) -> Iterator[str]:
    text = "".join(parts).strip()
    parts.clear()
    if text:
        yield text


def _own_texts(entry: Entry) -> Iterator[str]:
    """Every text among the members that the kind adds; addresses, references and dates are no text."""
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
        for name in type(value).model_fields:
            yield from _texts(getattr(value, name), (*at, name), pointers)
    elif isinstance(value, Mapping):
        for name in sorted(value, key=str):
            yield from _texts(value[name], (*at, str(name)), pointers)
    elif isinstance(value, Sequence):
        for place, item in enumerate(value):
            yield from _texts(item, (*at, place), pointers)


def _detail(entry: Entry) -> dict[str, Any]:
    record = entry.record
    confidence = getattr(record, "confidence", None)
    return {
        "url": record.canonical_url,
        "revision": record.revision,
        "confidence": confidence.model_dump(mode="json") if isinstance(confidence, BaseModel) else None,
        "statements": list(islice(_statements(entry), STATEMENTS)),
        "sources": [{"url": one.normalized_url, "title": one.title, "origin": one.origin, "role": one.role} for one in record.sources],
        "edges": [(edge.type, edge.target) for edge in entry.edges if edge.type in ("supports", "contradicts")],
    }


def _statements(entry: Entry) -> Iterator[dict[str, Any]]:
    """Statements with sources of their own: claims, evidence, counter-evidence, under the name of their member."""
    addresses = {source.id: source.normalized_url for source in entry.record.sources}
    for name in entry.kind.fields.model_fields:
        members = getattr(entry.record, name, None)
        for one in members if isinstance(members, Sequence) and not isinstance(members, str) else ():
            refs = getattr(one, "source_refs", None)
            text = getattr(one, "text", "") or getattr(one, "summary", "")
            if refs is not None and text:
                yield {"member": name, "text": text, "sources": [addresses[ref] for ref in refs if ref in addresses]}
