"""What the head of a record's page says beside its title: who wrote it, how sure it is, which version it is."""

from citepress.archive.model import Entry
from citepress.contract.citation import ORCID
from citepress.contract.page import Fact, Link
from citepress.contract.record import Author
from citepress.kinds.parts import fact, facts
from citepress.kinds.record_versions import history_path


def authors(entry: Entry) -> tuple[Link, ...]:
    """Who wrote a record, with their addresses."""
    return tuple(_author(author, entry.head.language) for author in entry.record.authors)


def standing(entry: Entry) -> tuple[Fact, ...]:
    """How far a record has got, in the words of its kind; what it rests on, and its revision."""
    record = entry.record
    rests_on = fact("Sources", str(len(record.sources)) if record.sources else None)
    return facts(
        *entry.kind.standing(record), rests_on, fact("Revision", Link(str(record.revision), history_path(entry)))
    )


def _author(author: Author, language: str) -> Link:
    part = "" if author.role == "author" else f" ({author.role})"
    address = author.url or (ORCID + author.orcid if author.orcid else "")
    return Link(author.name + part, address, language=language)
