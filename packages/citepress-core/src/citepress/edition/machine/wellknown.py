"""What machines look for under fixed names: API catalog, security contact, resources for agents."""

from collections.abc import Iterable
from typing import Any

from citepress.base.canonical import json_bytes
from citepress.base.media import JSON, LINKSET, OPENAPI, PLAIN_TEXT
from citepress.base.timestamps import rfc3339
from citepress.contract.document import Document, Output, Section
from citepress.edition.render_context import RenderContext

API_CATALOG = "/.well-known/api-catalog"


def _api_catalog(context: RenderContext) -> Iterable[Output]:
    """RFC 9727: the APIs of this host, each with its description, documentation and policies."""
    api: dict[str, Any] = {
        "anchor": context.url("/"),
        "service-desc": [
            {"href": context.url("/openapi.json"), "type": OPENAPI.type},
            {"href": context.url("/openapi-route-catalog.json"), "type": OPENAPI.type},
        ],
        "service-doc": [
            {"href": context.url("/developers/"), "type": "text/html"},
            {"href": context.url("/developers.md"), "type": "text/markdown"},
        ],
        "service-meta": [{"href": context.url("/llms.txt"), "type": "text/plain"}],
        "describedby": [{"href": context.url("/agents/"), "type": "text/html"}],
        "deprecation": [{"href": context.url("/developers/#deprecation-policy"), "type": "text/html"}],
    }
    items, linkset = [{"href": context.url("/")}], [api]
    for further in context.apis:
        items.append({"href": context.url(further.endpoint)})
        api["service-meta"].append({"href": context.url(further.policies), "type": "application/json"})
        description = [{"href": context.url(further.description), "type": "application/json"}]
        linkset.append({"anchor": context.url(further.endpoint), "service-desc": description})
    listing = {"anchor": context.url(API_CATALOG), "item": items}
    return [
        Output(
            json_bytes({"linkset": [listing, *linkset]}), links=(f'<{context.url(API_CATALOG)}>; rel="api-catalog"',)
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


def _indexnow_key(context: RenderContext) -> Iterable[Output]:
    key = context.site.indexnow_key
    return [Output(key.encode())] if key else []


def _ard(context: RenderContext) -> Iterable[Output]:
    """A catalog of the resources an agent can use here: one entry for each interface."""
    site, host = context.site, context.site.base_url.partition("://")[2].partition("/")[0]
    entries = [
        ("openapi", OPENAPI.type, "/openapi.json", "The programmatic contract."),
        ("guide", "text/plain", "/llms.txt", "Compact route guide."),
        *(api.resource for api in context.apis),
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
        PLAIN_TEXT,
        Section.EXTRAS,
        "Where to report a vulnerability (RFC 9116).",
        _security,
        promised=False,
        enabled=lambda site: site.security is not None,
    ),
    Document[RenderContext](
        "indexnow_key",
        "/indexnow.txt",
        PLAIN_TEXT,
        Section.EXTRAS,
        "The key with which this site tells search engines what changed (IndexNow).",
        _indexnow_key,
        promised=False,
        enabled=lambda site: site.indexnow_key is not None,
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
