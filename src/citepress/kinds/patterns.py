"""Trend patterns: testable statements with evidence on both sides and the condition that would revise them."""

from typing import Annotated, Literal

from pydantic import Field

from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.model import Model, Moment, Text
from citepress.contract.page import INTERFACE, Block, Fact, Facts, Item, Items, Nugget
from citepress.contract.record import Evidence, Fields, Record, RecordUpdate, Update
from citepress.contract.refs import SourceRef
from citepress.kinds.parts import UNEXPLAINED, evidence, fact, facts, source_links


class Confidence(Model):
    """How sure the editors are, and why."""

    level: Literal["low", "medium", "high"]
    """The judgement in a word."""
    score: Annotated[float, Field(ge=0, le=1)] | None = None
    """The judgement as a number from 0 to 1."""
    rationale: Text
    """What the judgement rests on."""
    assessed_at: Moment
    """When it was made."""


class CounterEvidence(Model):
    """Something that speaks against the pattern."""

    summary: Text
    """What it shows."""
    source_refs: list[SourceRef] = Field(default_factory=list, max_length=50)
    """Ids of this record's sources."""


class RevisionTrigger(Model):
    """What would make the editors change the record."""

    condition: Text
    """What would have to be observed."""
    action: Text
    """What would then be done."""


class TrendPatternFields(Fields):
    """What a trend pattern adds."""

    statement: Text
    """One sentence that can be tested."""
    status: Literal["emerging", "established", "contested", "retired"]
    """Where the pattern stands."""
    confidence: Confidence
    """How sure the editors are, and why."""
    evidence: list[Evidence] = Field(min_length=1, max_length=200)
    """What speaks for it."""
    counter_evidence: list[CounterEvidence] = Field(max_length=200)
    """What speaks against it; an empty list says that none was found."""
    revision_trigger: list[RevisionTrigger] = Field(min_length=1, max_length=50)
    """What would make the editors change the record."""
    revisions: list[Update] = Field(default_factory=list, max_length=200)
    """Dated changes of the statement, the status or the confidence."""
    first_observed_at: Moment
    """When the pattern was first seen: no later than the first signal that supports it."""


class TrendPatternRecord(TrendPatternFields, Record):
    """A testable statement about where things go."""

    revisions: list[RecordUpdate]  # type: ignore[assignment]  # as published: each change has its id
    """Dated changes of the statement, the status or the confidence, newest first."""


def _blocks(record: TrendPatternRecord, archive: Archive) -> tuple[Block, ...]:
    against = tuple(Item(one.summary, links=source_links(record, one.source_refs)) for one in record.counter_evidence)
    triggers = tuple(Item(one.action, title=one.condition) for one in record.revision_trigger)
    revisions = tuple(Item(one.note or UNEXPLAINED, one.date, language="" if one.note else INTERFACE) for one in record.revisions)
    return (
        Nugget("nugget", "The pattern", record.statement),
        Facts("confidence", "Status and confidence", _standing(record)),
        *evidence(record, archive, record.evidence),
        Items("counter-evidence", "Counter-evidence", against or (Item("None was found so far.", language=INTERFACE),)),
        Items("revision-trigger", "Revision triggers", triggers),
        *((Items("revisions", "Revisions", revisions),) if revisions else ()),
    )


def _standing(record: TrendPatternRecord) -> tuple[Fact, ...]:
    sure = record.confidence
    score = "" if sure.score is None else f" ({sure.score:.2f} of 1)"
    return facts(
        fact("Status", record.status),
        fact("Confidence", f"{sure.level}{score}"),
        fact("Why", sure.rationale),
        fact("Assessed", sure.assessed_at),
        fact("First observed", record.first_observed_at),
    )


KIND = Kind(
    name="patterns",
    schema="TrendPatternRecord",
    index="PatternIndex",
    singular="Pattern",
    plural="Patterns",
    about="Testable statements with evidence, counter-evidence, a confidence and what would revise them.",
    fields=TrendPatternFields,
    record=TrendPatternRecord,
    blocks=_blocks,
    promised_forms=("html", "markdown", "json"),
    deciding=("statement", "status", "confidence"),
)
