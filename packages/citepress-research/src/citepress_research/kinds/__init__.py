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

ALL = tuple(
    kind.KIND
    for kind in (
        *(signals, patterns, shifts, deltas, graveyard, projects),
        *(systems, learn, forecasts, agent_tasks, metadox),
    )
)
REGISTRIES = (experiments.REGISTRY, probes.REGISTRY, presence.REGISTRY)
