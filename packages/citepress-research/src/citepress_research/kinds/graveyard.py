"""Graveyard records: projects, protocols and features that ended, and what can be learnt from it."""

from pydantic import Field

from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.model import Moment, OneLine, Text
from citepress.contract.page import Block, Facts
from citepress.contract.record import Fields, Record
from citepress.kinds.parts import fact, facts, sentences
from citepress_research.kinds.parts import not_before


class GraveyardFields(Fields):
    """What a graveyard record adds."""

    born: Moment
    """When it began."""
    died: Moment
    """When it ended."""
    cause_of_death: Text
    """Why it ended."""
    lessons: list[Text] = Field(default_factory=list, max_length=50)
    """What can be learnt from it."""
    successor: OneLine | None = None
    """What took its place."""

    _after_birth = not_before("died", "born")


class GraveyardRecord(GraveyardFields, Record):
    """Something that ended."""


def _blocks(record: GraveyardRecord, _archive: Archive) -> tuple[Block, ...]:
    life = facts(
        fact("Born", record.born),
        fact("Died", record.died),
        fact("Cause of death", record.cause_of_death),
        fact("Successor", record.successor),
    )
    return (Facts("life", "Life and end", life), *sentences("lessons", "Lessons", record.lessons))


KIND = Kind(
    name="graveyard",
    schema="GraveyardRecord",
    index="GraveyardIndex",
    singular="Graveyard record",
    plural="Graveyard",
    about="Projects, protocols and features that ended: when, why, and what follows from it.",
    fields=GraveyardFields,
    record=GraveyardRecord,
    blocks=_blocks,
    deciding=("born", "died"),
)
