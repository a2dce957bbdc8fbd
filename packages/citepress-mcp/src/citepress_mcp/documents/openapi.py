"""The routes of the endpoint in OpenAPI: JSON-RPC messages in, JSON-RPC responses out, whatever the status."""

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from citepress.base.media import JSON
from citepress.contract.cache import Cache
from citepress.contract.document import Section
from citepress.contract.route import OpenapiParts, Route
from citepress.edition.render_context import RenderContext
from citepress_mcp.jsonrpc import INVALID_REQUEST, METHOD_NOT_FOUND, OWN_CODES
from citepress_mcp.limits import MCP_BATCH
from citepress_mcp.offer import SERVER_CAPABILITIES
from citepress_mcp.paths import CARD, CHATGPT_ENDPOINT, ENDPOINT
from citepress_mcp.versions import MCP_REVISIONS

MCP_SCHEMAS: dict[str, Any] = json.loads(files(__package__).joinpath("message_schemas.json").read_bytes())
"""The bodies of the endpoint by schema name."""
MCP_SCHEMAS["McpBatch"] |= {
    "maxItems": MCP_BATCH,
    "description": "A batch of messages (an invalid one gets its own error), in the revisions"
    f" {', '.join(MCP_REVISIONS[1:])}.",
}
MCP_SCHEMAS["McpResponses"] |= {"maxItems": MCP_BATCH, "description": "The responses to a batch, in its order."}
CODES = {"400": INVALID_REQUEST, "404": METHOD_NOT_FOUND}
"""Codes of JSON-RPC; the others are ``OWN_CODES`` minus the status."""
SERVER_STATUSES = ("414", "431")
"""Refused before the endpoint is asked, as problem documents."""
REFUSALS = {
    "400": "No JSON, no message, or (revision 2026-07-28) a message that does not fit its envelope.",
    "403": "The origin is not served.",
    "404": "The method is not found (revision 2026-07-28).",
    "405": "The method is not POST.",
    "406": "The Accept field excludes JSON and events.",
    "408": "The body was not complete in time.",
    "413": "The body is too large.",
    "415": "The body is no JSON in UTF-8, or has a content coding.",
    "421": "The host is not served.",
    "429": "Too many messages from this client.",
    "503": "The archive is not ready.",
}
WAITING = ("429", "503")
FIELDS = {
    "MCP-Protocol-Version": f"The protocol revision: {', '.join(MCP_REVISIONS)}.",
    "Mcp-Method": f"The method of the message ({MCP_REVISIONS[0]}).",
    "Mcp-Name": f"The tool, prompt or resource that is asked for ({MCP_REVISIONS[0]}).",
}


def endpoint_parts(_: RenderContext, route: Route, _content: dict[str, Any], headers: Iterable[str]) -> OpenapiParts:
    """The endpoint at one of its paths; ``headers`` are on every answer."""
    shown = {name: {"$ref": f"#/components/headers/{name}"} for name in headers}
    example = {"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}
    waiting = {**shown, "Retry-After": {"$ref": "#/components/headers/Retry-After"}}
    offered = ["tools"] if route.path == CHATGPT_ENDPOINT else SERVER_CAPABILITIES
    answers = {
        "200": _answer("The response, or those to a batch.", _either("McpResponse", "McpResponses"), shown, example),
        "202": {"description": "Taken: there was nothing to answer.", "headers": shown},
        **{
            status: _refusal(status, text, waiting if status in WAITING else shown) for status, text in REFUSALS.items()
        },
    }
    parameters = [
        {"name": name, "in": "header", "required": False, "description": about, "schema": {"type": "string"}}
        for name, about in FIELDS.items()
    ]
    members = {
        "summary": route.summary.rstrip("."),
        "description": f"{route.summary} Stateless; capabilities: {', '.join(offered)}. Set-up: /connect/.",
        "requestBody": _body(),
    }
    return OpenapiParts(parameters, members, answers, SERVER_STATUSES, MCP_SCHEMAS)


def _body() -> dict[str, Any]:
    example = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    content = {"schema": _either("McpMessage", "McpBatch"), "example": example}
    return {"required": True, "content": {"application/json": content}}


def _either(*names: str) -> dict[str, Any]:
    return {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in names]}


def _refusal(status: str, text: str, headers: dict[str, Any]) -> dict[str, Any]:
    error = {"code": CODES.get(status, OWN_CODES - int(status)), "message": text.rstrip(".")}
    example = {"jsonrpc": "2.0", "id": None, "error": error}
    return _answer(text, {"$ref": "#/components/schemas/McpResponse"}, headers, example)


def _answer(about: str, schema: dict[str, Any], headers: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schema, "example": example}}
    return {"description": about, "headers": headers, "content": content}


def _post(path: str, name: str, about: str, *, promised: bool = True) -> Route:
    cache, parts = Cache.NO_STORE, endpoint_parts
    return Route("POST", path, name, JSON, Section.MCP, about, cache, promised=promised, openapi=parts)


CHATGPT = "MCP for ChatGPT's deep research and company knowledge: the tools search and fetch alone."
ROUTES = (
    _post(ENDPOINT, "mcp", "The MCP endpoint (Streamable HTTP)."),
    _post(CARD, "mcp_well_known", "The same MCP endpoint."),
    _post(CHATGPT_ENDPOINT, "mcp_chatgpt", CHATGPT, promised=False),
)
