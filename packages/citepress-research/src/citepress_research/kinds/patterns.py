"""Trend patterns: testable statements with evidence on both sides and the condition that would revise them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from citepress.archive.dates import Rule, Subject, at
from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.model import Model, Moment, Text
from citepress.contract.page import INTERFACE, Block, Fact, Facts, Item, Items, Nugget
from citepress.contract.record import Evidence, Fields, Record, RecordUpdate, Update
from citepress.contract.refs import Location, Ref, SourceRef
from citepress.kinds.parts import UNEXPLAINED, evidence, fact, facts, source_marks
from citepress_research.fault_codes import OBSERVED_TOO_LATE

PATTERNS = "patterns"
SupportsRef = Annotated[str, Ref("supports", PATTERNS)]
ContradictsRef = Annotated[str, Ref("contradicts", PATTERNS)]
PatternRef = Annotated[str, Ref("related", PATTERNS)]


class Confidence(Model):
    """How sure the editors are, and why."""

    level: Literal["low", "medium", "high"]
    """The judgement in a word."""
    score: Annotated[float, Field(ge=0, le=1)] | None = None
    """The judgement as a number from 0 to 1."""
    rationale: Text
    """The reasons for the judgement."""
    assessed_at: Moment
    """When it was made."""


class CounterEvidence(Model):
    """Evidence against the pattern."""

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
    """The status of the pattern."""
    confidence: Confidence
    """How sure the editors are, and why."""
    evidence: list[Evidence] = Field(min_length=1, max_length=200)
    """Evidence for it."""
    counter_evidence: list[CounterEvidence] = Field(max_length=200)
    """Evidence against it; empty where none was found."""
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
    against = tuple(
        Item(entry.summary, sources=source_marks(record, entry.source_refs)) for entry in record.counter_evidence
    )
    triggers = tuple(Item(entry.action, title=entry.condition) for entry in record.revision_trigger)
    revisions = tuple(
        Item(entry.note or UNEXPLAINED, entry.date, language="" if entry.note else INTERFACE)
        for entry in record.revisions
    )
    return (
        Nugget("nugget", "The pattern", record.statement),
        Facts("confidence", "Status and confidence", _standing(record)),
        *evidence(record, archive, record.evidence, against=tuple(_days_against(record))),
        Items("counter-evidence", "Counter-evidence", against or (Item("None was found so far.", language=INTERFACE),)),
        Items("revision-trigger", "Revision triggers", triggers),
        *((Items("revisions", "Revisions", revisions),) if revisions else ()),
    )


def _days_against(record: TrendPatternRecord) -> Iterator[datetime]:
    """When the first source of each piece of counter-evidence was published, where one says."""
    published = {source.id: source.published_at for source in record.sources if source.published_at}
    for entry in record.counter_evidence:
        if days := [published[ref] for ref in entry.source_refs if ref in published]:
            yield min(days)


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


def _shown_first(record: TrendPatternRecord) -> tuple[Fact, ...]:
    return _standing(record)[:2]


def _first_support(subject: Subject, _location: Location) -> datetime | None:
    """The earliest observation among the signals that speak for the pattern."""
    speaking = (getattr(front, "observed_at", None) for relation, front in subject.linking if relation == "supports")
    return min((observed for observed in speaking if observed), default=None)


OBSERVED_LATER = Rule(
    OBSERVED_TOO_LATE,
    at("first_observed_at"),
    _first_support,
    "{date} is after the first signal that supports the pattern ({limit})",
    "a pattern was seen no later than its first signal",
    between=True,
)
KIND = Kind(
    name=PATTERNS,
    schema="TrendPatternRecord",
    index="PatternIndex",
    singular="Pattern",
    plural="Patterns",
    about="Testable statements with evidence, counter-evidence, a confidence and what would revise them.",
    fields=TrendPatternFields,
    record=TrendPatternRecord,
    blocks=_blocks,
    standing=_shown_first,
    promised_forms=("html", "markdown", "json"),
    deciding=("statement", "status", "confidence"),
    date_rules=(OBSERVED_LATER,),
    questions=lambda record: (record.statement, record.title),
    apart=True,
    in_header=True,
    before="topics",
)
