"""The registries that say in advance what will be measured: discovery experiments and recall probes."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial

from citepress.base.ids import slugify
from citepress.base.timestamps import day
from citepress.contract.cache import Cache
from citepress.contract.document import Draft, Pages, Section
from citepress.contract.page import Block, Facts, Item, Items, Link, Page, Table
from citepress.contract.reports.head import ContentHead
from citepress.edition.documents.file_report import empty_notice, entries, files_head, method, subject_link
from citepress.edition.render_context import RenderContext
from citepress.kinds import experiments, probes
from citepress.kinds.experiments import DiscoveryExperiment, Window
from citepress.kinds.parts import fact, facts, words
from citepress.kinds.probes import Probe, RecallProbeSet

EXPERIMENTS, PROBES = "/discovery-experiments/", "/recall-probes/"
SHOWN = 50
"""Experiments, sets, or questions of a set on a page for people; the JSON twin has all."""
EXPERIMENT_CAVEATS = {
    "registered_first": "Hypotheses, metrics and rules are frozen before the exposure; registration_digest names the frozen part.",
    "deviations_are_dated": "A departure from the frozen plan is added as a dated deviation, never written over the plan.",
    "null_is_a_result": "A result is null until it is worked out; a hypothesis that fails stays in the registry.",
}
EXPERIMENT_METHOD = (
    "An experiment is registered as a file before it begins. Its digest is the SHA-256 of the RFC 8785 form without status, deviations, result and the digest itself, "
    "so that anybody can check that the plan is the one that was registered. Metrics are read from the public reports under [machine consumption](/machine-consumption/)."
)
PROBE_CAVEATS = {
    "no_model_called": "The service asks no model: runs are made and recorded by the publisher, and an empty list of runs is no result.",
    "frozen_versions": "A version is frozen and named by its digest; a changed question makes a new version.",
    "answers_vary": "Answers of one engine differ from day to day: a run tells of its model, mode and date, and of nothing else.",
}
PROBE_METHOD = (
    "A probe is a question with the pages that an answer should cite. A set is frozen under a version, and its digest is the SHA-256 of the RFC 8785 form "
    "without runs and the digest itself. An answer is scored by the set's rules after its addresses are evened out as the set says."
)


class DiscoveryExperimentRegistry(ContentHead):
    """Pre-registered experiments on how machines find the archive."""

    experiments: list[DiscoveryExperiment]
    """Experiments by id."""


class RecallProbeRegistry(ContentHead):
    """Versioned questions with the pages that an answer should cite."""

    probe_sets: list[RecallProbeSet]
    """Sets by id and version."""


def _experiment_moments(one: DiscoveryExperiment) -> Iterator[datetime | None]:
    yield one.registered_at
    yield one.result.analysed_at
    yield from (deviation.at for deviation in one.deviations)


def experiment_registry(desk: RenderContext) -> DiscoveryExperimentRegistry:
    """Every registered experiment."""
    found = entries(desk, experiments.REGISTRY)
    known = (moment for one in found for moment in _experiment_moments(one))
    schema = f"/schemas/{DiscoveryExperimentRegistry.__name__}.json"
    head = files_head(desk, experiments.REGISTRY, schema, EXPERIMENTS, EXPERIMENT_CAVEATS, known)
    return DiscoveryExperimentRegistry.model_validate(head | {"experiments": list(found)})


def probe_registry(desk: RenderContext) -> RecallProbeRegistry:
    """Every set of probes."""
    found = entries(desk, probes.REGISTRY)
    known = (moment for one in found for moment in (one.frozen_at, *(run.run_at for run in one.runs)))
    schema = f"/schemas/{RecallProbeRegistry.__name__}.json"
    head = files_head(desk, probes.REGISTRY, schema, PROBES, PROBE_CAVEATS, known)
    return RecallProbeRegistry.model_validate(head | {"probe_sets": list(found)})


def _experiments(desk: RenderContext) -> Iterable[Draft]:
    return [Draft(partial(_experiments_page, desk))]


def _experiments_page(desk: RenderContext) -> Page:
    registry = experiment_registry(desk)
    told = (block for one in registry.experiments[:SHOWN] for block in _experiment(one))
    return Page(
        EXPERIMENTS, "Discovery experiments", "Pre-registered hypotheses on how machines find this archive, with baselines, metrics, windows and stopping rules.",
        (*empty_notice(desk, experiments.REGISTRY), *told, *method(EXPERIMENT_METHOD, EXPERIMENT_CAVEATS)),
        label="Registry", updated=registry.as_of, crumbs=(Link("Home", "/"),), data=registry,
    )  # fmt: skip


def _experiment(one: DiscoveryExperiment) -> Iterator[Block]:
    anchor = slugify(one.id) or "experiment"
    yield Facts(
        anchor, one.title,
        facts(
            fact("Status", words(one.status)),
            fact("Registered", one.registered_at),
            fact("Digest", f"`{one.registration_digest}`"),
            fact("Design", f"{words(one.design.type)}, by {one.design.unit}"),
            fact("Arms", *(f"{arm.id}: {arm.description}" for arm in one.design.arms)),
            fact("Primary metric", f"{one.metrics.primary.definition} ({one.metrics.primary.unit})"),
            fact("Exposure", _span(one.windows.exposure)),
            fact("Analysis", _span(one.windows.analysis)),
            fact("Decision", one.result.decision),
        ),
    )  # fmt: skip
    yield Items(f"{anchor}-hypotheses", f"Hypotheses of {one.id}", tuple(Item(h.statement, title=h.id) for h in one.hypotheses))
    yield Items(
        f"{anchor}-stopping",
        f"Stopping rules of {one.id}",
        tuple(Item(rule.rule, title=words(rule.kind).capitalize()) for rule in one.stopping_rules),
    )
    if one.deviations:
        yield Items(
            f"{anchor}-deviations", f"Deviations of {one.id}", tuple(Item(deviation.text, deviation.at) for deviation in one.deviations)
        )


def _span(window: Window) -> str:
    return f"{day(window.start)} to {day(window.end)}"


def _probes(desk: RenderContext) -> Iterable[Draft]:
    return [Draft(partial(_probes_page, desk))]


def _probes_page(desk: RenderContext) -> Page:
    registry = probe_registry(desk)
    told = (block for one in registry.probe_sets[:SHOWN] for block in _probe_set(desk, one))
    return Page(
        PROBES, "Recall probes", "Versioned questions with the pages that an answer should cite, and the rules by which answers are scored.",
        (*empty_notice(desk, probes.REGISTRY), *told, *method(PROBE_METHOD, PROBE_CAVEATS)),
        label="Registry", updated=registry.as_of, crumbs=(Link("Home", "/"),), data=registry,
    )  # fmt: skip


def _probe_set(desk: RenderContext, one: RecallProbeSet) -> Iterator[Block]:
    anchor = slugify(f"{one.id} {one.version}") or "probes"
    runs = tuple(f"{run.engine}, {run.model}, {day(run.run_at)}: {run.score:g}" for run in one.runs)
    yield Facts(
        anchor, f"{one.id}, version {one.version}",
        facts(
            fact("Frozen", one.frozen_at),
            fact("Digest", f"`{one.frozen_digest}`"),
            fact("Questions", str(len(one.probes))),
            fact("Scoring", *(f"{words(rule.id)}: {rule.points:g}" for rule in one.scoring.rules)),
            fact("Runs", *(runs or ("none recorded",))),
        ),
    )  # fmt: skip
    yield Table(
        f"{anchor}-questions",
        f"Questions of {one.id} {one.version}",
        ("Question", "Should cite"),
        tuple(_question(desk, probe) for probe in one.probes[:SHOWN]),
    )


def _question(desk: RenderContext, probe: Probe) -> tuple[Link, ...]:
    return Link(probe.question), subject_link(desk, probe.canonical_citations[0].canonical_path)


ALL = (
    Pages[RenderContext](
        "discovery_experiments", EXPERIMENTS, Section.TELEMETRY, "Pre-registered hypotheses with baselines, metrics, windows and stopping rules.",
        _experiments, "DiscoveryExperimentRegistry", DiscoveryExperimentRegistry, cache=Cache.LIVE, promised=("json",), resource=0.3,
    ),
    Pages[RenderContext](
        "recall_probes", PROBES, Section.TELEMETRY, "Versioned questions with canonical citations, and scoring rules.",
        _probes, "RecallProbeRegistry", RecallProbeRegistry, cache=Cache.LIVE, promised=("json",), resource=0.3,
    ),
)  # fmt: skip
