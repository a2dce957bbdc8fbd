"""get_forecasts: dated statements with a probability, and how well earlier ones did."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field

from citepress.contract.document import Section
from citepress.contract.operation import Answer, Operation, Paged, Tool
from citepress.contract.shape import Moment, Shape
from citepress.kinds.forecasts import DIGITS
from citepress.operations.records import Told, items, record, unknown_topic
from citepress.operations.shapes import Choice, Date, TopicSlug
from citepress.operations.world import World

OPEN, RESOLVED, VOID, ALL = "open", "resolved", "void", "all"
FITS: Mapping[str, Callable[[Told], bool]] = {
    OPEN: lambda item: item["status"] == OPEN,
    RESOLVED: lambda item: item["outcome"] in ("yes", "no"),
    VOID: lambda item: item["status"] == VOID,
    ALL: lambda _item: True,
}
Standing = Annotated[str, Choice(OPEN, RESOLVED, VOID)]


class ForecastsAsk(Paged):
    """Which forecasts."""

    status: Annotated[str, Choice(OPEN, RESOLVED, VOID, ALL)] = OPEN
    """Where they stand."""
    topic: TopicSlug | None = None
    """Slug of a topic hub."""
    resolves_before: Date | None = None
    """Those that resolve before this date."""
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    """Forecasts of one answer."""


class ForecastItem(Shape):
    """A forecast."""

    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    url: str
    """The address to cite."""
    statement: str
    """What is forecast."""
    probability: float
    """How likely it was held to be, when it was made."""
    made_at: Moment
    """When it was made."""
    resolves_at: Moment
    """By when it resolves."""
    resolution_criteria: str
    """What counts as yes."""
    status: Standing
    """open, resolved or void."""
    outcome: Annotated[str, Choice("yes", "no", "void")] | None = None
    """How it came out."""
    resolved_at: Moment | None = None
    """When it resolved."""


class ForecastsAnswer(Answer):
    """Forecasts of the archive."""

    total: int
    """Forecasts that fit."""
    resolved: int
    """Forecasts of the topic, or of all, that resolved with yes or no."""
    brier_score: float | None = None
    """Mean Brier score of these, 0 (best) to 1."""
    forecasts: list[ForecastItem]
    """The open ones first, soonest to resolve first; then the others, newest first."""


def run(ask: ForecastsAsk, world: World) -> ForecastsAnswer:
    """List forecasts (specification, "MCP endpoint")."""
    told = [item for item in items(world, "forecasts") if not ask.topic or ask.topic in item["topics"]]
    scores = [float(item["brier"]) for item in told if item["brier"] is not None]
    before = ask.resolves_before
    fit = [item for item in told if FITS[ask.status](item) and (before is None or datetime.fromisoformat(item["resolves_at"]) < before)]
    shown = _ordered(fit)[ask.start : ask.start + ask.limit]
    return ForecastsAnswer(
        as_of=world.as_of,
        total=len(fit),
        resolved=len(scores),
        brier_score=round(sum(scores) / len(scores), DIGITS) if scores else None,
        forecasts=[_item(world, item) for item in shown],
        more=len(fit) > ask.start + len(shown),
        notes=unknown_topic(world, ask.topic or ""),
    )


def _ordered(found: Sequence[Told]) -> list[Told]:
    still = sorted((one for one in found if one["status"] == OPEN), key=lambda one: (one["resolves_at"], one["id"]))
    past = sorted((one for one in found if one["status"] != OPEN), key=lambda one: one["id"])
    return [*still, *sorted(past, key=lambda one: str(one["resolves_at"]), reverse=True)]


def _item(world: World, item: Told) -> ForecastItem:
    told = record(world, item["id"]) or item
    status = item["status"] if item["status"] in (OPEN, VOID) else RESOLVED
    members = {name: told.get(name) for name in ForecastItem.model_fields}
    return ForecastItem.model_validate({**members, "url": world.url(f"/{item['id']}/"), "status": status})


OPERATION = Operation(
    name="get_forecasts",
    title="Forecasts",
    description=(
        "List the archive's forecasts: statement, probability, when and how each resolves, status and outcome, plus the Brier score over "
        "resolved ones. Default: open forecasts, soonest to resolve first. Quote probability and resolves_at together."
    ),
    ask=ForecastsAsk,
    answer=ForecastsAnswer,
    run=run,
    section=Section.MCP,
    tool=Tool(tokens=2000, cut="forecasts"),
)
