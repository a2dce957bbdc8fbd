"""How to ask the archive and to answer back, for every guide: MCP, free actions, inbox and paid products, from their declarations.

Only what the site has switched on is told of, and every example works as it is printed.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple
from urllib.parse import urlencode

from citepress.base.canonical import json_bytes
from citepress.base.text import sentence_list
from citepress.contract.document import Section
from citepress.contract.limits import MCP_BATCH, MCP_BODY_BYTES, MCP_BODY_SECONDS
from citepress.contract.mcp_offer import ENDPOINT
from citepress.contract.operation import Effect, Operation, Post
from citepress.contract.page import Block, Code, Item, Items, Link, Prose, Table
from citepress.contract.route import Route
from citepress.contract.version import MCP_REVISIONS
from citepress.edition.documents.arguments import members
from citepress.edition.examples import example_arguments, example_path
from citepress.edition.render_context import RenderContext

PREFIX = "io.modelcontextprotocol/"
ENVELOPE = {
    f"{PREFIX}protocolVersion": MCP_REVISIONS[0],
    f"{PREFIX}clientInfo": {"name": "curl", "version": "1"},
    f"{PREFIX}clientCapabilities": {},
}
STATUS = "get_submission_status"
JSON_FIELD = "Content-Type: application/json"


class Action(NamedTuple):
    """An operation at the REST door."""

    operation: Operation
    route: Route


def reading(desk: RenderContext) -> Iterator[Action]:
    """The operations that take their arguments from the query."""
    return (one for one in _actions(desk) if one.operation.effect is Effect.READ and not one.route.parameters)


def submitting(desk: RenderContext) -> Iterator[Action]:
    """The operations that take a JSON body and queue it for review."""
    return (one for one in _actions(desk) if one.operation.effect is Effect.SUBMIT)


def paid(desk: RenderContext) -> Iterator[Route]:
    """What is sold, in each lane that has an open rail."""
    return (route for route in desk.routes if route.section is Section.PAYMENTS and route.method == "POST")


def _actions(desk: RenderContext) -> Iterator[Action]:
    routes = {route.name: route for route in desk.routes}
    return (Action(one, routes[one.name]) for one in desk.offer.operations if one.rest and one.name in routes)


def tool_table(desk: RenderContext) -> Table:
    """The tools of the MCP endpoint with their arguments."""
    rows = tuple((Link(tool.name), Link(_arguments(tool)), Link(first_sentence(tool.description))) for tool in desk.offer.tools)
    return Table("tools", "Tools", ("Tool", "Arguments", "What it does"), rows)


def prompt_table(desk: RenderContext) -> Table:
    """The prompts of the MCP endpoint."""
    rows = tuple((Link(one.name), Link(", ".join(a.name for a in one.arguments)), Link(one.description)) for one in desk.offer.prompts)
    return Table("prompts", "Prompts", ("Prompt", "Arguments", "What it does"), rows)


def _arguments(tool: Operation) -> str:
    return ", ".join(f"{one.name} (required)" if one.required else one.name for one in members(tool.ask))


def first_sentence(text: str) -> str:
    """The first sentence of a description."""
    return text.partition(". ")[0].rstrip(".") + "."


def curl_mcp(url: str, method: str, tool: str, *, modern: bool) -> str:
    """A message that a reader can paste into a shell."""
    params: dict[str, object] = {"name": tool, "arguments": {"query": "agent memory", "limit": 3}} if tool else {}
    fields = [JSON_FIELD]
    if modern:
        params["_meta"] = ENVELOPE
        fields += [f"MCP-Protocol-Version: {MCP_REVISIONS[0]}", f"Mcp-Method: {method}", *([f"Mcp-Name: {tool}"] if tool else [])]
    return curl(url, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, fields)


def curl(url: str, body: Mapping[str, Any], fields: Iterable[str] = (JSON_FIELD,)) -> str:
    """A POST of a JSON body that a reader can paste into a shell."""
    return " \\\n  ".join(
        [f"curl {url}", *(f"-H '{field}'" for field in fields), f"-d '{body_text(body).replace(chr(39), chr(39) + chr(92) + chr(39) * 2)}'"]
    )


def body_text(body: Mapping[str, Any]) -> str:
    """A body on one line."""
    return json_bytes(dict(body)).decode().strip()


def guide(desk: RenderContext) -> Iterator[Block]:
    """The sections of the developer guide on everything that can be asked."""
    yield from _mcp(desk)
    yield from _questions(desk)
    yield from _inbox(desk)
    yield from _products(desk)


def _mcp(desk: RenderContext) -> Iterator[Block]:
    if not desk.offer.tools:
        return
    url = desk.url(ENDPOINT)
    yield Prose("mcp", "MCP", _MCP.format(
        url=url, revisions=sentence_list(MCP_REVISIONS), limit=desk.site.limits.mcp, size=MCP_BODY_BYTES // 1024, seconds=MCP_BODY_SECONDS,
        batch=MCP_BATCH,
    ))  # fmt: skip
    yield tool_table(desk)
    yield prompt_table(desk)
    yield Code("mcp-call", "Call a tool", curl_mcp(url, "tools/call", "search_archive", modern=True), "sh")


def _questions(desk: RenderContext) -> Iterator[Block]:
    for number, (operation, route) in enumerate(reading(desk)):
        if not number:
            yield Prose("actions", "Free actions", _ACTIONS)
        yield Prose(f"action-{operation.name.replace('_', '-')}", operation.title, f"`GET {route.path}` {route.summary}")
        query = urlencode(dict(route.example))
        yield Code(f"action-{operation.name.replace('_', '-')}-example", "Ask", f"curl '{desk.url(route.path)}?{query}'", "sh")
        yield _member_table(f"action-{operation.name.replace('_', '-')}-members", f"Query of {route.path}", route)


def _inbox(desk: RenderContext) -> Iterator[Block]:
    offered = list(submitting(desk))
    if not offered:
        return
    yield Prose("inbox", "Inbox", inbox_rules(desk))
    for operation, route in offered:
        name = f"inbox-{operation.name.removeprefix('submit_').replace('_', '-')}"
        yield Prose(name, operation.title, f"`POST {route.path}` {operation.description}")
        arguments = example_arguments(desk, route)
        if arguments is not None:
            yield Code(f"{name}-example", f"Body of {route.path}", curl(desk.url(route.path), arguments), "sh")
        yield _member_table(f"{name}-members", f"Members of {route.path}", route)


def inbox_rules(desk: RenderContext) -> str:
    """What becomes of a submission, and its limits."""
    operation = next(submitting(desk)).operation
    size = operation.rest.limit_bytes if isinstance(operation.rest, Post) else 0
    status = next((one.route.path for one in _actions(desk) if one.operation.name == STATUS), "")
    return _INBOX.format(size=size // 1024, day=desk.site.limits.inbox, status=status, statuses=sentence_list(_statuses(operation)))


def _statuses(operation: Operation) -> list[str]:
    """The values that the status of a submission can have."""
    found: Any = operation.answer.model_fields["status"].annotation
    return [str(one.value) for one in found] if isinstance(found, type) and issubclass(found, Enum) else []


def _products(desk: RenderContext) -> Iterator[Block]:
    sold = list(paid(desk))
    if not sold:
        return
    items = tuple(Item(_with_example(desk, route), title=f"POST {route.path}") for route in sold)
    yield Items("paid-products", "Paid products", items)
    for route in (route for route in sold if not route.parameters):
        name = f"paid-{route.name.replace('_', '-')}"
        yield Code(name, f"Terms of {route.path}, for nothing", curl(desk.url(route.path), route.example), "sh")
        yield _member_table(f"{name}-members", f"Members of {route.path}", route)


def _with_example(desk: RenderContext, route: Route) -> str:
    path = example_path(desk, route) if route.parameters else ""
    return f"{route.summary} Example: {path}" if path else route.summary


def _member_table(id_: str, title: str, route: Route) -> Table:
    found = members(route.ask) if route.ask else ()
    rows = tuple((Link(one.name), Link(one.type), Link("yes" if one.required else "no"), Link(one.about)) for one in found)
    return Table(id_, title, ("Member", "Type", "Required", "What it says"), rows)


_MCP = """`POST {url}` is an MCP endpoint (Streamable HTTP) without sessions, keys or logins; [/connect/](/connect/) has one line for each client. It speaks
the revisions {revisions}. {limit} messages a minute for each client; a body may hold {size} KiB and must arrive within {seconds} seconds, and a batch, in revisions
that have them, holds at most {batch} messages. The tools that submit queue proposals for review; no tool publishes, edits or pays."""
_ACTIONS = """Questions are asked by GET, answered in JSON and free; each counts as one JSON request. A fault in the query is 400 with every parameter at fault."""
_INBOX = """Proposals are sent as JSON by POST and reviewed by a person every Monday; nothing is published directly. A body may hold {size} KiB and only the members
that its schema names, each once (422 tells every fault); addresses of sources and evidence name public hosts. Each client has {day} submissions in 24 hours, over HTTP and MCP together. The answer is 202 with the status document and its address in
`Location`; a repeat within 24 hours is 200 with the earlier submission and does not count. Their `RateLimit-Limit`, `-Remaining` and `-Reset` tell of the limit that leaves less, this one or that on
requests, and `RateLimit-Policy` of both. Past the limit the answer is 429 with `Retry-After`.

`GET {status}` tells the status: {statuses}. An accepted proposal is credited in the weekly update of its record. Send no personal data."""
