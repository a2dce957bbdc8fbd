"""Parts of record pages that several kinds share: evidence, references, labelled values, lists of sentences."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from citepress.archive.model import Archive
from citepress.base.languages import UNDETERMINED
from citepress.base.timestamps import day
from citepress.contract.page import INTERFACE, Block, Fact, Item, Items, Link
from citepress.contract.record import Evidence, Named, Record, RecordClaim, Step

UNEXPLAINED = "Edited; no note was given."
"""The text for a change that its publisher does not explain."""


def words(value: str) -> str:
    """``single source`` for ``single_source``: a coded value as people read it."""
    return value.replace("_", " ")


def coded(value: str) -> Link:
    """A coded value as people read it, in the language of the interface."""
    return Link(words(value), language=INTERFACE)


def fact(label: str, *values: str | datetime | Link | None) -> Fact:
    """A labelled value; what is ``None`` or empty is left out."""
    links = (
        value if isinstance(value, Link) else Link(day(value) if isinstance(value, datetime) else value)
        for value in values
        if value
    )
    return Fact(label, tuple(links))


def facts(*rows: Fact) -> tuple[Fact, ...]:
    """Those of the facts that have a value."""
    return tuple(part for part in rows if part.values)


def source_links(record: Record, refs: Iterable[str]) -> tuple[Link, ...]:
    """Links to the sources of a record that these ids name."""
    by_id = {source.id: source for source in record.sources}
    return tuple(Link(by_id[ref].title, by_id[ref].url, UNDETERMINED) for ref in refs if ref in by_id)


def record_links(archive: Archive, ids: Iterable[str], titles: Mapping[str, str] | None = None) -> tuple[Link, ...]:
    """Links to published records; an id that is not published is passed over."""
    records = ((archive.entry(id_), id_) for id_ in ids)
    return tuple(
        Link((titles or {}).get(id_, entry.record.title), entry.path, entry.record.language)
        for entry, id_ in records
        if entry
    )


def evidence(
    record: Record, archive: Archive, pieces: Sequence[Evidence], title: str = "Evidence"
) -> tuple[Block, ...]:
    """A timeline of dated evidence, oldest first, each with the sources and records that carry it."""
    ordered = sorted(pieces, key=lambda part: (part.date is None, part.date or record.published_at))
    items = tuple(
        Item(
            part.text, part.date, links=(*source_links(record, part.source_refs), *record_links(archive, part.records))
        )
        for part in ordered
    )
    return (Items("evidence", title, items, timeline=True),) if items else ()


def claims(record: Record, statements: Sequence[RecordClaim]) -> tuple[Block, ...]:
    """Statements that can be checked, each with its sources."""
    items = tuple(Item(part.text, links=source_links(record, part.source_refs), id=part.id) for part in statements)
    return (Items("claims", "Claims", items),) if items else ()


def sentences(anchor: str, title: str, texts: Sequence[str]) -> tuple[Block, ...]:
    """A plain list."""
    return (Items(anchor, title, tuple(Item(text) for text in texts)),) if texts else ()


def named(anchor: str, title: str, parts: Sequence[Named]) -> tuple[Block, ...]:
    """A list of named parts."""
    return (Items(anchor, title, tuple(Item(part.description, title=part.name) for part in parts)),) if parts else ()


def steps(guide: Sequence[Step]) -> tuple[Block, ...]:
    """Numbered steps."""
    return (
        (Items("steps", "Steps", tuple(Item(part.text, title=part.title) for part in guide), ordered=True),)
        if guide
        else ()
    )


def members(archive: Archive, ids: Iterable[str]) -> tuple[Item, ...]:
    """Records as list items with their dates; an id that is not published is passed over."""
    records = (archive.entry(id_) for id_ in ids)
    return tuple(
        Item(
            entry.record.summary,
            entry.record.published_at,
            entry.path,
            entry.record.title,
            (Link(entry.kind.singular, language=INTERFACE),),
            entry.record.language,
        )
        for entry in records
        if entry
    )
