"""Forecasts: dated statements with a probability and the criteria by which they resolve."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from citepress.archive.dates import Rule, Subject, at
from citepress.archive.model import Archive
from citepress.base.timestamps import day, later
from citepress.contract.kind import Kind, ListEntry
from citepress.contract.model import AnyMoment, Moment, Text
from citepress.contract.page import INTERFACE, Block, Chart, Fact, Facts, Item, Items, Link, Nugget, Series, Table
from citepress.contract.record import Fields, Record
from citepress.contract.refs import Location
from citepress.kinds.parts import dated_link, fact, facts, percent, sentences
from citepress_research.fault_codes import RESOLVED_BEFORE_PUBLISHED
from citepress_research.kinds.parts import coded, not_before

Outcome = Literal["yes", "no", "void"]
OUTCOMES: Mapping[str, Outcome] = {"resolved_yes": "yes", "resolved_no": "no", "void": "void"}
SCALE = "0 to 100 %"
BRIER_DECIMALS = 6
"""Decimal places of a Brier score: more than any probability an author writes, and the same everywhere."""


class ForecastFields(Fields):
    """What a forecast adds."""

    statement: Text
    """What is forecast."""
    probability: Annotated[float, Field(ge=0, le=1)]
    """The probability that it was given when it was made."""
    made_at: Moment
    """When it was made."""
    resolves_at: AnyMoment
    """By when it resolves."""
    resolution_criteria: Text
    """What counts as yes."""
    status: Literal["open", "resolved_yes", "resolved_no", "void"]
    """Whether it has resolved, and how."""
    resolved_at: Annotated[Moment | None, Field(validate_default=True)] = None
    """When it resolved."""
    resolution_note: Text | None = None
    """The grounds for the outcome."""
    retrospective: bool = False
    """Whether its outcome was known when it was written; such a forecast never counts."""

    def resolution(self) -> tuple[datetime, str] | None:
        """When and how it came out."""
        if self.resolved_at is None or self.status not in ("resolved_yes", "resolved_no"):
            return None
        return self.resolved_at, self.resolution_note or f"It resolved: {OUTCOMES[self.status]}."

    _after_made = not_before("resolves_at", "made_at")

    @field_validator("resolved_at")
    @classmethod
    def _fits_status(cls, resolved: Moment | None, info: ValidationInfo) -> Moment | None:
        status = info.data.get("status")
        if status == "open" and resolved:
            raise ValueError("is set, but status is open")
        if status in ("resolved_yes", "resolved_no") and resolved is None:
            raise ValueError(f"is missing, but status is {status}")
        return resolved


class ForecastRecord(ForecastFields, Record):
    """A dated statement about what will be."""

    outcome: Outcome | None
    """How it came out; null while it is open."""
    scored: bool
    """Whether it counts in the track record: it resolved with yes or no, and was published before its outcome."""
    unscored_reason: str | None
    """Why a forecast that resolved with yes or no does not count; null for all others."""
    brier: float | None
    """Brier score, 0 (best) to 1, of a forecast that counts; null for others."""


def _derive(fields: ForecastFields, published: datetime) -> Mapping[str, object]:
    """How it came out, and its score where it was published before (specification, "MCP endpoint": get_forecasts)."""
    outcome = OUTCOMES.get(fields.status)
    happened = {"yes": 1, "no": 0}.get(outcome or "")
    reason = None if happened is None else _unscored(fields, published)
    brier = None if happened is None or reason else round((fields.probability - happened) ** 2, BRIER_DECIMALS)
    return {"outcome": outcome, "scored": brier is not None, "unscored_reason": reason, "brier": brier}


def _unscored(fields: ForecastFields, published: datetime) -> str | None:
    """Why a forecast with an outcome does not count in the track record, if so."""
    if fields.resolved_at and not later(fields.resolved_at, published):
        return f"Published on {day(published)}, not before its outcome of {day(fields.resolved_at)}."
    return "Written when its outcome was known, says its author." if fields.retrospective else None


def _blocks(record: ForecastRecord, _archive: Archive) -> tuple[Block, ...]:
    reason = record.unscored_reason
    standing = facts(
        fact("Status", coded(record.status)),
        fact("Resolved", record.resolved_at),
        fact("Grounds", record.resolution_note),
        fact("Brier score", None if record.brier is None else f"{record.brier:.4f}"),
        fact("Not scored", reason and Link(reason, language=INTERFACE, spoken=True)),
    )
    return (
        Nugget("nugget", "The forecast", record.statement),
        _chance(record),
        *_dates(record),
        Facts("standing", "Resolution", standing),
        *sentences("criteria", "Resolution criteria", [record.resolution_criteria]),
    )


def _chance(record: ForecastRecord) -> Chart:
    """The probability as a bar from 0 to 100."""
    number = round(record.probability * 100, 2)
    until = f"it {'resolves' if record.status == 'open' else 'was to resolve'} by {day(record.resolves_at)}"
    summary = f"{percent(record.probability)}, stated on {day(record.made_at)}; {until}."
    table = Table(
        "", "Probability", ("Forecast", f"Stated, {SCALE}"), ((Link("Probability"), Link(percent(record.probability))),)
    )
    series = (Series("%", (number,)),)
    return Chart("probability", "Probability", "bars", summary, ("Stated",), series, table, whole=100, unit="%")


def _dates(record: ForecastRecord) -> tuple[Block, ...]:
    """When it was made, changed last while it was open, and came out, and its deadline, on a line of time."""
    changed = None if record.outcome or day(record.updated_at) == day(record.made_at) else record.updated_at
    moments = [
        ("Opened", record.made_at),
        ("Last change", changed),
        ("Resolved", record.resolved_at),
        ("Deadline", record.resolves_at),
    ]
    items = tuple(Item(name, moment) for moment, name in sorted((at, name) for name, at in moments if at))
    return (Items("dates", "Deadline", items, timeline=True, text_language=INTERFACE),)


def _standing(record: ForecastRecord) -> tuple[Fact, ...]:
    deadline = None if record.outcome else record.resolves_at
    return facts(
        fact("Probability", percent(record.probability)),
        fact("Status", coded(record.status)),
        fact("Resolves by", deadline),
    )


def _listed(record: ForecastRecord) -> ListEntry:
    """Open forecasts by their deadlines, the first to resolve first; then those that resolved, the latest first."""
    said = percent(record.probability)
    deadline = record.resolves_at.timestamp()
    probability = Link(said, chance=record.probability)
    if record.status == "open":
        mark = f"{said} by {day(record.resolves_at)}"
        cells = (probability, dated_link(record.resolves_at), Link("open"), Link(""))
        return ListEntry("Open, by deadline", (0, deadline, record.id), (mark,), cells, record.probability)
    score = "" if record.brier is None else f"{record.brier:.2f}"
    outcome = record.outcome or ""
    mark = f"{outcome}; we had said {said}, {f'Brier {score}' if score else 'not scored'}"
    cells = (probability, dated_link(record.resolves_at), Link(outcome), Link(score or "not scored"))
    return ListEntry("Resolved", (1, -deadline, record.id), (mark,), cells, record.probability)


def _outcome(subject: Subject, _location: Location) -> datetime | None:
    """The day of the outcome, unless the forecast is marked as written after it."""
    front: object = subject.front
    if not isinstance(front, ForecastFields) or front.retrospective:
        return None
    resolved = front.resolution()
    return resolved[0] if resolved else None


RESOLVED_EARLIER = Rule(
    RESOLVED_BEFORE_PUBLISHED,
    at("date"),
    _outcome,
    "{date} is not before the outcome ({limit}): the forecast does not count",
    "write `retrospective: true` where the outcome was known",
    wrong=lambda date, limit: not later(limit, date),
)
KIND = Kind(
    name="forecasts",
    schema="ForecastRecord",
    index="ForecastIndex",
    singular="Forecast",
    plural="Forecasts",
    about="Dated statements with a probability, resolution criteria and, once resolved, a Brier score.",
    fields=ForecastFields,
    record=ForecastRecord,
    blocks=_blocks,
    listing=_listed,
    columns=("Probability", "Deadline", "Outcome", "Brier score"),
    standing=_standing,
    promised_index=False,
    deciding=(
        "statement",
        "probability",
        "made_at",
        "resolves_at",
        "status",
        "outcome",
        "scored",
        "unscored_reason",
        "brier",
    ),
    derive=_derive,
    date_rules=(RESOLVED_EARLIER,),
    reports=(Link("Calibration", "/calibration/"),),
)
