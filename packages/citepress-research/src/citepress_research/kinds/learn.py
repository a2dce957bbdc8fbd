"""Learning guides: for whom, how long, which steps, and what one can do afterwards."""

from typing import Annotated, Literal

from pydantic import Field

from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.model import OneLine, Text
from citepress.contract.page import Block, Facts
from citepress.contract.record import Fields, Record
from citepress.kinds.parts import fact, sentences
from citepress_research.kinds.parts import Step, steps


class LearnFields(Fields):
    """What a learning guide adds."""

    audience: OneLine
    """Intended readers."""
    level: Literal["beginner", "intermediate", "advanced"]
    """Difficulty."""
    minutes: Annotated[int, Field(ge=1, le=10_000)]
    """Duration in minutes."""
    steps: list[Step] = Field(default_factory=list, max_length=100)
    """What to do, in order."""
    outcomes: list[Text] = Field(default_factory=list, max_length=50)
    """What readers can do afterwards."""


class LearnRecord(LearnFields, Record):
    """A guide to learn from."""


def _blocks(record: LearnRecord, _archive: Archive) -> tuple[Block, ...]:
    frame = (fact("Audience", record.audience), fact("Level", record.level), fact("Time", f"{record.minutes} minutes"))
    return (
        Facts("frame", "Before you begin", frame),
        *sentences("outcomes", "Outcomes", record.outcomes),
        *steps(record.steps),
    )


KIND = Kind(
    name="learn",
    schema="LearnRecord",
    index="LearnIndex",
    singular="Learning guide",
    plural="Learn",
    about="Guides with steps, a duration and what you can do afterwards.",
    fields=LearnFields,
    record=LearnRecord,
    blocks=_blocks,
    deciding=("audience", "level", "minutes"),
    linked_type="LearningResource",
)
