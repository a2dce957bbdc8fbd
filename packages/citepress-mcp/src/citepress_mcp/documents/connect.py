"""The guide to connecting an AI client: set-up lines, requests to try, tools and prompts, and limits."""

from citepress.base.canonical import json_bytes
from citepress.base.slugs import slugify
from citepress.contract.document import Hosting, Pages, Section
from citepress.contract.page import Block, Code, Item, Items, Page, Prose
from citepress.contract.settings_table import settings_of
from citepress.edition.machine.guides import built_in_page
from citepress.edition.machine.interface import submission_quota
from citepress.edition.render_context import RenderContext, single
from citepress_mcp.documents.guides import curl_mcp, prompt_table, tool_table
from citepress_mcp.limits import MCP_BATCH, MCP_BODY_BYTES, MCP_BODY_SECONDS, MCP_TOKENS
from citepress_mcp.paths import CARD, CHATGPT_ENDPOINT, CONNECT, ENDPOINT, MANIFEST
from citepress_mcp.settings import MessageLimit
from citepress_mcp.versions import MCP_REVISIONS

EXAMPLE = "search_archive"


def _connect(context: RenderContext) -> Page:
    url = context.url(ENDPOINT)
    older = curl_mcp(url, "tools/call", EXAMPLE, modern=False)
    blocks: tuple[Block, ...] = (
        Code("url", "Address", url, "text"),
        *_clients(context, url),
        Prose("by-hand", "Try it by hand", _BY_HAND),
        Code("discover", "Discover the server (revision 2026-07-28)", curl_mcp(url, "server/discover", ""), "sh"),
        Code("call", "Call a tool (revision 2026-07-28)", curl_mcp(url, "tools/call", EXAMPLE), "sh"),
        Code("call-handshake", "Call a tool (older revisions)", older, "sh"),
        tool_table(context),
        prompt_table(context),
        Prose("limits", "Limits", _limits(context)),
        Prose("size", "Answer size", _SIZE.format(url=url, most=MCP_TOKENS)),
        Prose("privacy", "Privacy", _PRIVACY),
        _documents(context),
    )
    return built_in_page(
        context,
        "connect",
        "Connect",
        f"How to connect an AI client to {context.site.title}: one line for each client.",
        blocks,
    )


def _clients(context: RenderContext, url: str) -> tuple[Block, ...]:
    slug = slugify(context.site.title) or "archive"
    entry = json_bytes({"name": slug, "type": "http", "url": url}).decode().strip()
    servers = json_bytes({"mcpServers": {slug: {"url": url}}}).decode().strip()
    return (
        Code("claude-code", "Claude Code", f"claude mcp add --transport http {slug} {url}", "sh"),
        Code("codex", "Codex", f"codex mcp add {slug} --url {url}", "sh"),
        Code("gemini", "Gemini CLI", f"gemini mcp add --transport http {slug} {url}", "sh"),
        Code("vs-code", "VS Code", f"code --add-mcp '{entry}'", "sh"),
        Code("json-file", "Clients configured with a JSON file", servers, "json"),
        Prose("chat", "Chat apps", f"Choose “add custom connector” and paste `{url}`. No key and no login are needed."),
        Prose(
            "chatgpt",
            "ChatGPT's deep research and company knowledge",
            _CHATGPT.format(url=context.url(CHATGPT_ENDPOINT)),
        ),
        Code("stdio", "Standard input and output, with your own content folder", "citepress mcp DIR", "sh"),
    )


def _limits(context: RenderContext) -> str:
    return _LIMITS.format(
        mcp=settings_of(context.site, MessageLimit).mcp,
        batch=MCP_BATCH,
        size=MCP_BODY_BYTES // 1024,
        seconds=MCP_BODY_SECONDS,
        submissions=_SUBMISSIONS.format(day=day) if (day := submission_quota(context)) else "",
        older=", ".join(MCP_REVISIONS[1:]),
    )


def _documents(context: RenderContext) -> Block:
    site = context.site
    items = (
        Item("The server card.", href=CARD, title=CARD),
        Item("Resources, tools, policies and limits.", href=MANIFEST, title=MANIFEST),
        Item(
            f"Skills for agents that work with {site.title}.",
            href="/.well-known/agent-skills/index.json",
            title="/.well-known/agent-skills/index.json",
        ),
        Item("Every JSON route.", href="/openapi.json", title="/openapi.json"),
        Item("How agents read, cite and correct.", href="/agents/", title="/agents/"),
    )
    return Items("documents", "Further documents", items)


_CHATGPT = """These two accept only a server with the tools `search` and `fetch` and no other. Paste `{url}`, which
has these two; both addresses share one limit."""
_BY_HAND = """The endpoint supports the revision 2026-07-28 (every request carries its own metadata) and the
revisions 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05 (the client starts with `initialize`). It keeps no
sessions, so each of these requests works on its own."""
_LIMITS = """Each client may send {mcp} messages a minute, and every answer reports what is left in `RateLimit`. A
body may be up to {size} KiB and must arrive within {seconds} seconds; a batch may hold up to {batch} messages
(revisions {older}). {submissions}No tool publishes, edits or pays, and none needs a key."""
_SUBMISSIONS = """Each client may make {day} submissions a day, over MCP and HTTP together; a person reviews
them every Monday. """
_SIZE = """The size of an answer is measured in tokens. Each tool has a default that fits most questions;
`max_tokens` changes it, up to {most}. To limit every answer at once, add `?maxTokenBudget=` with a number from 200
to {most} to the address: `{url}?maxTokenBudget=1000`. Follow `next_cursor` to read what was cut off."""
_PRIVACY = """The service counts messages by method, tool, protocol revision and name of the client software.
Arguments are not stored. Your address is used to count the requests of the last minute and is never stored in plain
text. Proposals are stored until they are reviewed; do not put personal data in them."""

ALL = (
    Pages[RenderContext](
        "connect",
        CONNECT,
        Section.CONTRACTS,
        "One-line setup for MCP clients.",
        single(_connect),
        promised=("html",),
        only=Hosting.SERVICE,
    ),
)
