"""Shifts: a change of practice from one state to another, with what drives it."""

from pydantic import Field

from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.model import Moment, Text
from citepress.contract.page import Block, Facts
from citepress.contract.record import Evidence, Fields, Record
from citepress.kinds.parts import evidence, fact, sentences


class ShiftFields(Fields):
    """What a shift adds."""

    from_state: Text
    """How things were done before."""
    to_state: Text
    """How they are done now."""
    observed_at: Moment
    """When the change was seen."""
    drivers: list[Text] = Field(default_factory=list, max_length=50)
    """What drives it."""
    evidence: list[Evidence] = Field(default_factory=list, max_length=200)
    """What shows it."""


class ShiftRecord(ShiftFields, Record):
    """A change of practice."""


def _blocks(record: ShiftRecord, archive: Archive) -> tuple[Block, ...]:
    states = (fact("From", record.from_state), fact("To", record.to_state), fact("Observed", record.observed_at))
    return (
        Facts("states", "What shifted", states),
        *sentences("drivers", "Drivers", record.drivers),
        *evidence(record, archive, record.evidence),
    )


KIND = Kind(
    name="shifts",
    schema="ShiftRecord",
    index="ShiftIndex",
    singular="Shift",
    plural="Shifts",
    about="Changes of practice from one state to another, with drivers and evidence.",
    fields=ShiftFields,
    record=ShiftRecord,
    blocks=_blocks,
    deciding=("observed_at", "from_state", "to_state"),
)
