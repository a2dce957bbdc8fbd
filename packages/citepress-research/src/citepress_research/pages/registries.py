"""The registries of what will be measured: discovery experiments and recall probes."""

from collections.abc import Iterator
from datetime import datetime

from citepress.base.slugs import slugify
from citepress.base.timestamps import day
from citepress.contract.cache import Cache
from citepress.contract.document import Pages, Section
from citepress.contract.page import Block, Facts, Item, Items, Link, Page, Table
from citepress.edition.render_context import RenderContext, single
from citepress.kinds.parts import fact, facts, words
from citepress_research.kinds import experiments, probes
from citepress_research.kinds.experiments import DiscoveryExperiment, Window
from citepress_research.kinds.probes import RecallProbeSet
from citepress_research.pages.file_report import ContentHead, empty_notice, entries, files_head, method, subject_link

EXPERIMENTS, PROBES = "/discovery-experiments/", "/recall-probes/"
MAX_SHOWN_REGISTERED = 50
"""Experiments, sets, or questions of a set on a page for people; the JSON twin has all."""
EXPERIMENT_CAVEATS = {
    "registered_first": (
        "Hypotheses, metrics and rules are frozen before the exposure; registration_digest names the frozen part."
    ),
    "deviations_are_dated": (
        "A departure from the frozen plan is added as a dated deviation, never written over the plan."
    ),
    "null_is_a_result": "A result is null until it is worked out; a hypothesis that fails stays in the registry.",
}
EXPERIMENT_METHOD = (
    "An experiment is registered as a file before it begins. Its digest is the SHA-256 of the RFC 8785 form without"
    " status, deviations, result and the digest itself, so that anybody can check that the plan is the one that was"
    " registered."
)
CONSUMPTION = "/machine-consumption/"
REPORTS = f" Metrics are read from the public reports under [machine consumption]({CONSUMPTION})."
PROBE_CAVEATS = {
    "no_model_called": (
        "The service asks no model: runs are made and recorded by the publisher, and an empty list of runs is no"
        " result."
    ),
    "frozen_versions": "A version is frozen and named by its digest; a changed question makes a new version.",
    "answers_vary": (
        "Answers of one engine differ from day to day: a run tells of its model, mode and date, and of nothing else."
    ),
}
PROBE_METHOD = (
    "A probe is a question with the pages that an answer should cite. A set is frozen under a version, and its digest"
    " is the SHA-256 of the RFC 8785 form without runs and the digest itself. An answer is scored by the set's rules"
    " after its addresses are evened out as the set says."
)


class DiscoveryExperimentRegistry(ContentHead):
    """Pre-registered experiments on how machines find the archive."""

    experiments: list[DiscoveryExperiment]
    """Experiments by id."""


class RecallProbeRegistry(ContentHead):
    """Versioned questions with the pages that an answer should cite."""

    probe_sets: list[RecallProbeSet]
    """Sets by id and version."""


def _experiment_moments(experiment: DiscoveryExperiment) -> Iterator[datetime | None]:
    yield experiment.registered_at
    yield experiment.result.analysed_at
    yield from (deviation.at for deviation in experiment.deviations)


def experiment_registry(context: RenderContext) -> DiscoveryExperimentRegistry:
    """Every registered experiment."""
    registered = entries(context, experiments.REGISTRY)
    moments = (moment for experiment in registered for moment in _experiment_moments(experiment))
    schema = f"/schemas/{DiscoveryExperimentRegistry.__name__}.json"
    head = files_head(context, experiments.REGISTRY, schema, EXPERIMENT_CAVEATS, moments)
    return DiscoveryExperimentRegistry.model_validate(head | {"experiments": list(registered)})


def probe_registry(context: RenderContext) -> RecallProbeRegistry:
    """Every set of probes."""
    registered = entries(context, probes.REGISTRY)
    moments = (
        moment for probe_set in registered for moment in (probe_set.frozen_at, *(run.run_at for run in probe_set.runs))
    )
    schema = f"/schemas/{RecallProbeRegistry.__name__}.json"
    head = files_head(context, probes.REGISTRY, schema, PROBE_CAVEATS, moments)
    return RecallProbeRegistry.model_validate(head | {"probe_sets": list(registered)})


def _experiments_page(context: RenderContext) -> Page:
    registry = experiment_registry(context)
    blocks = (block for experiment in registry.experiments[:MAX_SHOWN_REGISTERED] for block in _experiment(experiment))
    experiment_method = EXPERIMENT_METHOD + (REPORTS if context.publishes(CONSUMPTION) else "")
    return Page(
        EXPERIMENTS,
        "Discovery experiments",
        "Pre-registered hypotheses on how machines find this archive, with baselines, metrics, windows and stopping"
        " rules.",
        (*empty_notice(context, experiments.REGISTRY), *blocks, *method(experiment_method, EXPERIMENT_CAVEATS)),
        label="Registry",
        updated=registry.as_of,
        crumbs=(Link("Home", "/"),),
        data=registry,
    )


def _experiment(experiment: DiscoveryExperiment) -> Iterator[Block]:
    anchor = slugify(experiment.id) or "experiment"
    yield Facts(
        anchor,
        experiment.title,
        facts(
            fact("Status", words(experiment.status)),
            fact("Registered", experiment.registered_at),
            fact("Digest", f"`{experiment.registration_digest}`"),
            fact("Design", f"{words(experiment.design.type)}, by {experiment.design.unit}"),
            fact("Arms", *(f"{arm.id}: {arm.description}" for arm in experiment.design.arms)),
            fact("Primary metric", f"{experiment.metrics.primary.definition} ({experiment.metrics.primary.unit})"),
            fact("Exposure", _span(experiment.windows.exposure)),
            fact("Analysis", _span(experiment.windows.analysis)),
            fact("Decision", experiment.result.decision),
        ),
    )
    rules = experiment.stopping_rules
    lists = (
        ("hypotheses", "Hypotheses", [Item(h.statement, title=h.id) for h in experiment.hypotheses]),
        ("stopping", "Stopping rules", [Item(r.rule, title=words(r.kind).capitalize()) for r in rules]),
        ("deviations", "Deviations", [Item(deviation.text, deviation.at) for deviation in experiment.deviations]),
    )
    for name, title, items in lists:
        if items:
            yield Items(f"{anchor}-{name}", f"{title} of {experiment.id}", tuple(items))


def _span(window: Window) -> Link:
    return Link(f"{day(window.start)} to {day(window.end)}", spoken=True)


def _probes_page(context: RenderContext) -> Page:
    registry = probe_registry(context)
    blocks = (
        block for probe_set in registry.probe_sets[:MAX_SHOWN_REGISTERED] for block in _probe_set(context, probe_set)
    )
    return Page(
        PROBES,
        "Recall probes",
        "Versioned questions with the pages that an answer should cite, and the rules by which answers are scored.",
        (*empty_notice(context, probes.REGISTRY), *blocks, *method(PROBE_METHOD, PROBE_CAVEATS)),
        label="Registry",
        updated=registry.as_of,
        crumbs=(Link("Home", "/"),),
        data=registry,
    )


def _probe_set(context: RenderContext, probe_set: RecallProbeSet) -> Iterator[Block]:
    anchor = slugify(f"{probe_set.id} {probe_set.version}") or "probes"
    runs = tuple(
        Link(f"{run.engine}, {run.model}, {day(run.run_at)}: {run.score:g}", spoken=True) for run in probe_set.runs
    )
    yield Facts(
        anchor,
        f"{probe_set.id}, version {probe_set.version}",
        facts(
            fact("Frozen", probe_set.frozen_at),
            fact("Digest", f"`{probe_set.frozen_digest}`"),
            fact("Questions", str(len(probe_set.probes))),
            fact("Scoring", *(f"{words(rule.id)}: {rule.points:g}" for rule in probe_set.scoring.rules)),
            fact("Runs", *(runs or ("none recorded",))),
        ),
    )
    yield Table(
        f"{anchor}-questions",
        f"Questions of {probe_set.id} {probe_set.version}",
        ("Question", "Should cite"),
        tuple(
            (Link(probe.question), subject_link(context, probe.canonical_citations[0].canonical_path))
            for probe in probe_set.probes[:MAX_SHOWN_REGISTERED]
        ),
    )


ALL = (
    Pages[RenderContext](
        "discovery_experiments",
        EXPERIMENTS,
        Section.TELEMETRY,
        "Pre-registered hypotheses with baselines, metrics, windows and stopping rules.",
        single(_experiments_page),
        "DiscoveryExperimentRegistry",
        DiscoveryExperimentRegistry,
        cache=Cache.LIVE,
        promised=("json",),
        resource=0.3,
        before="datasets",
    ),
    Pages[RenderContext](
        "recall_probes",
        PROBES,
        Section.TELEMETRY,
        "Versioned questions with canonical citations, and scoring rules.",
        single(_probes_page),
        "RecallProbeRegistry",
        RecallProbeRegistry,
        cache=Cache.LIVE,
        promised=("json",),
        resource=0.3,
        before="datasets",
    ),
)
