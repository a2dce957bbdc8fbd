"""Matches paths with the templates of the route table, for requests that no leaf answered."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

from citepress.contract.document import Section
from citepress.contract.route import Route

NOT_BLANK = r"\S"
"""The pattern of a parameter that takes any text but blanks."""
MAX_PATH_CHARS = 1024
"""Characters of the longest path that a template can match."""
READS = {"HEAD": "GET"}
SEARCH_PARAMETERS = frozenset({"query", "q", "s", "search", "term", "text", "words", "keywords"})
"""Names that search boxes usually have."""


class RouteTemplates:
    """The route table by the first segment of its paths, so that a flood of unknown paths costs little."""

    def __init__(self, routes: Iterable[Route]) -> None:
        """Index the templates; those whose first segment is a parameter are tried for every path."""
        self._exact: dict[str, str] = {}
        self._below: dict[str, list[Route]] = defaultdict(list)
        self._routes: dict[str, list[Route]] = defaultdict(list)
        for route in routes:
            self._routes[route.path].append(route)
            if "{" in route.path:
                self._below[_first(route.path)].append(route)
            else:
                self._exact[route.path] = route.path

    def of(self, method: str, path: str) -> str:
        """The template that matches; empty if none does.

        One of the same method is preferred, but a path keeps its route whatever the method.
        """
        if len(path) > MAX_PATH_CHARS:
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

    @cache  # noqa: B019  (as long-lived as the process)
    def free_texts(self, template: str) -> frozenset[str]:
        """The query parameters of a template that take any text; those of the JSON form count for its other forms.

        Where one is of ``SEARCH_PARAMETERS``, so do the others.
        """
        paths = {template, *(path for route in self._routes[template] for _, _, path in route.forms)}
        models = {ask for path in paths for route in self._routes[path] for ask in (route.ask, route.filters) if ask}
        names = {name for model in models for name, schema in _properties(model) if _takes_any_text(schema)}
        return frozenset(names | SEARCH_PARAMETERS if SEARCH_PARAMETERS & names else names)


def _properties(model: type[BaseModel]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    properties: Mapping[str, Mapping[str, Any]] = model.model_json_schema().get("properties", {})
    return properties.items()


def _takes_any_text(schema: Mapping[str, Any]) -> bool:
    """Whether text is bound by neither a list nor a pattern; an address is any text behind its scheme."""
    kinds = schema.get("anyOf", [schema])
    return any(
        kind.get("type") == "string"
        and not kind.keys() & {"enum", "const"}
        and (kind.get("pattern", NOT_BLANK) == NOT_BLANK or kind.get("format") == "uri")
        for kind in kinds
    )


def _first(path: str) -> str:
    """The first segment; empty for a parameter."""
    segment = path[1:].partition("/")[0]
    return "" if "{" in segment else segment


def api_targets(routes: Iterable[Route]) -> frozenset[bytes]:
    """The targets of the endpoints that take messages; many clients write a slash at their end."""
    paths = [route.path for route in routes if route.section is Section.MCP]
    return frozenset(f"{path}{end}".encode() for path in paths for end in ("", "/"))
