"""Addresses and arguments that guides and contracts show: each of them answers."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from citepress.contract.route import Route
from citepress.edition.render_context import RenderContext

RECORD = "related_record"
"""An argument that names a record of the archive."""


def example_values(context: RenderContext, route: Route) -> Mapping[str, str] | None:
    """The values of the first address of a route.

    ``None`` where nothing is published there, or nobody can know an address.
    """
    if not route.parameters:
        return {}
    if context.dating:
        return None  # a page is read for its date, on which addresses may depend in turn
    family = route.forms[0][2] if route.forms else route.path
    return context.derivations.of(
        f"first address of {family}", lambda: next(iter(route.addresses(context)), None), compared=True
    )


def _first_record(context: RenderContext) -> str:
    return min(context.archive.entries, default="")


def example_path(context: RenderContext, route: Route) -> str:
    """An address of the route that answers; empty where there is none."""
    values = example_values(context, route)
    return "" if values is None else route.fill(dict(values))


def example_arguments(context: RenderContext, route: Route) -> dict[str, Any] | None:
    """Arguments that an operation takes here; ``None`` where they would have to name a record and there is none."""
    arguments = dict(route.example)
    if RECORD in arguments:
        derive = partial(_first_record, context)
        first = context.derivations.of("first record", derive, compared=True)
        if not first:
            return None
        arguments[RECORD] = first
    return arguments
