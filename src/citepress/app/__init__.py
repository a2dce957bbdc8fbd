"""The composition root: the only room that opens every catalogue, picks the stores and joins both doors."""

from citepress.app.aggregator import AggregatorProcess
from citepress.app.build import Builder, BuildResult
from citepress.app.registry import built_in, catalogue, models, render_context, table
from citepress.app.worker import checked_counters, checked_sale, credit, existing_stores, load, opened_stores

__all__ = [
    "AggregatorProcess",
    "BuildResult",
    "Builder",
    "built_in",
    "catalogue",
    "checked_counters",
    "checked_sale",
    "credit",
    "existing_stores",
    "load",
    "models",
    "opened_stores",
    "render_context",
    "table",
]
