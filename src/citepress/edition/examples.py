"""Addresses and arguments that guides and contracts show: each of them answers."""

from collections.abc import Mapping
from typing import Any

from citepress.contract.route import Route
from citepress.edition.render_context import RenderContext

RECORD = "related_record"
"""An argument that names a record of the archive."""


def example_values(desk: RenderContext, route: Route) -> Mapping[str, str] | None:
    """The values of the first address of a route; ``None`` where nothing is published there, or nobody can know an address."""
    if not route.parameters:
        return {}
    found: dict[str, Mapping[str, str] | None] = desk.memo.setdefault("addresses", {})
    family = route.forms[0][2] if route.forms else route.path
    if family not in found:
        found[family] = None  # whoever looks for the address while it is sought needs none: guides are read for their dates then
        found[family] = next(iter(route.addresses(desk)), None)
    return found[family]


def example_path(desk: RenderContext, route: Route) -> str:
    """An address of the route that answers; empty where there is none."""
    values = example_values(desk, route)
    return "" if values is None else route.fill(dict(values))


def example_arguments(desk: RenderContext, route: Route) -> dict[str, Any] | None:
    """Arguments that an operation takes here; ``None`` where they would have to name a record and there is none."""
    arguments = dict(route.example)
    if RECORD in arguments:
        if not desk.archive.entries:
            return None
        arguments[RECORD] = min(desk.archive.entries)
    return arguments
