"""Discovery experiments: pre-registered, their frozen part named by a digest (specification, "Field facts")."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, computed_field

from citepress.base.canonical import canonical_bytes, named_digest
from citepress.contract.kind import Registry
from citepress.contract.model import AnyMoment, Model, Moment, OneLine, Text
from citepress.contract.record import Word
from citepress.contract.refs import Location

LOOSE = frozenset({"status", "deviations", "result", "registration_digest"})
"""Members that may change after the registration; all others are frozen."""


class Window(Model):
    """A span of time."""

    start: AnyMoment
    """Its first moment."""
    end: AnyMoment
    """The moment after it."""


class Hypothesis(Model):
    """What is expected, and what would refute it."""

    id: Word
    """H1, H2 …"""
    statement: Text
    """What is expected."""
    null_hypothesis: Text
    """What holds if it is wrong."""
    direction: Literal["increase", "decrease", "two_sided"]
    """Which way the metric should move."""


class Arm(Model):
    """A group that is treated alike."""

    id: Word
    """Its name."""
    description: Text
    """What is done to it."""


class Assignment(Model):
    """How units come into arms."""

    method: Word
    """For instance ``hash``."""
    seed: OneLine
    """What makes it repeatable."""
    ratio: list[Annotated[int, Field(ge=1, le=1000)]] = Field(min_length=1, max_length=20)
    """Shares of the arms, in their order."""


class Design(Model):
    """How the experiment is built."""

    type: Literal["randomized_pages", "switchback", "interrupted_time_series"]
    """Its type."""
    unit: Literal["page", "route", "week"]
    """What is assigned to an arm."""
    arms: list[Arm] = Field(min_length=1, max_length=20)
    """The groups."""
    assignment: Assignment
    """How units come into them."""
    population: Text
    """Which units take part."""


class MetricValue(Model):
    """What a metric was before the exposure."""

    metric: Word
    """Id of the metric."""
    value: float
    """Its mean."""
    n: Annotated[int, Field(ge=0)]
    """Number of units."""
    std_dev: Annotated[float, Field(ge=0)] | None = None
    """Standard deviation."""


class Baseline(Model):
    """The state before the exposure."""

    window: Window
    """When it was measured."""
    metric_values: list[MetricValue] = Field(max_length=50)
    """What was measured."""


class MetricSource(Model):
    """Where a metric is read."""

    report: OneLine
    """The public report."""
    json_pointer: OneLine
    """The member in it (RFC 6901)."""


class Metric(Model):
    """A measured quantity."""

    id: Word
    """M1, M2 …"""
    definition: Text
    """What is measured, exactly."""
    unit: OneLine
    """Its unit."""
    source: MetricSource
    """Where it is read."""


class Metrics(Model):
    """What is measured."""

    primary: Metric
    """The one that decides."""
    secondary: list[Metric] = Field(default_factory=list, max_length=50)
    """Those that explain."""
    guardrails: list[Metric] = Field(default_factory=list, max_length=50)
    """Those that must not get worse."""


class Power(Model):
    """How small an effect the experiment can see."""

    alpha: Annotated[float, Field(gt=0, lt=1)]
    """Share of false alarms."""
    power: Annotated[float, Field(gt=0, lt=1)]
    """Share of true effects that are found."""
    minimum_detectable_effect: float
    """The smallest effect of interest, relative to the baseline."""
    sample_size: Annotated[int, Field(ge=0)]
    """Units that it takes, for each arm."""


class Windows(Model):
    """When what happens."""

    baseline: Window
    """Before the exposure."""
    exposure: Window
    """While it lasts."""
    analysis: Window
    """When its result is worked out."""


class StoppingRule(Model):
    """When the experiment ends."""

    kind: Literal["fixed_horizon", "group_sequential", "futility", "guardrail"]
    """The type of rule."""
    rule: Text
    """The rule in words."""
    max_looks: Annotated[int, Field(ge=1, le=1000)] = 1
    """How often the data may be looked at."""
    boundary: OneLine | None = None
    """The value that stops it."""


class AnalysisPlan(Model):
    """How the result is worked out."""

    estimator: Text
    """What is estimated."""
    test: Text
    """How it is tested."""
    multiple_comparisons: Word
    """How several tests are corrected for."""
    exclusions: list[Text] = Field(default_factory=list, max_length=50)
    """Data that is left out."""


class Deviation(Model):
    """A dated departure from the frozen plan."""

    at: Moment
    """When it was decided."""
    text: Text
    """What differs, and why."""


class Result(Model):
    """What came out; null until it is known."""

    analysed_at: Moment | None = None
    """When it was worked out."""
    estimate: float | None = None
    """The estimated effect."""
    ci95: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    """Its 95 % confidence interval."""
    p_value: Annotated[float, Field(ge=0, le=1)] | None = None
    """The p value."""
    decision: Text | None = None
    """What was decided."""


class DiscoveryExperiment(Model):
    """A pre-registered experiment on how machines find the archive."""

    id: Word
    """Stable identifier."""
    version: Annotated[int, Field(ge=1, le=1000)]
    """Version of the registration."""
    title: OneLine
    """What it is about."""
    status: Literal["registered", "running", "stopped", "completed", "abandoned"]
    """How far it is."""
    registered_at: Moment
    """When it was frozen."""
    hypotheses: list[Hypothesis] = Field(min_length=1, max_length=20)
    """What is expected."""
    design: Design
    """How it is built."""
    baseline: Baseline
    """The state before."""
    metrics: Metrics
    """What is measured."""
    power: Power
    """How small an effect can be seen."""
    windows: Windows
    """When what happens."""
    stopping_rules: list[StoppingRule] = Field(min_length=1, max_length=20)
    """When it ends."""
    analysis_plan: AnalysisPlan
    """How the result is worked out."""
    deviations: list[Deviation] = Field(default_factory=list, max_length=100)
    """Departures from the frozen plan."""
    result: Result = Result()
    """What came out."""
    written_digest: Annotated[
        str | None, Field(validation_alias="registration_digest", max_length=80, exclude=True)
    ] = None
    """The digest as its author noted it at registration; checked, and never published itself."""

    @computed_field  # type: ignore[prop-decorator]  # mypy: a decorated property is what pydantic asks for
    @property
    def registration_digest(self) -> str:
        """SHA-256 of the RFC 8785 form without status, deviations, result and this member."""
        frozen = self.model_dump(mode="json", by_alias=True, exclude=set(LOOSE))
        return named_digest(canonical_bytes(frozen))


def _check(entry: DiscoveryExperiment) -> Iterable[tuple[Location, str]]:
    written = entry.written_digest
    if written is not None and written != entry.registration_digest:
        yield (
            ("registration_digest",),
            (
                f"the frozen part changed after its registration (it is {entry.registration_digest} now); take the"
                " change back and note a deviation"
            ),
        )
    if entry.registered_at > entry.windows.exposure.start:
        yield ("registered_at",), "is after the exposure began: this is not a pre-registration"
    if len(entry.design.assignment.ratio) != len(entry.design.arms):
        yield (
            ("design", "assignment", "ratio"),
            f"has {len(entry.design.assignment.ratio)} shares for {len(entry.design.arms)} arms",
        )
    named = {("baseline", "window"): entry.baseline.window}
    named |= {("windows", name): getattr(entry.windows, name) for name in Windows.model_fields}
    for location, window in named.items():
        if window.end < window.start:
            yield (*location, "end"), "is before the start"
    metric_ids = {metric.id for metric in (entry.metrics.primary, *entry.metrics.secondary, *entry.metrics.guardrails)}
    for place, value in enumerate(entry.baseline.metric_values):
        if value.metric not in metric_ids:
            yield ("baseline", "metric_values", place, "metric"), f"{value.metric!r} is not a metric of this experiment"


REGISTRY = Registry(
    name="experiments",
    plural="Experiments",
    about="Pre-registered hypotheses with baselines, metrics, windows and stopping rules.",
    page="/discovery-experiments/",
    models={"": DiscoveryExperiment},
    check=_check,
)
