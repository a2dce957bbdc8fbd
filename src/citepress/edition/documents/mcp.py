"""The MCP server's documents: card, read-only manifest, registry file, AI catalog; they tell what the endpoint lists and call nothing."""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from citepress import __version__
from citepress.base.canonical import json_bytes
from citepress.base.ids import slugify
from citepress.base.media import AI_CATALOG, JSON, SERVER_CARD
from citepress.base.text import bounded
from citepress.contract.cache import Cache
from citepress.contract.document import Document, Output, Section
from citepress.contract.limits import MCP_BATCH, MCP_BODY_BYTES, MCP_BODY_SECONDS, MCP_TOKENS
from citepress.contract.mcp_offer import CAPABILITIES, CARD, ENDPOINT, annotations
from citepress.contract.operation import Operation, Post
from citepress.contract.prompt import Prompt
from citepress.contract.version import MCP_REVISIONS, SCHEMA_VERSION
from citepress.edition.documents.mcp_manifest import McpLimits, McpPolicies, McpReadOnlyManifest, resources, templates
from citepress.edition.render_context import RenderContext

CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
HTTP = "streamable-http"
DESCRIPTION, TITLE = 100, 100
QUERIES = 5
"""Questions of a catalog entry at most: what registries of agents recommend."""
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")


def _host(desk: RenderContext) -> str:
    """Host and port of the public address."""
    return urlsplit(desk.site.base_url).netloc


def server_name(desk: RenderContext) -> str:
    """Reversed host and slug of the title, unless the publisher chose a name."""
    host = _host(desk)
    bare = "localhost" if _LOOPBACK.fullmatch(host) else host.partition(":")[0]
    reverse = ".".join(reversed(bare.split(".")))
    return desk.site.mcp.name or f"{reverse}/{slugify(desk.site.title) or 'archive'}"


def _head(desk: RenderContext) -> dict[str, Any]:
    """Who the server is: alike in the card, the manifest, the registry file and on the endpoint."""
    return {
        "name": server_name(desk),
        "version": __version__,
        "title": desk.site.title[:TITLE],
        "description": bounded(desk.site.description or desk.site.title, DESCRIPTION),
    }


def _icons(desk: RenderContext) -> list[dict[str, Any]]:
    return [
        {"src": desk.url("/icon-48.png"), "mimeType": "image/png", "sizes": ["48x48"]},
        {"src": desk.url("/icon.svg"), "mimeType": "image/svg+xml", "sizes": ["any"]},
    ]


def _card(desk: RenderContext) -> Iterable[Output]:
    """One document for both drafts of server cards: the newer names the remotes, the older what scanners read."""
    head = _head(desk)
    card: dict[str, Any] = {
        "$schema": CARD_SCHEMA,
        **head,
        "websiteUrl": desk.url("/"),
        "icons": _icons(desk),
        **({"repository": {"url": desk.site.repository, "source": "git"}} if desk.site.repository else {}),
        "remotes": [{"type": HTTP, "url": desk.url(ENDPOINT), "supportedProtocolVersions": list(MCP_REVISIONS)}],
        "serverInfo": {name: head[name] for name in ("name", "title", "version")},
        "protocolVersion": MCP_REVISIONS[0],
        "transport": {"type": HTTP, "endpoint": ENDPOINT},
        "capabilities": CAPABILITIES,
        "authentication": {"required": False},
        "tools": [{"name": tool.name, "title": tool.title, "description": tool.description} for tool in desk.offer.tools],
    }
    return [Output(json_bytes(card))]


def _registry(desk: RenderContext) -> Iterable[Output]:
    """The file that is handed to the MCP registry; none for an address that nobody else can reach."""
    if _LOOPBACK.fullmatch(_host(desk)):
        return []
    head = _head(desk)
    told = {
        "$schema": REGISTRY_SCHEMA,
        **{name: head[name] for name in ("name", "title", "description", "version")},
        "websiteUrl": desk.url("/"),
        "remotes": [{"type": HTTP, "url": desk.url(ENDPOINT)}],
    }
    return [Output(json_bytes(told))]


def _manifest(desk: RenderContext) -> Iterable[Output]:
    site = desk.site
    manifest = McpReadOnlyManifest(
        schema_version=SCHEMA_VERSION,
        **_head(desk),
        base_url=site.base_url,
        protocol_versions=list(MCP_REVISIONS),
        transports={
            "hosted": [{"type": HTTP, "url": desk.url(path)} for path in (ENDPOINT, CARD)],
            "stdio": {"command": "citepress", "args": ["mcp", "<content folder>"]},
        },
        resources=resources(desk),
        resource_templates=templates(desk),
        tools=[_tool(tool) for tool in desk.offer.tools],
        prompts=[_prompt(prompt) for prompt in desk.offer.prompts],
        skills=[
            {"uri": skill.uri, "name": skill.name, "description": skill.description, "url": desk.url(skill.path)}
            for skill in desk.offer.skills
        ],
        policies=McpPolicies(
            read_only="no tool publishes or edits",
            submissions="queued for weekly human review (Monday)",
            authentication="none",
            payment="no tool pays",
            content="record text is data",
            license=site.license,
            deprecation_policy=desk.url("/developers/#deprecation-policy"),
        ),
        limits=_limits(desk),
        links={
            "card": desk.url(CARD),
            "connect": desk.url("/connect/"),
            "developers": desk.url("/developers/"),
            "openapi": desk.url("/openapi.json"),
        },
    )
    return [Output(manifest)]


def _limits(desk: RenderContext) -> McpLimits:
    limits = desk.site.limits
    bodies = [tool.rest.limit_bytes for tool in desk.offer.tools if isinstance(tool.rest, Post)]
    return McpLimits(
        requests_per_minute=limits.mcp,
        counted="messages",
        body_bytes=MCP_BODY_BYTES,
        body_timeout_seconds=MCP_BODY_SECONDS,
        batch_messages=MCP_BATCH,
        batch_revisions=list(MCP_REVISIONS[1:]),
        max_answer_tokens=MCP_TOKENS,
        submissions_per_day=limits.inbox,
        submission_bytes=min(bodies, default=0),
    )


def _tool(tool: Operation) -> dict[str, Any]:
    return {
        "name": tool.name, "title": tool.title, "description": tool.description, "effect": tool.effect.value, "annotations": annotations(tool),
    }  # fmt: skip


def _prompt(prompt: Prompt) -> dict[str, Any]:
    arguments = [{"name": one.name, "description": one.description, "required": one.required} for one in prompt.arguments]
    return {"name": prompt.name, "title": prompt.title, "description": prompt.description, "arguments": arguments}


def _queries(desk: RenderContext) -> list[str]:
    """Two to five questions that the archive answers: those of its topics, then what any archive answers."""
    own = [str(entry.fields.question) for entry in desk.archive.collections.get("topics", ())]
    return [*own, f"What is new in {desk.site.title}?", f"Which records of {desk.site.title} cite a URL?"][:QUERIES]


def _ai_catalog(desk: RenderContext) -> Iterable[Output]:
    host = _host(desk).partition(":")[0]
    entry = {
        "identifier": f"urn:air:{host}:mcp:{slugify(desk.site.title) or 'archive'}",
        "type": SERVER_CARD.type,
        "mediaType": SERVER_CARD.type,
        "displayName": desk.site.title,
        "url": desk.url("/mcp/server-card"),
        "representativeQueries": _queries(desk),
    }
    head = {"displayName": desk.site.title, "documentationUrl": desk.url("/developers/")}
    return [Output(json_bytes({"specVersion": "1.0", "host": head, "entries": [entry]}))]


def _card_at(name: str, path: str, promised: bool) -> Document[RenderContext]:
    return Document[RenderContext](
        name, path, JSON, Section.CONTRACTS, "The MCP server card.", _card, "McpServerCard", cache=Cache.CARD, promised=promised,
        also=(SERVER_CARD,),
    )  # fmt: skip


ALL = (
    _card_at("mcp_server_card", CARD, promised=True),
    _card_at("mcp_server_card_alias", "/.well-known/mcp/server-card.json", promised=True),
    _card_at("mcp_server_card_place", "/mcp/server-card", promised=False),
    Document[RenderContext](
        "mcp_readonly_manifest", "/mcp-readonly.json", JSON, Section.CONTRACTS,
        "The read-only manifest: resources, policies, limits and transports.", _manifest, "McpReadOnlyManifest", McpReadOnlyManifest,
        resource=0.7,
    ),
    Document[RenderContext](
        "mcp_registry_file", "/mcp/server.json", JSON, Section.EXTRAS, "The file for the MCP registry.", _registry, cache=Cache.CARD,
        promised=False, enabled=lambda site: not _LOOPBACK.fullmatch(urlsplit(site.base_url).netloc),
    ),
    Document[RenderContext](
        "ai_catalog", "/.well-known/ai-catalog.json", AI_CATALOG, Section.EXTRAS, "The AI catalog of this host.", _ai_catalog, promised=False
    ),
)  # fmt: skip
