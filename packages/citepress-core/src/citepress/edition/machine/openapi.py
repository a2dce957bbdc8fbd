"""Both OpenAPI documents, computed from the route table: the programmatic contract and the whole route catalog."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import orjson

from citepress import __version__
from citepress.base.canonical import json_bytes
from citepress.base.media import OPENAPI, PROBLEM_JSON, Media
from citepress.base.text import sentence, sentence_list
from citepress.contract.document import Document, Output, Parameter, Section
from citepress.contract.problem import Problem
from citepress.contract.route import OpenapiParts, Route
from citepress.contract.version import CONTRACT_VERSION
from citepress.edition.examples import example_arguments, example_values
from citepress.edition.machine.openapi_actions import (
    ANY_FAULTS,
    PAGE_STATUSES,
    STATUSES,
    arguments,
    example_problem,
    faults,
    filters,
    request_body,
    requests,
    responses,
)
from citepress.edition.render_context import RenderContext
from citepress.edition.schema_examples import Definitions
from citepress.edition.schemas import components

HEADERS = {
    "RateLimit-Limit": ("Requests that a client may make in a window.", {"type": "integer", "minimum": 1}),
    "RateLimit-Remaining": ("Requests left in the window.", {"type": "integer", "minimum": 0}),
    "RateLimit-Reset": ("Seconds until the window ends.", {"type": "integer", "minimum": 0}),
    "RateLimit-Policy": ("Each policy by name, with its quota (q) and its window in seconds (w).", {"type": "string"}),
    "RateLimit": (
        "What is left (r) of the named policy, and the seconds until its window ends (t).",
        {"type": "string"},
    ),
    "Link": ('Web links; rel="deprecation" points to the deprecation policy.', {"type": "string"}),
    "ETag": ("Names this representation in this content coding.", {"type": "string"}),
    "Last-Modified": ("When the content last changed.", {"type": "string"}),
    "Cache-Control": ("How long the answer may be kept.", {"type": "string"}),
    "Vary": ("Request fields that the answer depends on.", {"type": "string"}),
    "Retry-After": ("Seconds to wait.", {"type": "integer", "minimum": 1}),
    "Ignored-Parameters": (
        "Names of query parameters that nobody reads; absent where all are read.",
        {"type": "string"},
    ),
}
REQUEST_FIELDS = ("Retry-After", "Ignored-Parameters")
"""Fields that depend on the request, which a host of files does not send."""
RATE = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy", "RateLimit")
FIELDS = ("Cache-Control", "Link", *RATE)
"""Fields of an answer to an operation that an extension describes."""
_EXAMPLE = re.compile(rb'"\$ref":"#/components/examples/([^"]+)"')
_REFERENCE = re.compile(rb'"\$ref":"#/components/schemas/([^"]+)"')
VALIDATORS = ("ETag", "Last-Modified", "Cache-Control", "Vary")
PROBLEMS = {
    "400": "The path or a parameter cannot be read.",
    "404": "Nothing is published here.",
    "405": "The method is not among those of this path.",
    "406": "No representation fits the Accept field.",
    "410": "The record was withdrawn.",
    "412": "A condition of the request does not hold.",
    "429": "Too many requests from this client.",
    "500": "The service failed.",
    **{status: sort.title + "." for status, sort in STATUSES.items()},
}


def programmatic(context: RenderContext) -> Iterable[Output]:
    """The contract of everything that is JSON or no GET."""
    routes = [route for route in _contracted(context) if route.media.is_json or route.method != "GET"]
    sold = ["paid-compute"] if any(route.usd for route in routes) else []
    what = sentence_list(["JSON", *(api.name for api in context.apis), *sold])
    return [Output(json_bytes(_openapi(context, routes, what)))]


def catalog(context: RenderContext) -> Iterable[Output]:
    """Every route in every media type."""
    return [Output(json_bytes(_openapi(context, _contracted(context), "HTML, Markdown, JSON, text and XML")))]


def _contracted(context: RenderContext) -> list[Route]:
    """The routes that answer: those that are on, and what says that another is off."""
    return [route for route in context.table if route.enabled(context.site) or route.contracted]


class _Operation(NamedTuple):
    """What a route answers, as it stands in both documents."""

    json: orjson.Fragment
    statuses: frozenset[str]
    schemas: Mapping[str, Any]
    """Those that it alone refers to."""


def _openapi(context: RenderContext, routes: list[Route], what: str) -> dict[str, Any]:
    site = context.site
    operations = [_operation_of(context, route) for route in routes]
    paths: dict[str, dict[str, Any]] = {}
    for route, operation in zip(routes, operations, strict=True):
        paths.setdefault(route.path, {})[route.method.lower()] = operation.json
    sections = {route.section for route in routes}
    # Of an archive, operations alone show anything, so that one more record leaves this part as it is.
    components_of = partial(_components, context, routes, paths, operations)
    return {
        "openapi": "3.1.1",
        "info": {
            "title": site.title,
            "version": CONTRACT_VERSION,
            "summary": f"{what if context.served else 'JSON'} routes of {site.title}",
            "description": (
                f"{sentence(site.description or site.title)} Served by citepress {__version__}. Guide:"
                f" {context.url('/developers/')}"
            ),
            "contact": {"name": context.archive.owner.name, "url": context.url("/owner-profile/")},
            "license": _license(site.license),
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{"url": site.base_url, "description": site.title}],
        "security": [],
        "tags": [{"name": section.value, "description": section.about} for section in Section if section in sections],
        "externalDocs": {"url": context.url("/developers/"), "description": "Developer guide"},
        "paths": paths,
        "components": context.derivations.held(f"components of {what}", (), components_of),
    }


def _components(
    context: RenderContext, routes: list[Route], paths: dict[str, Any], operations: Sequence[_Operation]
) -> orjson.Fragment:
    further = {name: schema for operation in operations for name, schema in operation.schemas.items()}
    schemas = (
        components({**context.models, "Problem": Problem})
        | _described_elsewhere(context, routes)
        | requests(routes)
        | further
    )
    answered = frozenset[str]().union(*(operation.statuses for operation in operations))
    shown = {
        "schemas": _used(schemas, paths),
        "headers": {
            name: {"description": about, "schema": schema}
            for name, (about, schema) in HEADERS.items()
            if context.served or name not in (*RATE, *REQUEST_FIELDS)
        },
        "examples": _examples(schemas, paths),
        "responses": {status: _problem_response(context, status) for status in PROBLEMS if status in answered},
    }
    return orjson.Fragment(json_bytes(shown)[:-1])


def _operation_of(context: RenderContext, route: Route) -> _Operation:
    """An operation, written anew where its examples differ."""
    shown = example_values(context, route), example_arguments(context, route)
    return context.derivations.held(f"operation {route.name}", shown, partial(_write, context, route))


def _write(context: RenderContext, route: Route) -> _Operation:
    own = route.openapi(context, route, _content(context, route), FIELDS) if route.openapi else OpenapiParts()
    operation = {**_operation(context, route, own), **_lifecycle(context, route)}
    return _Operation(orjson.Fragment(json_bytes(operation)[:-1]), frozenset(operation["responses"]), own.schemas)


def _license(license_id: str) -> dict[str, str]:
    if re.fullmatch(r"[A-Za-z0-9.+-]+", license_id):
        return {"name": license_id, "identifier": license_id}
    return {"name": license_id}


def _operation(context: RenderContext, route: Route, own: OpenapiParts) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.name,
        "tags": [route.section.value],
        "summary": route.summary.partition(". ")[0][:120],
        "description": route.summary,
        "parameters": [
            *_parameters(context, route),
            *filters(route),
            *arguments(context, route),
            *own.parameters,
        ],
        **own.members,
        **request_body(context, route),
        "responses": {**(own.responses or _answers(context, route))},
    }
    for status in own.refusals or _refusals(context, route):
        operation["responses"][status] = {"$ref": f"#/components/responses/{status}"}
    return operation


def _lifecycle(context: RenderContext, route: Route) -> dict[str, Any]:
    """Whether an operation is deprecated; a row about one address of a template does not affect the others."""
    return {"deprecated": True} if any(row.path == route.path for row in context.site.deprecations) else {}


def _refusals(context: RenderContext, route: Route) -> Iterable[str]:
    """The statuses of problems that a route answers with; a host of files knows one."""
    if not context.served:
        return ("404",)
    return faults(route) if route.ask else _problem_statuses(route)


def _answers(context: RenderContext, route: Route) -> dict[str, Any]:
    if route.ask:
        return responses(
            route,
            _content(context, route),
            ("Cache-Control", "Link", *_rate(context, route)) if route.media.is_json else ("Cache-Control", "Vary"),
        )
    return {"200": _success(context, route), "304": _unchanged(context, route)}


def _problem_statuses(route: Route) -> Iterator[str]:
    yield from ("400", "404", "406", "412", *ANY_FAULTS)
    if "{slug}" in route.path:
        yield "410"
    if _answers_json(route):
        yield "429"
    yield "500"


def _answers_json(route: Route) -> bool:
    """Whether a JSON type is among the types of its 200; only such routes have a limit to run into."""
    return route.media.is_json or (route.negotiates and any(media.is_json for _, media, _ in route.forms))


def _parameters(context: RenderContext, route: Route) -> Iterator[dict[str, Any]]:
    values = example_values(context, route) or {}
    for parameter in route.parameters:
        value = values.get(parameter.name)
        example = {} if value is None else {"example": int(value) if parameter.number else value}
        yield {
            "name": parameter.name,
            "in": "path",
            "required": True,
            "description": _about(parameter),
            "schema": _value_schema(parameter),
            **example,
        }


def _value_schema(parameter: Parameter) -> dict[str, Any]:
    if parameter.number:
        return {"type": "integer", "minimum": 1, "maximum": 9_999_999}
    return {"type": "string", "minLength": 1, "maxLength": 512, "pattern": f"^{parameter.pattern}$"}


def _about(parameter: Parameter) -> str:
    return parameter.about + (" Slashes are percent-encoded as %2F." if "/" in parameter.pattern else "")


def _rate(context: RenderContext, route: Route) -> tuple[str, ...]:
    """The fields of the limits that an answer counts against, and of the unknown parameters of its query."""
    read = ("Ignored-Parameters",) if route.method == "GET" else ()
    return (*RATE, *read) if route.media.is_json and context.served else ()


def _success(context: RenderContext, route: Route) -> dict[str, Any]:
    headers = [*VALIDATORS, "Link", *_rate(context, route)]
    return {
        "description": route.summary,
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers},
        "content": _content(context, route),
    }


def _content(context: RenderContext, route: Route) -> dict[str, Any]:
    shapes = {row.path: row.shape for row in context.table} if route.negotiates else {}
    types = {media.type: _schema(media, shapes[path]) for _, media, path in route.forms} if route.negotiates else {}
    types = types or {media.type: _schema(media, route.shape) for media in (route.media, *route.also)}
    return {name: {"schema": schema, **_example(schema)} for name, schema in types.items()}


def _example(schema: Mapping[str, str]) -> dict[str, Any]:
    """The example of a document that has a schema, which all its addresses share."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return {"examples": {name: {"$ref": f"#/components/examples/{name}"}}} if name else {}


def _examples(schemas: Mapping[str, Any], paths: dict[str, Any]) -> dict[str, Any]:
    """The examples that the paths lead to."""
    names = sorted({name.decode() for name in _EXAMPLE.findall(json_bytes(paths))})
    definitions = Definitions(schemas)
    return {name: {"value": definitions.example(name, 0)} for name in names}


def _schema(media: Media, shape: str) -> dict[str, Any]:
    if not media.is_json:
        return {"type": "string"}
    return {"$ref": f"#/components/schemas/{shape}"} if shape else {"type": "object"}


def _described_elsewhere(context: RenderContext, routes: Iterable[Route]) -> dict[str, Any]:
    """Documents whose form another standard fixes: named here, described there."""
    return {r.shape: {"type": "object", "title": r.shape} for r in routes if r.shape and r.shape not in context.models}


def _unchanged(context: RenderContext, route: Route) -> dict[str, Any]:
    headers = [*VALIDATORS, *_rate(context, route)]
    return {
        "description": "The client's copy is current.",
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers},
    }


def _problem_response(context: RenderContext, status: str) -> dict[str, Any]:
    headers = {"429": ("Retry-After", *RATE), "503": ("Retry-After",), "406": ("Vary",), "404": ("Vary",)}.get(
        status, ()
    )
    content: dict[str, Any] = {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    content[PROBLEM_JSON]["example"] = example_problem(context, {**STATUSES, **PAGE_STATUSES}[status])
    if status not in STATUSES:
        # Pages answer in the form that was asked for; /search/ has a limit as HTML and Markdown too.
        content |= {"text/html": {"schema": {"type": "string"}}, "text/markdown": {"schema": {"type": "string"}}}
    return {
        "description": PROBLEMS[status],
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers},
        "content": content,
    }


def _used(schemas: dict[str, Any], paths: dict[str, Any]) -> dict[str, Any]:
    """The schemas that the paths lead to, and no other."""
    leads = {name: _references(schema) for name, schema in schemas.items()}
    wanted, todo = {"Problem"}, {"Problem", *_references(paths)}
    while todo:
        name = todo.pop()
        wanted.add(name)
        todo |= leads[name] - wanted
    return {name: schema for name, schema in sorted(schemas.items()) if name in wanted}


def _references(node: dict[str, Any]) -> frozenset[str]:
    """The names of the schemas that a part of the document refers to, read from its JSON: walking it takes longer."""
    return frozenset(name.decode() for name in _REFERENCE.findall(json_bytes(node)))


ALL = (
    Document[RenderContext](
        "openapi",
        "/openapi.json",
        OPENAPI,
        Section.CONTRACTS,
        "The programmatic contract: every JSON route and every operation (OpenAPI 3.1).",
        programmatic,
        "OpenApiDocument",
        resource=0.7,
    ),
    Document[RenderContext](
        "openapi_route_catalog",
        "/openapi-route-catalog.json",
        OPENAPI,
        Section.CONTRACTS,
        "The broader catalog of HTML, Markdown, JSON, text and XML routes (OpenAPI 3.1).",
        catalog,
        "OpenApiDocument",
    ),
)
