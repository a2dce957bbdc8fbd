"""Notes of MCP requests: names come from closed lists, and whatever a client makes up is ``other``."""

from collections.abc import Collection, Iterator
from importlib.resources import files

from citepress.contract.notes import Note
from citepress_mcp.versions import MCP_REVISIONS

OTHER, OK, ERROR = "other", "ok", "error"
METHOD, REVISION, OPENED, CLIENT = "mcp.method", "mcp.revision", "mcp.initialize", "mcp.client"
TOOL, RESOURCE, PROMPT = "mcp.tool", "mcp.resource", "mcp.prompt"
METHODS = frozenset(
    {
        "initialize",
        "ping",
        "server/discover",
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "skills/list",
        "skills/get",
    }
)
"""Methods that are counted by name."""
OPENING = frozenset({"initialize", "server/discover"})
"""Methods with which a client opens a session, in any revision."""
CLIENTS = frozenset(files(__package__).joinpath("known_clients.txt").read_text("utf-8").splitlines())
"""Names of known client software, in lower case. Sources: the clients listed by apify/mcp-client-capabilities (read
2026-11), and the default names of the protocol's own SDK, inspector and connectors."""


def mcp_notes(
    method: str, tool: str, revision: str, client: str, outcome: str, tools: Collection[str]
) -> Iterator[Note]:
    """The notes of one MCP request.

    ``outcome`` is ``ok`` or anything else, ``tools`` are the names of the tools that there are.
    """
    ended = OK if outcome == OK else ERROR
    version = revision if revision in MCP_REVISIONS else OTHER
    yield METHOD, method if method in METHODS else OTHER, ended
    yield REVISION, version, ended
    if method in OPENING:
        yield OPENED, version, ended
    if client:
        yield CLIENT, client.lower() if client.lower() in CLIENTS else OTHER, ended
    if method == "tools/call":
        yield TOOL, tool if tool in tools else OTHER, ended
    if method == "resources/read":
        yield RESOURCE, "read", ended
    if method == "prompts/get":
        yield PROMPT, "get", ended
