"""get_forecasts: dated statements with a probability, and how well earlier ones did."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Annotated, Any

from pydantic import Field

from citepress.contract.model import Model, Moment
from citepress.contract.operation import Answer, Operation, Paged, Tool
from citepress.operations.context import OperationContext
from citepress.operations.models import Choice, Date, TopicSlug
from citepress.operations.records import RecordJson, items, unknown_topic
from citepress_research.kinds.forecasts import BRIER_DECIMALS
from citepress_research.kinds.forecasts import KIND as FORECASTS

OPEN_STANDING, RESOLVED, VOID, ALL = "open", "resolved", "void", "all"
_OUTCOMES = frozenset({"resolved_yes", "resolved_no"})
FITS: Mapping[str, frozenset[str]] = {
    OPEN_STANDING: frozenset({OPEN_STANDING}),
    RESOLVED: _OUTCOMES,
    VOID: frozenset({VOID}),
    ALL: _OUTCOMES | {OPEN_STANDING, VOID},
}
"""What the status of a record is, by what is asked for."""
Standing = Annotated[str, Choice(OPEN_STANDING, RESOLVED, VOID)]


class ForecastsAsk(Paged):
    """Which forecasts."""

    status: Annotated[str, Choice(OPEN_STANDING, RESOLVED, VOID, ALL)] = OPEN_STANDING
    """The current state of the forecasts."""
    topic: TopicSlug | None = None
    """Slug of a topic hub."""
    resolves_before: Date | None = None
    """Those that resolve before this date."""
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    """Forecasts of one answer."""


class ForecastItem(Model):
    """A forecast."""

    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    url: str
    """The address to cite."""
    statement: str
    """What is forecast."""
    probability: float
    """The probability that it was given when it was made."""
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
    scored: bool
    """Whether it counts in the track record."""
    unscored_reason: str | None = None
    """Why it does not, although it resolved with yes or no."""


MEMBERS = tuple(ForecastItem.model_fields)


class ForecastsAnswer(Answer):
    """Forecasts of the archive."""

    total: int
    """Forecasts that fit."""
    resolved: int
    """Forecasts of the topic, or of all, that resolved with yes or no and count: they were published before their
    outcome."""
    unscored: int
    """Further ones that resolved with yes or no, but were published when their outcome was known."""
    brier_score: float | None = None
    """Mean Brier score of those that count, 0 (best) to 1."""
    forecasts: list[ForecastItem]
    """The open ones first, soonest to resolve first; then the others, newest first."""


def run(ask: ForecastsAsk, context: OperationContext) -> ForecastsAnswer:
    """List forecasts (specification, "MCP endpoint")."""
    forecasts = [item for item in items(context, FORECASTS.name) if not ask.topic or ask.topic in item["topics"]]
    scores = [float(item["brier"]) for item in forecasts if item["brier"] is not None]
    before = ask.resolves_before
    fit = [
        item
        for item in forecasts
        if item["status"] in FITS[ask.status]
        and (before is None or datetime.fromisoformat(item["resolves_at"]) < before)
    ]
    shown = _ordered(fit)[ask.start : ask.start + ask.limit]
    return ForecastsAnswer(
        as_of=context.as_of,
        total=len(fit),
        resolved=len(scores),
        unscored=len([item for item in forecasts if item["unscored_reason"]]),
        brier_score=round(sum(scores) / len(scores), BRIER_DECIMALS) if scores else None,
        forecasts=[_item(context, item) for item in shown],
        more=len(fit) > ask.start + len(shown),
        notes=unknown_topic(context, ask.topic or ""),
    )


def _ordered(forecasts: Sequence[RecordJson]) -> list[RecordJson]:
    still = sorted(
        [forecast for forecast in forecasts if forecast["status"] == OPEN_STANDING], key=itemgetter("resolves_at", "id")
    )
    past = sorted([forecast for forecast in forecasts if forecast["status"] != OPEN_STANDING], key=itemgetter("id"))
    return [*still, *sorted(past, key=itemgetter("resolves_at"), reverse=True)]


def _item(context: OperationContext, item: RecordJson) -> Any:  # noqa: ANN401  (checked as a part of the answer)
    """The members of a ``ForecastItem``."""
    forecast: RecordJson = context.read(f"/{item['id']}.json") or item
    status = item["status"] if item["status"] in (OPEN_STANDING, VOID) else RESOLVED
    return {
        **dict(zip(MEMBERS, map(forecast.get, MEMBERS), strict=True)),
        "url": f"{context.base_url}/{item['id']}/",
        "status": status,
    }


OPERATION = Operation(
    name="get_forecasts",
    title="Forecasts",
    description=(
        "List the archive's forecasts: statement, probability, when and how each resolves, status and outcome, plus the"
        " Brier score over resolved ones that were published before their outcome. Default: open forecasts, soonest to"
        " resolve first. Quote probability and resolves_at together."
    ),
    ask=ForecastsAsk,
    answer=ForecastsAnswer,
    run=run,
    tool=Tool(tokens=2000, cut="forecasts"),
    before="get_topic_brief",
)
