"""What guides say of actions and submissions, derived from the declarations.

Only what the site has enabled is described, and every example works as printed.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson

from citepress.base.canonical import json_bytes
from citepress.contract.operation import Effect, Operation
from citepress.contract.page import Block, Code, Link, Prose, Table
from citepress.contract.route import Route
from citepress.edition.machine.arguments import members
from citepress.edition.render_context import RenderContext

JSON_FIELD = "Content-Type: application/json"


class Action(NamedTuple):
    """An operation with its REST route."""

    operation: Operation
    route: Route


def reading(context: RenderContext) -> Iterator[Action]:
    """The operations that take their arguments from the query."""
    return (
        action for action in _actions(context) if action.operation.effect is Effect.READ and not action.route.parameters
    )


def submitting(context: RenderContext) -> Iterator[Action]:
    """The operations whose JSON body is queued for review."""
    return (action for action in _actions(context) if action.operation.effect is Effect.SUBMIT)


def paid(context: RenderContext) -> Iterator[Route]:
    """The routes that sell something."""
    return (route for route in context.routes if route.usd)


def _actions(context: RenderContext) -> Iterator[Action]:
    routes = {route.name: route for route in context.routes}
    return (
        Action(operation, routes[operation.name])
        for operation in context.operations
        if operation.rest and operation.name in routes
    )


def curl(url: str, body: Mapping[str, Any], fields: Iterable[str] = (JSON_FIELD,), *, indented: bool = False) -> str:
    """A POST of a JSON body as a command for a shell; ``indented`` for whoever edits it first."""
    text = orjson.dumps(body, option=orjson.OPT_INDENT_2).decode() if indented else body_text(body)
    return " \\\n  ".join(
        [
            f"curl {url}",
            *(f"-H '{field}'" for field in fields),
            f"-d '{text.replace(chr(39), chr(39) + chr(92) + chr(39) * 2)}'",
        ]
    )


def body_text(body: Mapping[str, Any]) -> str:
    """A body on one line."""
    return json_bytes(dict(body)).decode().strip()


def guide(context: RenderContext) -> Iterator[Block]:
    """The actions, as the developer guide describes them."""
    for number, (operation, route) in enumerate(reading(context)):
        if not number:
            yield Prose("actions", "Free actions", _ACTIONS)
        yield Prose(
            f"action-{operation.name.replace('_', '-')}", operation.title, f"`GET {route.path}` {route.summary}"
        )
        query = urlencode(dict(route.example))
        stem = f"action-{operation.name.replace('_', '-')}"
        yield Code(f"{stem}-example", f"Request {route.path}", f"curl '{context.url(route.path)}?{query}'", "sh")
        yield member_table(f"{stem}-members", f"Query of {route.path}", route)


def submission_rules(context: RenderContext) -> str:
    """How submissions are handled, and their limits."""
    rules = dict.fromkeys(operation.rules for operation, _ in submitting(context) if operation.rules)
    return "\n\n".join(rule(context) for rule in rules)


def submission_quota(context: RenderContext) -> int:
    """Submissions that one client may make in a day; 0 where none are taken."""
    return next((operation.quota(context.site).quota for operation, _ in submitting(context) if operation.quota), 0)


def member_table(id_: str, title: str, route: Route) -> Table:
    """The arguments of a route."""
    arguments = members(route.ask) if route.ask else ()
    rows = tuple(
        (Link(argument.name), Link(argument.type), Link("yes" if argument.required else "no"), Link(argument.about))
        for argument in arguments
    )
    return Table(id_, title, ("Member", "Type", "Required", "Meaning"), rows)


_ACTIONS = """Actions are free GET requests answered in JSON; each counts as one JSON request. An invalid query is
answered with 400 and lists every faulty parameter."""
