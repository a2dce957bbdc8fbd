"""Parts of record pages that several kinds share: evidence, references, labelled values, lists of sentences."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from citepress.archive.model import Archive
from citepress.base.languages import UNDETERMINED
from citepress.base.timestamps import day
from citepress.contract.page import INTERFACE, Block, Fact, Item, Items, Link
from citepress.contract.record import Claim, Evidence, Named, Record, Step

UNEXPLAINED = "Edited; no note was given."
"""What a page says of a change that its publisher does not explain."""


def words(value: str) -> str:
    """``single source`` for ``single_source``: a coded value as people read it."""
    return value.replace("_", " ")


def coded(value: str) -> Link:
    """A coded value as people read it, in the language of the interface."""
    return Link(words(value), language=INTERFACE)


def fact(label: str, *values: str | datetime | Link | None) -> Fact:
    """A labelled value; what is ``None`` or empty is left out."""
    links = (value if isinstance(value, Link) else Link(day(value) if isinstance(value, datetime) else value) for value in values if value)
    return Fact(label, tuple(links))


def facts(*found: Fact) -> tuple[Fact, ...]:
    """Those of the facts that have a value."""
    return tuple(one for one in found if one.values)


def source_links(record: Record, refs: Iterable[str]) -> tuple[Link, ...]:
    """Links to the sources of a record that these ids name."""
    known = {source.id: source for source in record.sources}
    return tuple(Link(known[ref].title, known[ref].url, UNDETERMINED) for ref in refs if ref in known)


def record_links(archive: Archive, ids: Iterable[str], titles: Mapping[str, str] | None = None) -> tuple[Link, ...]:
    """Links to published records; an id that is not published is passed over."""
    found = ((archive.entry(id_), id_) for id_ in ids)
    return tuple(Link((titles or {}).get(id_, entry.record.title), entry.path, entry.record.language) for entry, id_ in found if entry)


def evidence(record: Record, archive: Archive, found: Sequence[Evidence], title: str = "Evidence") -> tuple[Block, ...]:
    """A timeline of dated evidence, oldest first, each with the sources and records that carry it."""
    ordered = sorted(found, key=lambda one: (one.date is None, one.date or record.published_at))
    items = tuple(
        Item(one.text, one.date, links=(*source_links(record, one.source_refs), *record_links(archive, one.records))) for one in ordered
    )
    return (Items("evidence", title, items, timeline=True),) if items else ()


def claims(record: Record, found: Sequence[Claim]) -> tuple[Block, ...]:
    """Statements that can be checked, each with its sources."""
    items = tuple(Item(one.text, links=source_links(record, one.source_refs)) for one in found)
    return (Items("claims", "Claims", items),) if items else ()


def sentences(anchor: str, title: str, found: Sequence[str]) -> tuple[Block, ...]:
    """A plain list."""
    return (Items(anchor, title, tuple(Item(text) for text in found)),) if found else ()


def named(anchor: str, title: str, found: Sequence[Named]) -> tuple[Block, ...]:
    """A list of named parts."""
    return (Items(anchor, title, tuple(Item(one.description, title=one.name) for one in found)),) if found else ()


def steps(found: Sequence[Step]) -> tuple[Block, ...]:
    """Numbered steps."""
    return (Items("steps", "Steps", tuple(Item(one.text, title=one.title) for one in found), ordered=True),) if found else ()


def members(archive: Archive, ids: Iterable[str]) -> tuple[Item, ...]:
    """Records as list items with their dates; an id that is not published is passed over."""
    found: Iterable[Any] = (archive.entry(id_) for id_ in ids)
    return tuple(
        Item(
            entry.record.summary,
            entry.record.published_at,
            entry.path,
            entry.record.title,
            (Link(entry.kind.singular, language=INTERFACE),),
            entry.record.language,
        )
        for entry in found
        if entry
    )
