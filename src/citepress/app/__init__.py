"""The composition root: the only room that opens every catalogue, picks the stores and joins both doors."""

from citepress.app.aggregator import Keeper
from citepress.app.building import Builder, Built
from citepress.app.catalogue import built_in, catalogue, desk, models, table
from citepress.app.serving import checked_counters, checked_sale, credit, existing_stores, load, opened_stores

__all__ = [
    "Builder",
    "Built",
    "Keeper",
    "built_in",
    "catalogue",
    "checked_counters",
    "checked_sale",
    "credit",
    "desk",
    "existing_stores",
    "load",
    "models",
    "opened_stores",
    "table",
]
