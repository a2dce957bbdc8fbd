"""The page that tells how to connect an AI client: one line for each, two requests to try, what it then finds, and its limits."""

from citepress.base.canonical import json_bytes
from citepress.base.ids import slugify
from citepress.contract.document import Pages, Section
from citepress.contract.limits import MCP_BATCH, MCP_BODY_BYTES, MCP_BODY_SECONDS, MCP_TOKENS
from citepress.contract.page import Block, Code, Item, Items, Page, Prose
from citepress.contract.version import MCP_REVISIONS
from citepress.edition.documents.guides import built_in_page, single
from citepress.edition.documents.interface import curl_mcp, prompt_table, tool_table
from citepress.edition.render_context import RenderContext

EXAMPLE = "search_archive"


def _connect(desk: RenderContext) -> Page:
    url = desk.url("/mcp")
    blocks: tuple[Block, ...] = (
        Code("url", "The address", url, "text"),
        *_clients(desk, url),
        Prose("by-hand", "Try it by hand", _BY_HAND),
        Code("discover", "What the server is (revision 2026-07-28)", curl_mcp(url, "server/discover", "", modern=True), "sh"),
        Code("call", "Call a tool (revision 2026-07-28)", curl_mcp(url, "tools/call", EXAMPLE, modern=True), "sh"),
        Code("call-handshake", "The same for older revisions", curl_mcp(url, "tools/call", EXAMPLE, modern=False), "sh"),
        tool_table(desk),
        prompt_table(desk),
        Prose("limits", "Limits", _limits(desk)),
        Prose("size", "Size of answers", _SIZE.format(url=url, most=MCP_TOKENS)),
        Prose("privacy", "Privacy", _PRIVACY),
        _documents(desk),
    )  # fmt: skip
    return built_in_page(desk, "connect", "Connect", f"How to connect an AI client to {desk.site.title}: one line for each client.", blocks)


def _clients(desk: RenderContext, url: str) -> tuple[Block, ...]:
    slug = slugify(desk.site.title) or "archive"
    entry = json_bytes({"name": slug, "type": "http", "url": url}).decode().strip()
    servers = json_bytes({"mcpServers": {slug: {"url": url}}}).decode().strip()
    return (
        Code("claude-code", "Claude Code", f"claude mcp add --transport http {slug} {url}", "sh"),
        Code("codex", "Codex", f"codex mcp add {slug} --url {url}", "sh"),
        Code("gemini", "Gemini CLI", f"gemini mcp add --transport http {slug} {url}", "sh"),
        Code("vs-code", "VS Code", f"code --add-mcp '{entry}'", "sh"),
        Code("json-file", "Clients with a JSON file", servers, "json"),
        Prose("chat", "Chat apps", f"Choose “add custom connector” and paste `{url}`. No key and no login are needed."),
        Code("stdio", "Over standard input and output, from a content folder of your own", "citepress mcp DIR", "sh"),
    )


def _limits(desk: RenderContext) -> str:
    limits = desk.site.limits
    return _LIMITS.format(
        mcp=limits.mcp,
        batch=MCP_BATCH,
        size=MCP_BODY_BYTES // 1024,
        seconds=MCP_BODY_SECONDS,
        inbox=limits.inbox,
        older=", ".join(MCP_REVISIONS[1:]),
    )


def _documents(desk: RenderContext) -> Block:
    site = desk.site
    items = (
        Item("The server card.", href="/.well-known/mcp", title="/.well-known/mcp"),
        Item("Resources, tools, policies and limits.", href="/mcp-readonly.json", title="/mcp-readonly.json"),
        Item(f"Skills for agents that work with {site.title}.", href="/.well-known/agent-skills/index.json", title="/.well-known/agent-skills/index.json"),
        Item("Every JSON route.", href="/openapi.json", title="/openapi.json"),
        Item("How agents read, cite and correct.", href="/agents/", title="/agents/"),
    )  # fmt: skip
    return Items("documents", "Further documents", items)


_BY_HAND = """The endpoint speaks the revisions 2026-07-28 (every request carries its own metadata) and 2025-11-25, 2025-06-18, 2025-03-26 and
2024-11-05 (the client opens with `initialize`). It keeps no session, so each of these requests stands by itself."""
_LIMITS = """{mcp} messages a minute for each client; every answer tells what is left in `RateLimit`. A body may hold {size} KiB and must arrive
within {seconds} seconds; a batch holds at most {batch} messages (revisions {older}). Submissions: {inbox} a day for each client, over this door
and over HTTP together, reviewed by a person every Monday. No tool publishes, edits or pays, and none needs a key."""
_SIZE = """Answers are sized in tokens; each tool has a default that fits most questions, and `max_tokens` changes it up to {most}. To cap every
answer once for all, add `?maxTokenBudget=` with a number from 200 to {most} to the address: `{url}?maxTokenBudget=1000`. What a cap cut off is
one `next_cursor` away."""
_PRIVACY = """Counted are messages by method, tool, protocol revision and name of the client's software. Arguments are not kept. Your address is
used to count requests of the last minute and is not stored in the clear. Proposals are kept until they are reviewed; send no personal data in them."""

ALL = (
    Pages[RenderContext](
        "connect", "/connect/", Section.CONTRACTS, "One-line setup for MCP clients.", single(_connect), promised=("html",)
    ),
)
