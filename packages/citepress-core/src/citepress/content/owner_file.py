"""``content/owner.md``: who publishes the archive."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from citepress.content.files import ContentFile
from citepress.content.front import front_of
from citepress.content.front_mapping import front_mapping
from citepress.content.open_text import open_text
from citepress.content.parsed import Parsed
from citepress.content.placeholders import placeholder_faults
from citepress.content.source_map import SourceFile, split
from citepress.contract.model import Model, Moment, OneLine, Text
from citepress.contract.record import Url, Word
from citepress.contract.site import Site

OWNER_FILE = "content/owner.md"


class Role(Model):
    """A position that the owner held or holds."""

    title: OneLine
    """What it is called."""
    organization: OneLine | None = None
    """Where."""
    start: Moment | None = None
    """First day."""
    end: Moment | None = None
    """Last day; left out while it lasts."""
    description: Text | None = None
    """What it consists of."""


class Work(Model):
    """Something that the owner made."""

    title: OneLine
    """Its name."""
    url: Url | None = None
    """Where to find it."""
    description: Text | None = None
    """What it is."""


class OwnerLink(Model):
    """Another page of the owner."""

    title: OneLine
    """What it is."""
    url: Url
    """Its address."""


class Contact(Model):
    """How the owner can be reached."""

    email: OneLine | None = None
    """Mail address."""
    url: Url | None = None
    """Address of a page or form."""
    note: OneLine | None = None
    """How to make contact, in a sentence."""


def _contact(value: object) -> object:
    """A contact written as one line is a page, a mail address, or words."""
    if not isinstance(value, str):
        return value
    if value.startswith(("http://", "https://")):
        return {"url": value}
    address = value.removeprefix("mailto:")
    return {"email": address} if "@" in address and " " not in address else {"note": value}


class OwnerInput(Model):
    """The front matter of ``owner.md``."""

    name: OneLine
    """Name of the person or organisation."""
    type: Literal["Person", "Organization"] = "Organization"
    """Which of the two."""
    headline: OneLine
    """What they do, in a line."""
    description: Text
    """What they do, in a few sentences."""
    url: Url | None = None
    """Their own page."""
    image: OneLine | None = None
    """Path or address of a picture."""
    founded: Moment | None = None
    """When the organisation was founded."""
    expertise: list[Word] = Field(default_factory=list, max_length=100)
    """Fields of knowledge."""
    roles: list[Role] = Field(default_factory=list, max_length=100)
    """Positions, newest first."""
    works: list[Work] = Field(default_factory=list, max_length=200)
    """Works."""
    links: list[OwnerLink] = Field(default_factory=list, max_length=50)
    """Further pages."""
    contact: Annotated[Contact | None, BeforeValidator(_contact, json_schema_input_type=Contact | OneLine)] = None
    """A mail address, a page or a sentence; or a mapping of ``email``, ``url``, ``note``."""


@dataclass(frozen=True, slots=True)
class OwnerPage:
    """The file as it was read."""

    profile: OwnerInput
    text: str
    """What is written below the front matter."""


def read_owner(root: Path, file: ContentFile) -> Parsed[OwnerPage]:
    """The owner. Raises ``Faults``."""
    source_file = SourceFile(root, file.path)
    matter = split(open_text(root, file))
    raw = front_mapping(source_file, matter)
    profile = front_of(OwnerInput, raw, source_file)
    return Parsed(OwnerPage(profile, matter.body), tuple(placeholder_faults(raw, source_file, matter)))


def standing_in(site: Site) -> OwnerInput:
    """The publication as its own owner, where no ``owner.md`` names one."""
    return OwnerInput(
        name=site.owner or site.title,
        headline=site.title,
        description=site.description or f"The publisher of {site.title}.",
        url=site.base_url,
    )
