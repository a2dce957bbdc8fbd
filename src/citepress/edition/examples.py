"""Real values for the parameters of a route: guides and contracts show paths that answer."""

from collections.abc import Callable

from citepress.contract.route import Route
from citepress.edition.desk import Desk


def example_values(desk: Desk, route: Route) -> dict[str, str]:
    """A value for each parameter of the route, from the archive where it has one."""
    found = {p.name: _FROM_ARCHIVE[p.name](desk, route) if p.name in _FROM_ARCHIVE else "" for p in route.parameters}
    return {p.name: found[p.name] or p.example or "example" for p in route.parameters}


def example_path(desk: Desk, route: Route) -> str:
    """A path of the route; the template itself when it has no parameter."""
    return route.fill(example_values(desk, route))


def _slug(desk: Desk, route: Route) -> str:
    """The newest record of the route's collection; for a topic's feed, a topic that has one."""
    name = route.path.split("/")[1]
    if name == "feeds":
        return next((hub.record.slug for hub in desk.archive.collections.get("topics", ()) if getattr(hub.record, "feed", False)), "")
    entries = desk.archive.collections.get(name, ())
    return entries[0].record.slug if entries else ""


def _origin(desk: Desk, _route: Route) -> str:
    return next(iter(desk.archive.origins), "")


def _dataset(desk: Desk, _route: Route) -> str:
    return desk.archive.datasets[0].name if desk.archive.datasets else ""


_FROM_ARCHIVE: dict[str, Callable[[Desk, Route], str]] = {"slug": _slug, "origin": _origin, "dataset": _dataset}
