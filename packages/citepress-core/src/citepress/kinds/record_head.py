"""What the head of a record's page says beside its title: who wrote it, how sure it is, its dates."""

from citepress.archive.model import Entry
from citepress.base.timestamps import at_offset, day, if_known
from citepress.contract.citation import ORCID
from citepress.contract.page import INTERFACE, Fact, Link
from citepress.contract.record import Author
from citepress.kinds.parts import fact, facts
from citepress.kinds.record_versions import history_path


def authors(entry: Entry) -> tuple[Link, ...]:
    """Who wrote a record, with their addresses."""
    return tuple(_author(author, entry.head.language) for author in entry.record.authors)


def standing(entry: Entry) -> tuple[Fact, ...]:
    """How far a record has got, in the words of its kind, and what it rests on."""
    record = entry.record
    rests_on = fact("Sources", str(len(record.sources)) if record.sources else None)
    return facts(*entry.kind.standing(record), rests_on)


def dates(entry: Entry) -> tuple[Link, ...]:
    """When a record was published, since when its text is as it is, and what its publisher last noted, in a sentence.

    A day is said once: the three agree for most records.
    """
    record = entry.record
    published = if_known(record.published_at)
    days = [day(published)] if published else []
    revised = record.revised_at and at_offset(record.revised_at, record.utc_offset)
    text = day(revised) if revised else ""
    changed = day(record.updated_at) if if_known(record.updated_at) else ""
    said = f"Published {days[0]}" if days else "Undated"
    if text and text not in days:
        said, days = f"{said}; text of {text}", [*days, text]
    noted = f"; last noted change {changed}" if changed and changed not in days else ""
    return (
        Link(f"{said} (", language=INTERFACE, spoken=True),
        Link(f"revision {record.revision}", history_path(entry), INTERFACE),
        Link(f"){noted}", language=INTERFACE, spoken=True),
    )


def _author(author: Author, language: str) -> Link:
    part = "" if author.role == "author" else f" ({author.role})"
    address = author.url or (ORCID + author.orcid if author.orcid else "")
    return Link(author.name + part, address, language=language)
