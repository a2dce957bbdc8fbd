"""Project blueprints: something a reader can build, with its parts and steps."""

from pydantic import Field

from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.model import OneLine, Text
from citepress.contract.page import Block, Facts, Nugget
from citepress.contract.record import Fields, Record
from citepress.kinds.parts import fact, sentences
from citepress_research.kinds.parts import Named, Step, named, steps


class ProjectFields(Fields):
    """What a project blueprint adds."""

    problem: Text
    """The problem that it solves."""
    components: list[Named] = Field(default_factory=list, max_length=50)
    """Its parts."""
    steps: list[Step] = Field(default_factory=list, max_length=100)
    """How it is built, in order."""
    effort: OneLine
    """How much work it is."""
    prerequisites: list[OneLine] = Field(default_factory=list, max_length=50)
    """What has to exist first."""


class ProjectRecord(ProjectFields, Record):
    """A blueprint of something to build."""


def _blocks(record: ProjectRecord, _archive: Archive) -> tuple[Block, ...]:
    return (
        Nugget("problem", "The problem", record.problem),
        Facts("effort", "Effort", (fact("Effort", record.effort),)),
        *sentences("prerequisites", "Prerequisites", record.prerequisites),
        *named("components", "Components", record.components),
        *steps(record.steps),
    )


KIND = Kind(
    name="projects",
    schema="ProjectRecord",
    index="ProjectIndex",
    singular="Project blueprint",
    plural="Projects",
    about="Blueprints of things to build: the problem, the parts, the steps and the effort.",
    fields=ProjectFields,
    record=ProjectRecord,
    blocks=_blocks,
    deciding=("problem", "effort"),
)
