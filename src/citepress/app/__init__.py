"""The composition root: the only room that opens every catalogue, picks the stores and joins both doors."""

from citepress.app.building import Builder, Built
from citepress.app.catalogue import built_in, catalogue, desk, models, table
from citepress.app.serving import checked_counters, credit, load, opened_stores

__all__ = ["Builder", "Built", "built_in", "catalogue", "checked_counters", "credit", "desk", "load", "models", "opened_stores", "table"]
