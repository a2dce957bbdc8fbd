"""The one route table, computed from the declarations; ambiguity is refused with a sentence."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from itertools import product
from typing import Any

from citepress.base.errors import CitepressError
from citepress.contract.document import Declared, Document, Draft, Output, Pages
from citepress.contract.form import CitationForm, Form, Twin
from citepress.contract.route import Route, always
from citepress.extension import CORE, derived, owner_of

ANY_DEPTH = -1
DEEP_WORDS = ("a/b", "a/b/c", "a/", "/a", "1/2")
"""Words with which a parameter that takes slashes is recognised."""


def _first_part(path: str) -> str:
    return path.lstrip("/").partition("/")[0]


class RouteTableError(CitepressError):
    """Two declarations contradict each other; the sentence names both, and the packages that have them."""

    def __init__(self, message: str, *routes: Route) -> None:
        """Name the packages of these routes, where an extension has one."""
        owners = sorted({owner_of(route) for route in routes})
        super().__init__(f"{message} (in {' and '.join(owners)})" if owners != [CORE] and owners else message)


@dataclass(frozen=True)
class RouteTable:
    """Every route of the service, in the order of the declarations."""

    routes: tuple[Route, ...]

    def __iter__(self) -> Iterator[Route]:
        """Walk the rows in order."""
        return iter(self.routes)

    def named(self, name: str) -> Route:
        """The row of this name; a ``KeyError`` is a mistake in our own code."""
        for route in self.routes:
            if route.name == name:
                return route
        raise KeyError(name)

    def match(self, path: str, method: str = "GET") -> Route | None:
        """The row whose template a path fits."""
        near = self._by_folder.get(_first_part(path), self._by_folder[""])
        return next((r for r in near if r.method == method and r.pattern.fullmatch(path)), None)

    @cached_property
    def _by_folder(self) -> Mapping[str, tuple[Route, ...]]:
        """The rows that a path may fit, by its first part; under an empty name those that fit any first part.

        A large import asks for thousands of paths, and there are hundreds of rows.
        """
        names = {"", *(part for route in self.routes if "{" not in (part := _first_part(route.path)))}
        return {
            name: tuple(route for route in self.routes if (part := _first_part(route.path)) == name or "{" in part)
            for name in names
        }

    def built_in(self, path: str) -> bool | None:
        """Whether the service answers at a path; ``None`` where that depends on the content."""
        route = self.match(path)
        return None if route and route.parameters else route is not None

    def text(self) -> str:
        """The table as ``citepress routes`` prints it."""
        rows = [(r.method, r.path, r.media.type, r.shape or "-", r.name) for r in self.routes]
        widths = [max(len(row[place]) for row in rows) for place in range(5)]
        return "".join("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() + "\n" for row in rows)


def derive(declared: Iterable[Declared], forms: Sequence[Twin], operations: Iterable[Route] = ()) -> RouteTable:
    """The table of these declarations. Raises ``RouteTableError`` where two would answer one path or share one name."""
    routes: list[Route] = []
    for item in declared:
        routes += derived(item, [_document(item)] if isinstance(item, Document) else _pages(item, forms))
    routes += operations
    _refuse_ambiguity(routes)
    return RouteTable(tuple(routes))


def fitting(pages: Pages[Any], forms: Iterable[Twin]) -> tuple[Form, ...]:
    """The forms that write these pages."""
    return tuple(form for form in forms if isinstance(form, Form) and (pages.shape or not form.needs_data))


def _document(document: Document[Any]) -> Route:
    return Route(
        "GET",
        document.path,
        document.name,
        document.media,
        document.section,
        document.summary,
        document.cache,
        document.shape,
        document.described_by,
        document.parameters,
        document.live,
        document.promised,
        document.resource,
        also=document.also,
        filters=document.filters,
        enabled=document.enabled or always,
        addresses=document.addresses or partial(_addresses, document.make),
    )


def _addresses(make: Callable[[Any], Iterable[Output]], context: Any) -> Iterator[Mapping[str, str]]:  # noqa: ANN401  (any context)
    """The values of each address that a document is published at."""
    return (output.values for output in make(context))


def _changed(make: Callable[[Any], Iterable[Draft]], context: Any) -> datetime | None:  # noqa: ANN401  (any context)
    """The last change of the one page of a path without parameters."""
    return next((draft.page().changed for draft in make(context)), None)


def _page_addresses(route: Route, make: Callable[[Any], Iterable[Draft]], context: Any) -> Iterator[Mapping[str, str]]:  # noqa: ANN401  (any context)
    """The values of each page of a family."""
    matches = (route.pattern.fullmatch(draft.key or draft.page().path) for draft in make(context))
    return (match.groupdict() for match in matches if match)


def _pages(pages: Pages[Any], forms: Sequence[Twin]) -> list[Route]:
    fit = fitting(pages, forms)
    cited = [form for form in forms if isinstance(form, CitationForm)] if pages.cited else []
    twins = tuple((form.name, form.media, form.path(pages.path)) for form in (*fit, *cited))
    shared = Route(
        "GET",
        pages.path,
        pages.name,
        fit[0].media,
        pages.section,
        pages.summary,
        pages.cache,
        parameters=pages.parameters,
        live=pages.live,
        forms=twins,
    )
    addresses = pages.addresses or partial(_page_addresses, shared, pages.make)
    shared = replace(shared, addresses=addresses, changed=partial(_changed, pages.make))
    written = [
        replace(
            shared,
            path=form.path(pages.path),
            name=f"{pages.name}_{form.name}",
            media=form.media,
            shape=pages.shape if form.needs_data else "",
            described_by=pages.described_by if form.needs_data else "",
            promised=form.name in pages.promised,
            resource=pages.resource,
            negotiates=form.default,
            filters=pages.filters if form.needs_data else None,
        )
        for form in fit
    ]
    further = [
        replace(
            shared,
            path=form.path(pages.path),
            name=f"{pages.name}_{form.name}",
            media=form.media,
            shape=form.shape,
            summary=f"{pages.summary.removesuffix('.')}: {form.title}.",
            promised=False,
        )
        for form in cited
    ]
    return written + further


def _refuse_ambiguity(routes: Sequence[Route]) -> None:
    names: dict[str, Route] = {}
    literal: dict[tuple[str, str], Route] = {}
    for route in routes:
        _refuse_unnamed(route)
        if (other := names.setdefault(route.name, route)) is not route:
            raise RouteTableError(f"two routes are named {route.name!r}: {other.path} and {route.path}", other, route)
        if (other := literal.setdefault((route.method, route.path), route)) is not route:
            message = f"{other.name} and {route.name} both answer {route.method} {route.path}"
            raise RouteTableError(message, other, route)
    shapes = [(route, *_shape(route)) for route in routes]
    templates = [parts for parts in shapes if "{" in parts[0].path]
    for route, head, tail, depth in shapes:
        for other, other_head, other_tail, other_depth in templates:
            # Templates that begin or end in letters that differ, or differ in depth, can have no path in common.
            heads = head.startswith(other_head) or other_head.startswith(head)
            if not heads or not (tail.endswith(other_tail) or other_tail.endswith(tail)):
                continue
            if depth != other_depth and ANY_DEPTH not in (depth, other_depth):
                continue
            if route is not other and route.method == other.method and _overlap(route, other):
                raise RouteTableError(
                    f"{route.name} ({route.path}) and {other.name} ({other.path}) can answer the same path",
                    route,
                    other,
                )


def _refuse_unnamed(route: Route) -> None:
    named = set(re.findall(r"\{([a-z_]+)\}", route.path))
    declared = {parameter.name for parameter in route.parameters}
    if named - declared:
        raise RouteTableError(
            f"{route.name}: the path {route.path} names undeclared parameters {sorted(named - declared)}"
        )


def _shape(route: Route) -> tuple[str, str, int]:
    """The letters before the first parameter of a template, those behind the last one, and its number of slashes."""
    path = route.path
    deep = any(
        re.fullmatch(p.pattern, word) for p in route.parameters for word in (*DEEP_WORDS, p.example) if "/" in word
    )
    return path.partition("{")[0], path.rpartition("}")[2], ANY_DEPTH if deep else path.count("/")


def _overlap(route: Route, other: Route) -> bool:
    """Whether one path could fit both: paths of each template are tried on the other's pattern."""
    samples = _samples(route, _words(other.path)) if route.parameters else (route.path,)
    return any(other.pattern.fullmatch(path) for path in samples)


def _words(path: str) -> Iterator[str]:
    """What a template spells out between its slashes, dots and parameters."""
    yield from (
        word
        for segment in re.sub(r"\{[a-z_]+\}", "/", path).split("/")
        for word in {segment, *segment.split(".")}
        if word
    )


def _samples(route: Route, words: Iterable[str]) -> Iterator[str]:
    """Paths of a template: its parameters filled with these words, and with words of every type."""
    tried = dict.fromkeys((*words, "a", "page", "index", "000", "1", "100", "v1", "llms", "a/b"))
    fits = [[word for word in (*tried, p.example) if re.fullmatch(p.pattern, word)] or ["a"] for p in route.parameters]
    for chosen in product(*fits):
        yield route.fill({p.name: word for p, word in zip(route.parameters, chosen, strict=True)})
