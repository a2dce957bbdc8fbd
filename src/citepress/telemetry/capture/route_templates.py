"""Matches paths with the templates of the route table, for requests that no leaf answered."""

from collections import defaultdict
from collections.abc import Iterable

from citepress.contract.route import Route

LONGEST = 1024
"""Characters of the longest path that a template can match."""
READS = {"HEAD": "GET"}


class RouteTemplates:
    """The route table by the first segment of its paths, so that a flood of unknown paths costs little."""

    def __init__(self, routes: Iterable[Route]) -> None:
        """Index the templates; those whose first segment is a parameter are tried for every path."""
        self._exact: dict[str, str] = {}
        self._below: dict[str, list[Route]] = defaultdict(list)
        for route in routes:
            if "{" in route.path:
                self._below[_first(route.path)].append(route)
            else:
                self._exact[route.path] = route.path

    def of(self, method: str, path: str) -> str:
        """The template that matches; empty if none does.

        One of the same method is preferred, but a path keeps its route whatever the method.
        """
        if len(path) > LONGEST:
            return ""
        if (exact := self._exact.get(path)) is not None:
            return exact
        fitting = [
            route
            for route in (*self._below.get(_first(path), ()), *self._below.get("", ()))
            if route.pattern.fullmatch(path)
        ]
        same = [route for route in fitting if route.method == READS.get(method, method)]
        return next((route.path for route in same or fitting), "")


def _first(path: str) -> str:
    """The first segment; empty for a parameter."""
    segment = path[1:].partition("/")[0]
    return "" if "{" in segment else segment
