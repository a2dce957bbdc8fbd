"""Operations in OpenAPI: arguments in the query or the body, answers, and an example of each."""

from collections.abc import Iterable, Iterator
from typing import Any

from citepress.contract import problem as sorts
from citepress.contract.operation import FARTHEST, Paged
from citepress.contract.problem import ProblemType
from citepress.contract.route import Route
from citepress.edition.examples import example_arguments
from citepress.edition.render_context import RenderContext
from citepress.edition.schemas import COMPONENT, request_schema

ANY_FAULTS = ("405", "414", "431")
"""What each address may answer with, whatever is sent."""
READ_FAULTS = ("400", "406", "429", "500", "503", *ANY_FAULTS)
SUBMIT_FAULTS = ("400", "406", "408", "413", "415", "422", "429", "500", "503", *ANY_FAULTS)
STATUSES = {
    str(sort.status): sort
    for sort in (
        sorts.TIMEOUT,
        sorts.TOO_LARGE,
        sorts.URI_TOO_LONG,
        sorts.MEDIA_TYPE,
        sorts.INVALID,
        sorts.HEADERS_TOO_LARGE,
        sorts.UNAVAILABLE,
    )
}
"""Problems that are answered as JSON alone."""
PAGE_STATUSES = {
    str(sort.status): sort
    for sort in (
        sorts.BAD_QUERY,
        sorts.NOT_FOUND,
        sorts.METHOD,
        sorts.NOT_ACCEPTABLE,
        sorts.GONE,
        sorts.PRECONDITION,
        sorts.RATE_LIMITED,
        sorts.INTERNAL,
    )
}
"""Problems that pages answer with in the form that was asked for."""


def arguments(context: RenderContext, route: Route) -> Iterator[dict[str, Any]]:
    """The query parameters of a reading operation.

    Its page for people also takes the empty fields that a form sends.
    """
    if route.ask is None or route.method != "GET":
        return
    schema = request_schema(route.ask)
    in_path = {parameter.name for parameter in route.parameters}
    example, emptied = example_arguments(context, route) or {}, {"minLength"} if route.negotiates else set()
    for name, member in schema["properties"].items():
        if name not in in_path:
            shown = {"example": example[name]} if name in example else {}
            yield {
                "name": name,
                "in": "query",
                "required": name in schema.get("required", ()) and not route.negotiates,
                "description": member.get("description", ""),
                "schema": _plain(member) | ({"minLength": 0} if emptied & set(member) else {}),
                **shown,
            }
    if issubclass(route.ask, Paged):
        bounds = {"type": "integer", "minimum": 0, "maximum": FARTHEST, "default": 0}
        yield {"name": "start", "in": "query", "required": False, "description": "Items passed over.", "schema": bounds}


def filters(route: Route) -> Iterator[dict[str, Any]]:
    """The query parameters that narrow what a route lists."""
    properties = request_schema(route.filters)["properties"] if route.filters else {}
    for name, member in properties.items():
        schema = {
            key: value for key, value in _plain(member).items() if key != "format"
        }  # its pattern takes a bare day, and the empty value
        yield {
            "name": name,
            "in": "query",
            "required": False,
            "description": member.get("description", ""),
            "schema": schema,
        }


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a member without what a parameter states elsewhere; an optional member is never null."""
    members = {
        name: value
        for name, value in schema.items()
        if name not in ("anyOf", "description", "title") and value is not None
    }
    return {**members, **next((option for option in schema.get("anyOf", ()) if option != {"type": "null"}), {})}


def request_body(context: RenderContext, route: Route) -> dict[str, Any]:
    """The body of a submitting operation; nothing for a reading one."""
    if route.ask is None or route.method != "POST":
        return {}
    schema = {"$ref": COMPONENT.format(model=route.ask.__name__)}
    example = example_arguments(context, route)
    shown = {"schema": schema} if example is None else {"schema": schema, "example": example}
    return {"requestBody": {"required": True, "content": {"application/json": shown}}}


def requests(routes: Iterable[Route]) -> dict[str, Any]:
    """The schemas of the bodies, closed to members that they do not know."""
    schemas: dict[str, Any] = {}
    for model in sorted(
        {route.ask for route in routes if route.ask and route.method == "POST"}, key=lambda model: model.__name__
    ):
        schema = request_schema(model)
        schemas |= {**schema.pop("$defs", {}), model.__name__: schema}
    return schemas


def responses(route: Route, content: dict[str, Any], headers: Iterable[str]) -> dict[str, Any]:
    """What an operation answers when nothing is wrong.

    ``content`` by media type, ``headers`` that every answer carries.
    """
    shown = {name: {"$ref": f"#/components/headers/{name}"} for name in headers}
    if route.method == "GET":
        return {"200": {"description": route.summary, "headers": shown, "content": content}}
    where = {
        name: {"description": "Where its status is read.", "schema": {"type": "string"}}
        for name in ("Location", "Content-Location")
    }
    repeat = {**shown, "Content-Location": where["Content-Location"]}
    return {
        "200": {
            "description": "A repeat within 24 hours: the earlier submission.",
            "headers": repeat,
            "content": content,
        },
        "202": {"description": "Queued for the weekly review.", "headers": {**shown, **where}, "content": content},
    }


def faults(route: Route) -> tuple[str, ...]:
    """The statuses of what an operation refuses."""
    return (
        SUBMIT_FAULTS
        if route.method == "POST"
        else tuple(sorted({*READ_FAULTS, *(("404",) if route.parameters else ())}))
    )


def example_problem(context: RenderContext, sort: ProblemType) -> dict[str, Any]:
    """A problem document of this sort."""
    problem: dict[str, Any] = {
        "type": context.url(f"/developers/#problem-{sort.slug}"),
        "title": sort.title,
        "status": sort.status,
        "detail": sort.about,
    }
    if sort is sorts.INVALID:
        problem["errors"] = [{"detail": "reason is required.", "pointer": "/reason"}]
    return problem
