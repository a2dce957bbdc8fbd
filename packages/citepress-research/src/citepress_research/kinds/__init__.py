"""The record kinds and registries of a research log, in the order in which guides list them."""

from citepress_research.kinds import (
    agent_tasks,
    deltas,
    experiments,
    forecasts,
    graveyard,
    learn,
    metadox,
    patterns,
    presence,
    probes,
    projects,
    shifts,
    signals,
    systems,
)

ALL = (
    signals.KIND,
    patterns.KIND,
    shifts.KIND,
    deltas.KIND,
    graveyard.KIND,
    projects.KIND,
    systems.KIND,
    learn.KIND,
    forecasts.KIND,
    agent_tasks.KIND,
    metadox.KIND,
)
REGISTRIES = (experiments.REGISTRY, probes.REGISTRY, presence.REGISTRY)
