"""What the guides say of the endpoint: its tools and prompts, its limits, and requests to try."""

from collections.abc import Iterator, Mapping

from citepress.base.text import sentence_list
from citepress.contract.api import Api
from citepress.contract.operation import Operation
from citepress.contract.page import Block, Code, Link, Prose, Table
from citepress.contract.settings_table import settings_of
from citepress.edition.machine.arguments import members
from citepress.edition.machine.interface import JSON_FIELD, curl, submitting
from citepress.edition.render_context import RenderContext
from citepress_mcp.limits import MCP_BATCH, MCP_BODY_BYTES, MCP_BODY_SECONDS
from citepress_mcp.offer import offer_of
from citepress_mcp.paths import CARD, CARD_COPY, CONNECT, ENDPOINT, MANIFEST, SERVER_CARD
from citepress_mcp.settings import MessageLimit
from citepress_mcp.versions import MCP_REVISIONS, META_CAPABILITIES, META_CLIENT, META_VERSION

ENVELOPE = {META_VERSION: MCP_REVISIONS[0], META_CLIENT: {"name": "curl", "version": "1"}, META_CAPABILITIES: {}}


SEARCH: Mapping[str, object] = {"query": "agent memory", "limit": 3}
"""Arguments of an example."""


def tool_table(context: RenderContext) -> Table:
    """The tools of the MCP endpoint with their arguments."""
    rows = tuple(
        (Link(tool.name), Link(_arguments(tool)), Link(first_sentence(tool.description)))
        for tool in offer_of(context).tools
    )
    return Table("tools", "Tools", ("Tool", "Arguments", "What it does"), rows)


def prompt_table(context: RenderContext) -> Table:
    """The prompts of the MCP endpoint."""
    rows = tuple(
        (Link(prompt.name), Link(", ".join(a.name for a in prompt.arguments)), Link(prompt.description))
        for prompt in offer_of(context).prompts
    )
    return Table("prompts", "Prompts", ("Prompt", "Arguments", "What it does"), rows)


def _arguments(tool: Operation) -> str:
    return ", ".join(
        f"{argument.name} (required)" if argument.required else argument.name for argument in members(tool.ask)
    )


def first_sentence(text: str) -> str:
    """The first sentence of a description."""
    return text.partition(". ")[0].rstrip(".") + "."


def curl_mcp(url: str, method: str, tool: str, arguments: Mapping[str, object] = SEARCH, *, modern: bool = True) -> str:
    """An MCP message as a command for a shell."""
    params: dict[str, object] = {"name": tool, "arguments": arguments} if tool else {}
    fields = [JSON_FIELD]
    if modern:
        params["_meta"] = ENVELOPE
        fields += [
            f"MCP-Protocol-Version: {MCP_REVISIONS[0]}",
            f"Mcp-Method: {method}",
            *([f"Mcp-Name: {tool}"] if tool else []),
        ]
    return curl(url, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, fields)


def endpoint_guide(context: RenderContext) -> Iterator[Block]:
    """The section of the developer guide."""
    if not context.served:
        return
    url = context.url(ENDPOINT)
    yield Prose(
        "mcp",
        "MCP",
        _MCP.format(
            url=url,
            revisions=sentence_list(MCP_REVISIONS),
            limit=settings_of(context.site, MessageLimit).mcp,
            size=MCP_BODY_BYTES // 1024,
            seconds=MCP_BODY_SECONDS,
            batch=MCP_BATCH,
            effect=_SUBMITS if next(submitting(context), None) else _READS,
        ),
    )
    yield tool_table(context)
    yield prompt_table(context)
    yield Code("mcp-call", "Call a tool", curl_mcp(url, "tools/call", "search_archive"), "sh")


def summary(context: RenderContext) -> str:
    """The endpoint in one paragraph."""
    offer = offer_of(context)
    tools, prompts = (sentence_list([f"`{each.name}`" for each in offered]) for offered in (offer.tools, offer.prompts))
    return (
        f"MCP: `POST {context.url(ENDPOINT)}` (Streamable HTTP, no key) with the tools {tools}, and the prompts"
        f" {prompts}."
    )


def reference(context: RenderContext) -> Iterator[str]:
    """Every tool with its arguments."""
    tools = (f"- `{tool.name}`: {tool.description}{_takes(tool)}" for tool in offer_of(context).tools)
    yield from ("## MCP tools", "", *tools, "")


def _takes(tool: Operation) -> str:
    """The arguments of a tool in words."""
    arguments = "; ".join(
        f"`{argument.name}` ({argument.type}{', required' if argument.required else ''})"
        for argument in members(tool.ask)
    )
    return f" Arguments: {arguments}." if arguments else ""


_MCP = """`POST {url}` is an MCP endpoint (Streamable HTTP). It is stateless and needs no key or login;
[/connect/](/connect/) has the set-up line for each client. It supports the protocol revisions {revisions}. Each
client may send {limit} messages a minute. A body may be up to {size} KiB and must arrive within {seconds} seconds;
in revisions that allow batches, a batch may hold up to {batch} messages. {effect}"""
_READS = "No tool publishes, edits or pays."
_SUBMITS = """The submit tools queue proposals for
review; no tool publishes, edits or pays."""

GUIDE = (endpoint_guide,)
APIS = (
    Api(
        "MCP",
        ENDPOINT,
        CARD,
        MANIFEST,
        ("mcp-card", SERVER_CARD.type, CARD_COPY, "The MCP server card."),
        Link("Connect over MCP", CONNECT),
        "How to connect an MCP client.",
        summary,
        reference,
        lambda context: [tool_table(context)],
        lambda context, tool, arguments: curl_mcp(context.url(ENDPOINT), "tools/call", tool.name, arguments),
    ),
)
