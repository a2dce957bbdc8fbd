"""The MCP server's documents: card, read-only manifest, registry file, AI catalog.

They tell what the endpoint lists and call nothing.
"""

import re
from collections.abc import Iterable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from citepress import __version__
from citepress.base.canonical import json_bytes
from citepress.base.media import JSON, Media
from citepress.base.slugs import slugify
from citepress.base.text import bounded
from citepress.contract.cache import Cache
from citepress.contract.document import Document, Hosting, Output, Section
from citepress.contract.operation import Operation, Post
from citepress.contract.settings_table import settings_of
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.machine.interface import submission_quota
from citepress.edition.render_context import RenderContext
from citepress.kinds.topics import KIND as TOPICS
from citepress.kinds.topics import TopicRecord
from citepress_mcp.documents.manifest import McpLimits, McpPolicies, McpReadOnlyManifest, resources, templates
from citepress_mcp.limits import MCP_BATCH, MCP_BODY_BYTES, MCP_BODY_SECONDS, MCP_TOKENS
from citepress_mcp.offer import SERVER_CAPABILITIES, annotations, offer_of
from citepress_mcp.paths import CARD, CARD_COPY, CONNECT, ENDPOINT, MANIFEST, SERVER_CARD
from citepress_mcp.prompt import Prompt
from citepress_mcp.settings import McpIdentity, MessageLimit
from citepress_mcp.versions import MCP_REVISIONS

AI_CATALOG = Media("json", "application/ai-catalog+json", ("application/json",))
CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
HTTP = "streamable-http"
CATALOG = "/.well-known/ai-catalog.json"
DESCRIPTION, MAX_SERVER_TITLE_CHARS = 100, 100
QUERIES = 5
"""Questions of a catalog entry at most: what registries of agents recommend."""
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")


def server_name(context: RenderContext) -> str:
    """Reversed host and slug of the title, unless the publisher chose a name."""
    host = urlsplit(context.site.base_url).netloc
    bare = "localhost" if _LOOPBACK.fullmatch(host) else host.partition(":")[0]
    reverse = ".".join(reversed(bare.split(".")))
    return settings_of(context.site, McpIdentity).name or f"{reverse}/{slugify(context.site.title) or 'archive'}"


def _head(context: RenderContext) -> dict[str, Any]:
    """Who the server is: alike in the card, the manifest, the registry file and on the endpoint."""
    return {
        "name": server_name(context),
        "version": __version__,
        "title": context.site.title[:MAX_SERVER_TITLE_CHARS],
        "description": bounded(context.site.description or context.site.title, DESCRIPTION),
    }


def _icons(context: RenderContext) -> list[dict[str, Any]]:
    return [
        {"src": context.url("/icon-48.png"), "mimeType": "image/png", "sizes": ["48x48"]},
        {"src": context.url("/icon.svg"), "mimeType": "image/svg+xml", "sizes": ["any"]},
    ]


def _card(context: RenderContext) -> Iterable[Output]:
    """One document for both drafts of server cards: the newer names the remotes, the older what scanners read."""
    head = _head(context)
    card: dict[str, Any] = {
        "$schema": CARD_SCHEMA,
        **head,
        "websiteUrl": context.url("/"),
        "icons": _icons(context),
        **({"repository": {"url": context.site.repository, "source": "git"}} if context.site.repository else {}),
        "remotes": [{"type": HTTP, "url": context.url(ENDPOINT), "supportedProtocolVersions": list(MCP_REVISIONS)}],
        "serverInfo": {name: head[name] for name in ("name", "title", "version")},
        "protocolVersion": MCP_REVISIONS[0],
        "transport": {"type": HTTP, "endpoint": ENDPOINT},
        "capabilities": SERVER_CAPABILITIES,
        "authentication": {"required": False},
        "tools": [
            {"name": tool.name, "title": tool.title, "description": tool.description}
            for tool in offer_of(context).tools
        ],
    }
    return [Output(json_bytes(card))]


def _registry(context: RenderContext) -> Iterable[Output]:
    """The file for the MCP registry, which lists only what is reachable from outside."""
    head = _head(context)
    card = {
        "$schema": REGISTRY_SCHEMA,
        **{name: head[name] for name in ("name", "title", "description", "version")},
        "websiteUrl": context.url("/"),
        "remotes": [{"type": HTTP, "url": context.url(ENDPOINT)}],
    }
    return [Output(json_bytes(card))]


def _manifest(context: RenderContext) -> Iterable[Output]:
    site = context.site
    manifest = McpReadOnlyManifest(
        schema_version=SCHEMA_VERSION,
        **_head(context),
        base_url=site.base_url,
        protocol_versions=list(MCP_REVISIONS),
        transports={
            "hosted": [{"type": HTTP, "url": context.url(path)} for path in (ENDPOINT, CARD)],
            "stdio": {"command": "citepress", "args": ["mcp", "<content folder>"]},
        },
        resources=resources(context),
        resource_templates=templates(context),
        tools=[_tool(tool) for tool in offer_of(context).tools],
        prompts=[_prompt(prompt) for prompt in offer_of(context).prompts],
        skills=[
            {"uri": skill.uri, "name": skill.name, "description": skill.description, "url": context.url(skill.path)}
            for skill in offer_of(context).skills
        ],
        policies=McpPolicies(
            read_only="no tool publishes or edits",
            submissions="queued for weekly human review (Monday)" if submission_quota(context) else "none are taken",
            authentication="none",
            payment="no tool pays",
            content="record text is data",
            license=site.license,
            deprecation_policy=context.url("/developers/#deprecation-policy"),
        ),
        limits=_limits(context),
        links={
            "card": context.url(CARD),
            "connect": context.url(CONNECT),
            "developers": context.url("/developers/"),
            "openapi": context.url("/openapi.json"),
        },
    )
    return [Output(manifest)]


def _limits(context: RenderContext) -> McpLimits:
    bodies = [tool.rest.limit_bytes for tool in offer_of(context).tools if isinstance(tool.rest, Post)]
    return McpLimits(
        requests_per_minute=settings_of(context.site, MessageLimit).mcp,
        counted="messages",
        body_bytes=MCP_BODY_BYTES,
        body_timeout_seconds=MCP_BODY_SECONDS,
        batch_messages=MCP_BATCH,
        batch_revisions=list(MCP_REVISIONS[1:]),
        max_answer_tokens=MCP_TOKENS,
        submissions_per_day=submission_quota(context),
        submission_bytes=min(bodies, default=0),
    )


def _tool(tool: Operation) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "effect": tool.effect.value,
        "annotations": annotations(tool),
    }


def _prompt(prompt: Prompt) -> dict[str, Any]:
    shown = ("name", "description", "required")
    arguments = [{name: getattr(argument, name) for name in shown} for argument in prompt.arguments]
    return {"name": prompt.name, "title": prompt.title, "description": prompt.description, "arguments": arguments}


def _queries(context: RenderContext) -> list[str]:
    """Two to five questions that the archive answers: those of its topics, then what any archive answers."""
    topics = [entry.record for entry in context.archive.collections.get(TOPICS.name, ())]
    own = [topic.question for topic in topics if isinstance(topic, TopicRecord)]
    return [*own, f"What is new in {context.site.title}?", f"Which records of {context.site.title} cite a URL?"][
        :QUERIES
    ]


def _ai_catalog(context: RenderContext) -> Iterable[Output]:
    host = urlsplit(context.site.base_url).netloc.partition(":")[0]
    entry = {
        "identifier": f"urn:air:{host}:mcp:{slugify(context.site.title) or 'archive'}",
        "type": SERVER_CARD.type,
        "mediaType": SERVER_CARD.type,
        "displayName": context.site.title,
        "url": context.url(CARD_COPY),
        "representativeQueries": _queries(context),
    }
    head = {"displayName": context.site.title, "documentationUrl": context.url("/developers/")}
    return [Output(json_bytes({"specVersion": "1.0", "host": head, "entries": [entry]}))]


_extra = partial(Document[RenderContext], section=Section.EXTRAS, promised=False, only=Hosting.SERVICE)
_contract = partial(Document[RenderContext], section=Section.CONTRACTS, only=Hosting.SERVICE)
_card_at = partial(
    _contract,
    media=JSON,
    summary="The MCP server card.",
    make=_card,
    shape="McpServerCard",
    cache=Cache.CARD,
    also=(SERVER_CARD,),
)
ALL = (
    _card_at("mcp_server_card", CARD),
    _card_at("mcp_server_card_alias", "/.well-known/mcp/server-card.json"),
    _card_at("mcp_server_card_place", CARD_COPY, promised=False),
    _contract(
        "mcp_readonly_manifest",
        MANIFEST,
        JSON,
        summary="The read-only manifest: resources, policies, limits and transports.",
        make=_manifest,
        shape="McpReadOnlyManifest",
        model=McpReadOnlyManifest,
        resource=0.7,
    ),
    _extra(
        "mcp_registry_file",
        "/mcp/server.json",
        JSON,
        summary="The file for the MCP registry.",
        make=_registry,
        cache=Cache.CARD,
        enabled=lambda site: not _LOOPBACK.fullmatch(urlsplit(site.base_url).netloc),
    ),
    _extra("ai_catalog", CATALOG, AI_CATALOG, summary="The AI catalog of this host.", make=_ai_catalog),
)
