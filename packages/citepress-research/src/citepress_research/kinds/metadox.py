"""Metadox: dated editorial digests of what changed in the archive."""

from pydantic import Field

from citepress.archive.dates import Dated, Rule, Subject, last_change
from citepress.archive.model import Archive
from citepress.base.timestamps import day
from citepress.contract.dates import follow
from citepress.contract.kind import Kind
from citepress.contract.model import AnyMoment, Model
from citepress.contract.page import INTERFACE, Block, Facts, Items, Link
from citepress.contract.record import Fields, Record
from citepress.contract.refs import EvidenceRef
from citepress.kinds.parts import fact
from citepress_research.fault_codes import DIGEST_TOO_EARLY
from citepress_research.kinds.parts import members, not_before


class Period(Model):
    """The days that a digest covers."""

    start: AnyMoment
    """First day."""
    end: AnyMoment
    """Last day."""

    _after_start = not_before("end", "start")


class MetadoxFields(Fields):
    """What a metadox adds."""

    period: Period
    """The days that it covers."""
    records: list[EvidenceRef] = Field(default_factory=list, max_length=200)
    """The records that it covers."""


class MetadoxRecord(MetadoxFields, Record):
    """A digest of what changed."""


def _blocks(record: MetadoxRecord, archive: Archive) -> tuple[Block, ...]:
    span = f"{day(record.period.start)} to {day(record.period.end)}"
    period = fact("Period", Link(span, language=INTERFACE, spoken=True))
    spoken = members(archive, record.records)
    return (
        Facts("period", "Period", (period,)),
        *((Items("records", "Records in this digest", spoken),) if spoken else ()),
    )


def _listed(subject: Subject) -> Dated:
    """Publications of the records that a digest lists, each at its place, and the end of its period."""
    yield from follow(subject.front, ("period", "end"))
    front: object = subject.front
    index = subject.index
    if index is None or not isinstance(front, MetadoxFields):
        return
    for place, name in enumerate(front.records):
        listed = index.published.get(index.id_of(name, ""))
        if listed:
            yield ("records", place), listed.front.date


LISTED_LATER = Rule(
    DIGEST_TOO_EARLY,
    _listed,
    last_change,
    "{date} is after the digest's last change ({limit})",
    "leave it to the next digest, or add an entry under updates",
    between=True,
)
KIND = Kind(
    name="metadox",
    schema="MetadoxRecord",
    index="MetadoxIndex",
    singular="Metadox",
    plural="Metadox",
    about="Dated editorial digests of what changed in the archive.",
    fields=MetadoxFields,
    record=MetadoxRecord,
    blocks=_blocks,
    promised_index=False,
    deciding=("period", "records"),
    date_rules=(LISTED_LATER,),
)
