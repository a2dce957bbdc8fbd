"""The record kinds and registries of the archive, in the order in which guides list them."""

from citepress.contract.kind import Kind, Registry
from citepress.extension import joined
from citepress.kinds import (
    agent_tasks,
    deltas,
    experiments,
    forecasts,
    graveyard,
    learn,
    metadox,
    patterns,
    posts,
    presence,
    probes,
    projects,
    shifts,
    signals,
    systems,
    topics,
)

CORE: tuple[Kind, ...] = (
    posts.KIND,
    topics.KIND,
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
ALL = joined("kinds", Kind, CORE, lambda kind: (kind.name, kind.schema))
REGISTRIES = joined(
    "registries",
    Registry,
    (experiments.REGISTRY, probes.REGISTRY, presence.REGISTRY),
    lambda registry: (registry.name,),
)
