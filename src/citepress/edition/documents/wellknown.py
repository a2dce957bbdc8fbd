"""What machines look for under fixed names: API catalog, security contact, agent card, agent skills."""

from collections.abc import Iterable

from citepress import __version__
from citepress.base.canonical import json_bytes
from citepress.base.media import JSON, LINKSET, OPENAPI, TEXT
from citepress.base.timestamps import rfc3339
from citepress.contract.document import Document, Output, Section
from citepress.edition.render_context import RenderContext

API_CATALOG = "/.well-known/api-catalog"


def _api_catalog(context: RenderContext) -> Iterable[Output]:
    """RFC 9727: the APIs of this host, each with its description, documentation and policies."""
    api: dict[str, object] = {
        "anchor": context.url("/"),
        "service-desc": [
            {"href": context.url("/openapi.json"), "type": OPENAPI.type},
            {"href": context.url("/openapi-route-catalog.json"), "type": OPENAPI.type},
        ],
        "service-doc": [
            {"href": context.url("/developers/"), "type": "text/html"},
            {"href": context.url("/developers.md"), "type": "text/markdown"},
        ],
        "service-meta": [
            {"href": context.url("/llms.txt"), "type": "text/plain"},
            {"href": context.url("/mcp-readonly.json"), "type": "application/json"},
        ],
        "describedby": [{"href": context.url("/agents/"), "type": "text/html"}],
        "deprecation": [{"href": context.url("/developers/#deprecation-policy"), "type": "text/html"}],
    }
    card = {
        "anchor": context.url("/mcp"),
        "service-desc": [{"href": context.url("/.well-known/mcp"), "type": "application/json"}],
    }
    listing = {"anchor": context.url(API_CATALOG), "item": [{"href": context.url("/")}, {"href": context.url("/mcp")}]}
    return [
        Output(
            json_bytes({"linkset": [listing, api, card]}), links=(f'<{context.url(API_CATALOG)}>; rel="api-catalog"',)
        )
    ]


def _security(context: RenderContext) -> Iterable[Output]:
    """RFC 9116, only where the publisher names a contact."""
    security = context.site.security
    if security is None:
        return []
    lines = [
        f"Contact: {security.contact}",
        f"Expires: {rfc3339(security.expires)}",
        *([f"Policy: {security.policy}"] if security.policy else []),
        f"Preferred-Languages: {context.site.language}",
        f"Canonical: {context.url('/.well-known/security.txt')}",
    ]
    return [Output(("\n".join(lines) + "\n").encode())]


def _agent_card(context: RenderContext) -> Iterable[Output]:
    """An A2A-style card stating that this host is an archive, with its skills and the addresses of its interfaces."""
    site = context.site
    card = {
        "name": site.title,
        "description": site.description or site.title,
        "url": context.url("/"),
        "version": __version__,
        "documentationUrl": context.url("/agents/"),
        "provider": {"organization": context.archive.owner.name, "url": context.url("/owner-profile/")},
        "iconUrl": context.url("/icon.svg"),
        "capabilities": {"streaming": False, "pushNotifications": False},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/markdown", "application/json", "text/html"],
        "securitySchemes": {},
        "skills": [
            {
                "id": f"read-{kind.name}",
                "name": f"Read {kind.plural.lower()}",
                "description": kind.about,
                "tags": [kind.name, "read"],
                "examples": [f"GET {context.url(f'/{kind.name}.json')}"],
            }
            for kind in context.archive.kinds
            if context.archive.collections[kind.name]
        ],
    }
    return [Output(json_bytes(card))]


def _ard(context: RenderContext) -> Iterable[Output]:
    """A catalog of the resources an agent can use here: one entry for each interface."""
    site, host = context.site, context.site.base_url.partition("://")[2].partition("/")[0]
    entries = [
        ("openapi", OPENAPI.type, "/openapi.json", "The programmatic contract."),
        ("guide", "text/plain", "/llms.txt", "Compact route guide."),
        ("agent-card", "application/json", "/.well-known/agent-card.json", "What an agent can read here."),
        ("mcp-card", "application/mcp-server-card+json", "/mcp/server-card", "The MCP server card."),
    ]
    document = {
        "specVersion": "1.0",
        "host": {"displayName": site.title, "documentationUrl": context.url("/developers/")},
        "entries": [
            {"identifier": f"urn:air:{host}:{name}", "type": media, "url": context.url(path), "description": about}
            for name, media, path, about in entries
        ],
    }
    return [Output(json_bytes(document))]


ALL = (
    Document[RenderContext](
        "api_catalog",
        API_CATALOG,
        LINKSET,
        Section.DISCOVERY,
        "The API catalog of this host (RFC 9727).",
        _api_catalog,
        "ApiCatalog",
    ),
    Document[RenderContext](
        "security_txt",
        "/.well-known/security.txt",
        TEXT,
        Section.EXTRAS,
        "Where to report a vulnerability (RFC 9116).",
        _security,
        promised=False,
        enabled=lambda site: site.security is not None,
    ),
    Document[RenderContext](
        "agent_card",
        "/.well-known/agent-card.json",
        JSON,
        Section.EXTRAS,
        "What an agent can do here, as an agent card.",
        _agent_card,
        promised=False,
    ),
    Document[RenderContext](
        "ard",
        "/.well-known/ard.json",
        JSON,
        Section.EXTRAS,
        "The resources for agents on this host.",
        _ard,
        promised=False,
    ),
)
