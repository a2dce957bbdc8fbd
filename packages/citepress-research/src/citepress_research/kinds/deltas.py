"""Deltas: what changed between two dated states of one thing, how well it is verified and what can be built on it."""

from typing import Literal

from pydantic import Field

from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.model import Moment, Text
from citepress.contract.page import Block, Fact, Facts
from citepress.contract.record import Evidence, Fields, Record
from citepress.kinds.parts import evidence, fact
from citepress_research.kinds.parts import coded


class DeltaFields(Fields):
    """What a delta adds."""

    verification_level: Literal["unverified", "single_source", "corroborated", "reproduced"]
    """How well the change is verified."""
    buildability_class: Literal["buildable_now", "needs_parts", "research", "not_buildable"]
    """Whether one can build on it today."""
    before: Text
    """The state before."""
    after: Text
    """The state after."""
    occurred_at: Moment
    """When it changed."""
    evidence: list[Evidence] = Field(default_factory=list, max_length=200)
    """What shows it."""


class DeltaRecord(DeltaFields, Record):
    """A change between two dated states."""


def _blocks(record: DeltaRecord, archive: Archive) -> tuple[Block, ...]:
    change = (
        fact("Before", record.before),
        fact("After", record.after),
        fact("Occurred", record.occurred_at),
        fact("Verification", coded(record.verification_level)),
        fact("Buildability", coded(record.buildability_class)),
    )
    return (Facts("change", "What changed", change), *evidence(record, archive, record.evidence))


def _standing(record: DeltaRecord) -> tuple[Fact, ...]:
    return (fact("Verification", coded(record.verification_level)),)


KIND = Kind(
    name="deltas",
    schema="DeltaRecord",
    index="DeltaIndex",
    singular="Delta",
    plural="Deltas",
    about="What changed between two dated states of one thing, with its verification and what can be built on it.",
    fields=DeltaFields,
    record=DeltaRecord,
    blocks=_blocks,
    standing=_standing,
    deciding=("verification_level", "buildability_class", "occurred_at"),
)
