"""What a citation says of a record or dataset, read from its published document, and the line that people print."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import AliasChoices, ConfigDict, Field

from citepress.base.text import sentence_list
from citepress.base.timestamps import MONTHS, UNKNOWN, at_offset, day
from citepress.base.values import value_type
from citepress.contract.model import LocalMoment, Model, Moment
from citepress.contract.record import Author

DOI_RESOLVER, ORCID = "https://doi.org/", "https://orcid.org/"
BYLINE = 200
"""Characters of the names in a line; of more only the first is printed."""
_SPDX = re.compile(r"[A-Za-z0-9.+-]+")


@dataclass(frozen=True, slots=True)
class Imprint:
    """Who stands behind every citation of an archive."""

    title: str
    """Name of the publication."""
    owner: str
    """Who publishes it; may be the publication itself."""
    language: str
    """BCP 47 language tag of the publication."""
    page: str = ""
    """Address of the owner's profile."""


class CitedDocument(Model):
    """The members of a published record or dataset that a citation is made of."""

    model_config = ConfigDict(extra="ignore", from_attributes=True)

    id: str
    title: str
    summary: str = ""
    url: str = Field(validation_alias=AliasChoices("canonical_url", "html_url"))
    authors: list[Author] = Field(default_factory=list)
    creator: str = ""
    published_at: LocalMoment
    updated_at: LocalMoment
    utc_offset: str | None = None
    revision: int = 0
    revision_url: str | None = None
    revised_at: Moment | None = None
    version: str = ""
    language: str = ""
    license: str = ""
    doi: str | None = None
    keywords: list[str] = Field(default_factory=list, validation_alias=AliasChoices("tags", "keywords"))


@value_type
class Reference:
    """A citation of one record or dataset, as plain text in every member."""

    key: str
    """Its name in a bibliography: the id with a colon in place of the slash, which no two ids share."""
    title: str
    summary: str
    """As its author wrote it, as are the words and people."""
    url: str
    """Address of the revision where that is kept, else of its page."""
    people: tuple[Author, ...]
    """Everybody named by the record."""
    authors: tuple[str, ...]
    """Names of those who wrote it: its authors, else its owner; the publication itself where there is no other."""
    publisher: str
    """Name of the publication; empty where that is the author."""
    publication: str
    """Name of the publication."""
    published: datetime
    updated: datetime
    edition: str
    """``Revision 3, 2026-04-01`` of a record, by the day since which this revision is public, or where that is not kept
    the last one that the record notes; ``Version v2, 2026-04-01`` of a dataset."""
    language: str
    license: str
    """SPDX id, URL, or words."""
    doi: str
    """Without the resolver; empty where there is none."""
    words: tuple[str, ...]
    dataset: bool
    page: str
    """Address of the owner's profile, where the owner is the author."""
    page_url: str
    """Canonical address of its page."""

    @property
    def abstract(self) -> str:
        """The summary on one line."""
        return one_line(self.summary)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Its tags or keywords."""
        return tuple(map(one_line, self.words))

    @property
    def author_urls(self) -> tuple[str, ...]:
        """The persistent address of each author: that of the ORCID iD, else the page about them."""
        return _addresses(self.writers) or ((self.page,) if self.page else ())

    @property
    def writers(self) -> tuple[Author, ...]:
        """Those who wrote it, of everybody that the record names."""
        return tuple(person for person in self.people if person.role == "author")

    @property
    def cite_as(self) -> str:
        """The persistent address: that of the DOI where there is one."""
        return DOI_RESOLVER + self.doi if self.doi else self.url

    @property
    def line(self) -> str:
        """One line in the manner of APA, ready to print.

        Behind a DOI, which leads to the newest revision, is the address of the revision that is cited.
        """
        sort = " [Data set]" if self.dataset else ""
        names = sentence_list(self.authors, "&")
        if len(names) > BYLINE:
            names = f"{self.authors[0]} et al." if len(self.authors) > 1 else names
        parts = [
            f"{names.removesuffix('.')}.",
            f"({self.published.year}, {MONTHS[self.published.month - 1]} {self.published.day})."
            if self.published != UNKNOWN
            else "(n.d.).",
            f"{one_line(self.title)} ({self.edition}){sort}.",
        ]
        addresses = [self.cite_as] if self.url in (self.page_url, self.cite_as) else [self.cite_as, self.url]
        return " ".join([*parts, *([f"{self.publisher}."] if self.publisher else []), *addresses])

    def named(self, role: str) -> tuple[str, ...]:
        """The names of those with this role."""
        return tuple(one_line(person.name) for person in self.people if person.role == role)


def citation_of(document: Any, publisher: Imprint) -> Reference:  # noqa: ANN401  (a model, or JSON)
    """The citation of a published record or dataset: as a model, or as the members of its JSON form."""
    cited = CitedDocument.model_validate(document)
    published, updated = (at_offset(moment, cited.utc_offset) for moment in (cited.published_at, cited.updated_at))
    writers = tuple([one_line(person.name) for person in cited.authors if person.role == "author"])
    authors = writers or (one_line(cited.creator or publisher.owner),)
    publication = one_line(publisher.title)
    dataset = bool(cited.version)
    edition = f"Version {cited.version}" if dataset else f"Revision {cited.revision}"
    if cited.revised_at and not cited.revision_url:
        edition += ", uncommitted"  # the next edit may have the number for other words
    return Reference(
        key=cited.id.replace("/", ":"),
        title=one_line(cited.title),
        summary=cited.summary,
        url=cited.revision_url or cited.url,
        page_url=cited.url,
        people=tuple(cited.authors),
        authors=authors,
        publisher="" if authors == (publication,) else publication,
        publication=publication,
        published=published,
        updated=updated,
        edition=f"{edition}, {day(at_offset(cited.revised_at, cited.utc_offset) if cited.revised_at else updated)}",
        language=cited.language or publisher.language,
        license=cited.license,
        doi=cited.doi or "",
        words=tuple(cited.keywords),
        dataset=dataset,
        page=publisher.page if authors == (publisher.owner,) else "",
    )


def one_line(text: str) -> str:
    """The text on one line, without control characters."""
    if "  " not in text and text[:1] != " " != text[-1:] and text.isprintable():
        return text
    return " ".join((text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)).split())


def _addresses(people: Iterable[Author]) -> tuple[str, ...]:
    links = (f"{ORCID}{person.orcid}" if person.orcid else person.url for person in people)
    return tuple(dict.fromkeys(address for address in links if address))


def license_url(license_id: str) -> str:
    """The address of a licence by its SPDX id or URL; empty for free words."""
    if "://" in license_id:
        return license_id if " " not in license_id else ""
    return f"https://spdx.org/licenses/{license_id}.html" if _SPDX.fullmatch(license_id) else ""


def person(author: Author) -> Mapping[str, str]:
    """An author as a schema.org object."""
    address = {"url": author.url} if author.url else {}
    return (
        {"@type": "Person", "name": author.name}
        | address
        | ({"@id": ORCID + author.orcid, "identifier": ORCID + author.orcid} if author.orcid else {})
    )
