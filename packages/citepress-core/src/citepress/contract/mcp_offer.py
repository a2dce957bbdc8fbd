"""What the MCP endpoint offers, described once for the documents and the endpoint."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from citepress.base.media import JSON
from citepress.contract.cache import Cache
from citepress.contract.document import Section
from citepress.contract.operation import Effect, Operation
from citepress.contract.prompt import Prompt, Skill
from citepress.contract.route import Route

SERVER_CAPABILITIES: Mapping[str, Mapping[str, object]] = {
    "tools": {},
    "resources": {},
    "prompts": {},
    "completions": {},
    "extensions": {"io.modelcontextprotocol/skills": {}},
}
"""What the endpoint declares to clients of the newest protocol revision."""
INVALID_REQUEST, METHOD_NOT_FOUND = -32600, -32601
OWN_CODES = -31000
"""Server-defined codes are this minus the HTTP status: outside the range that JSON-RPC and MCP reserve."""
ENDPOINT, CARD = "/mcp", "/.well-known/mcp"
"""The two paths of the endpoint; the second answers GET with the server card."""
CHATGPT_ENDPOINT = "/mcp/chatgpt"
"""The endpoint with the two tools that ChatGPT's deep research accepts. A path, because clients drop queries."""
ROUTES = (
    Route("POST", ENDPOINT, "mcp", JSON, Section.MCP, "The MCP endpoint (Streamable HTTP).", Cache.NO_STORE),
    Route("POST", CARD, "mcp_well_known", JSON, Section.MCP, "The same MCP endpoint.", Cache.NO_STORE),
    Route(
        "POST",
        CHATGPT_ENDPOINT,
        "mcp_chatgpt",
        JSON,
        Section.MCP,
        "MCP for ChatGPT's deep research and company knowledge: the tools search and fetch alone.",
        Cache.NO_STORE,
        promised=False,
    ),
)
"""The endpoint's rows of the route table."""
Serving = TypeVar("Serving")


def at_paths(archive: Serving, chatgpt: Serving) -> dict[str, Serving]:
    """The two endpoints at all their paths, with a slash at the end too.

    Many clients write one, and none follows a redirect of a POST.
    """
    served = {ENDPOINT: archive, CARD: archive, CHATGPT_ENDPOINT: chatgpt}
    return served | {f"{path}/": serving for path, serving in served.items()}


PATHS = frozenset(path.encode() for path in at_paths(None, None))
"""Where MCP is answered, as targets of requests."""


@dataclass(frozen=True, slots=True)
class McpOffer:
    """Everything an MCP client finds here beside resources, in the order of the lists."""

    operations: tuple[Operation, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    skills: tuple[Skill, ...] = ()
    only_tools: bool = False
    """Whether the endpoint offers nothing but its tools: no resources, no completion."""

    @property
    def capabilities(self) -> Mapping[str, Mapping[str, object]]:
        """What the endpoint declares to clients of the newest protocol revision."""
        return {"tools": SERVER_CAPABILITIES["tools"]} if self.only_tools else SERVER_CAPABILITIES

    @property
    def tools(self) -> tuple[Operation, ...]:
        """The operations that are tools."""
        return tuple(operation for operation in self.operations if operation.tool)


def annotations(operation: Operation) -> dict[str, str | bool]:
    """What a client may assume of a tool before it calls it."""
    reads = operation.effect is Effect.READ
    hints = {"readOnlyHint": reads, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
    return {"title": operation.title, **hints}
