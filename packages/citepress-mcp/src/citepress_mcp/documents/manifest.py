"""The type of the read-only manifest, and its list of resources."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from citepress.base.text import bounded
from citepress.contract.model import Model
from citepress.contract.route import Route
from citepress.edition.render_context import RenderContext
from citepress_mcp.offer import offer_of
from citepress_mcp.prompt import Skill

NEWEST = 50
"""Records that are listed as resources."""
MAX_LISTED_RESOURCES = 200
"""Resources of the list."""
DESCRIPTION, MAX_TITLE_CHARS = 200, 100
RECORD_PRIORITY, SKILL_PRIORITY = 0.5, 0.5
FURTHER = ("signals_page_json", "source_origin_json", "discovery_graph_shard", "page_readership")
"""Routes with parameters that are listed as templates, in addition to the collections."""


class McpPolicies(Model):
    """What the server promises."""

    read_only: str
    """That no tool publishes or edits."""
    submissions: str
    """What becomes of a proposal."""
    authentication: str
    """What a client must present."""
    payment: str
    """Whether a tool pays."""
    content: str
    """How to treat what is read."""
    license: str
    """Licence of the records."""
    deprecation_policy: str
    """Address of the deprecation policy."""


class McpLimits(Model):
    """What one client may do."""

    requests_per_minute: int
    """What may be sent in a minute."""
    counted: str
    """What is counted."""
    body_bytes: int
    """The largest body."""
    body_timeout_seconds: int
    """The time in which a body must arrive."""
    batch_messages: int
    """Messages of one batch."""
    batch_revisions: list[str]
    """Protocol revisions that have batches."""
    max_answer_tokens: int
    """The longest answer of a tool."""
    submissions_per_day: int
    """Proposals in 24 hours."""
    submission_bytes: int
    """The largest proposal."""


class McpReadOnlyManifest(Model):
    """What the MCP server offers, its transports, policies and limits."""

    schema_version: int
    """Version of this document's schema."""
    name: str
    """Server name."""
    title: str
    """Name of the publication."""
    version: str
    """Version of the software."""
    description: str
    """One sentence."""
    base_url: str
    """Public address."""
    protocol_versions: list[str]
    """Protocol revisions of the endpoint, newest first."""
    transports: dict[str, Any]
    """The address of the hosted server, and the command of one over standard input and output."""
    resources: list[dict[str, Any]]
    """Documents by URI, readable over HTTP at the same address."""
    resource_templates: list[dict[str, Any]]
    """URI templates of further documents."""
    tools: list[dict[str, Any]]
    """Tools in the order of their list."""
    prompts: list[dict[str, Any]]
    """Prompts in the order of their list."""
    skills: list[dict[str, Any]]
    """Skills, each with the address of its file."""
    policies: McpPolicies
    """What the server promises."""
    limits: McpLimits
    """Limits of a client."""
    links: dict[str, str]
    """Further documents."""


def resources(context: RenderContext) -> list[dict[str, Any]]:
    """Documents by priority, skills, and the newest records; at most 200 (design, MCP 4.5)."""
    ranked = [*sorted(_documents(context), key=_rank), *map(_skill, offer_of(context).skills), *_records(context)]
    return ranked[:MAX_LISTED_RESOURCES]


def _rank(entry: dict[str, Any]) -> tuple[float, str]:
    return -entry["annotations"]["priority"], entry["uri"]


def _listed(context: RenderContext, path: str, name: str, title: str, about: str, priority: float) -> dict[str, Any]:
    return {
        "uri": context.url(path),
        "name": name,
        "title": title,
        "description": bounded(about, DESCRIPTION),
        "mimeType": "text/markdown",
        "annotations": {"priority": priority},
    }


def _documents(context: RenderContext) -> Iterator[dict[str, Any]]:
    for route in _one_a_page(context.table):
        title = bounded(route.summary.rstrip("."), MAX_TITLE_CHARS)
        for path in _paths(context, route):
            listed = _listed(context, path, path, title, route.summary, route.resource)
            yield {**listed, "mimeType": route.media.type}


def _one_a_page(table: Iterable[Route]) -> Iterator[Route]:
    """The rows that are resources; of a page its Markdown where that is promised, otherwise its data."""
    rows = [route for route in table if route.resource]
    chosen = {route.forms: route for route in sorted(rows, key=_preference) if route.forms}
    return (route for route in rows if not route.forms or chosen[route.forms] is route)


def _preference(route: Route) -> tuple[bool, bool, bool]:
    """The last of a page's rows in this order stands for it."""
    return route.media.name == "markdown" and route.promised, route.media.name == "json", route.media.name == "markdown"


def _paths(context: RenderContext, route: Route) -> list[str]:
    """The paths of a row: its own, or one for each version of each dataset."""
    if not route.parameters:
        return [route.path]
    return [
        route.fill({"dataset": dataset.name, "version": version.version})
        for dataset in context.archive.datasets
        for version in dataset.versions
    ]


def _skill(skill: Skill) -> dict[str, Any]:
    return {
        "uri": skill.uri,
        "name": skill.name,
        "title": skill.title,
        "description": skill.description,
        "mimeType": "text/markdown",
        "annotations": {"priority": SKILL_PRIORITY},
    }


def _records(context: RenderContext) -> Iterator[dict[str, Any]]:
    for entry in islice(context.archive.entries.values(), NEWEST):
        record = entry.record
        yield _listed(context, entry.path, record.id, record.title, record.summary, RECORD_PRIORITY)


def templates(context: RenderContext) -> list[dict[str, Any]]:
    """A template for each collection's records, one for their data, and those of further documents."""
    by_name, paths = {route.name: route for route in context.table}, {route.path for route in context.table}
    pages = [(kind, path) for kind in context.archive.kinds if (path := f"/{kind.name}/{{slug}}/") in paths]
    rows = [(path, kind.name, kind.plural, kind.about, "text/markdown") for kind, path in pages]
    if pages:
        rows.append(("/{collection}/{slug}.json", "record", "Record", "Any record as typed JSON.", "application/json"))
    for route in (by_name[name] for name in FURTHER if name in by_name):
        title = bounded(route.summary.rstrip("."), MAX_TITLE_CHARS)
        rows.append((route.path, route.name, title, route.summary, route.media.type))
    return [
        {
            "uriTemplate": context.url(path.replace("{canonical_path}", "{+canonical_path}")),
            "name": name,
            "title": title,
            "description": bounded(about, DESCRIPTION),
            "mimeType": media,
        }
        for path, name, title, about, media in rows
    ]
