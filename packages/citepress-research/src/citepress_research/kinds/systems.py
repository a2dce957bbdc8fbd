"""System dossiers: what a real system offers, where it ends, and its versions, as assessed on a day."""

from operator import attrgetter

from pydantic import Field

from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.model import Model, Moment, OneLine, Text
from citepress.contract.page import Block, Facts, Item, Items
from citepress.contract.record import Fields, Record, Word
from citepress.kinds.parts import fact, sentences
from citepress_research.kinds.parts import Named, named


class SystemVersion(Model):
    """A release of the system."""

    version: Word
    """Its number or name."""
    released_on: Moment
    """The day of release."""
    note: Text | None = None
    """What it brought."""


class SystemFields(Fields):
    """What a system dossier adds."""

    vendor: OneLine
    """Who makes it."""
    interfaces: list[Named] = Field(default_factory=list, max_length=100)
    """How it is used."""
    limits: list[Text] = Field(default_factory=list, max_length=100)
    """What it cannot do."""
    versions: list[SystemVersion] = Field(default_factory=list, max_length=500)
    """Its releases."""
    assessed_at: Moment
    """When the dossier was checked."""


class SystemRecord(SystemFields, Record):
    """A dossier of a real system."""


def _blocks(record: SystemRecord, _archive: Archive) -> tuple[Block, ...]:
    versions = tuple(
        Item(version.note or "", version.released_on, title=version.version)
        for version in sorted(record.versions, key=attrgetter("released_on"))
    )
    return (
        Facts("dossier", "Dossier", (fact("Vendor", record.vendor), fact("Assessed", record.assessed_at))),
        *named("interfaces", "Interfaces", record.interfaces),
        *sentences("limits", "Limits", record.limits),
        *((Items("versions", "Versions", versions, timeline=True),) if versions else ()),
    )


KIND = Kind(
    name="systems",
    schema="SystemRecord",
    index="SystemIndex",
    singular="System dossier",
    plural="Systems",
    about="Dossiers of real systems: interfaces, limits and versions as assessed on a day.",
    fields=SystemFields,
    record=SystemRecord,
    blocks=_blocks,
    deciding=("vendor", "assessed_at"),
)
