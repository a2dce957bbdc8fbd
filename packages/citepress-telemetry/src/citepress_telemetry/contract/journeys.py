"""The crawler-journeys report: how named families move through the archive in 24 hours, 7 days and 30 days."""

from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.content_head import ReportPart
from citepress_telemetry.contract.head import (
    CatalogCoverage,
    Count,
    Observed,
    ReportHead,
    Share,
    StatusCounts,
    TrafficWindow,
    VerificationCounts,
)
from citepress_telemetry.contract.words import ConsumptionRoute, Purpose, TrafficClass

JOURNEYS_PATH = "/crawler-journeys.json"
JOURNEYS_SCHEMA_PATH = "/crawler-journeys-schema.json"
MAX_FAMILIES, MAX_WINDOW_ROWS = 200, 25
"""Families of a window, and rows of each list inside one."""


class SessionDefinition(ReportPart):
    """What counts as one session."""

    key: Literal["family+network"]
    """Requests of one family from one network."""
    inactivity_timeout: Literal["PT30M"]
    """A longer pause begins a new session."""
    cut_at: Literal["00:00Z"]
    """When the network key changes, and with it every session."""
    max_duration: Literal["P1D"]
    """No session is longer."""
    assets: Literal["excluded"]
    """Style sheets, fonts and images are not steps."""
    second_key: Literal["family"]
    """The key of family_bursts: the family alone."""


class FormCounts(ReportPart):
    """Requests by the representation sent."""

    html: Count
    """Pages for people."""
    json_form: Count = Field(alias="json")
    """JSON."""
    markdown: Count
    """Markdown."""
    text: Count
    """Plain text."""
    xml: Count
    """Feeds and sitemaps."""
    mcp: Count
    """Messages of the MCP endpoint."""
    other: Count
    """Anything else."""


class DepthBucket(ReportPart):
    """Sessions up to a depth and deeper than the bucket before."""

    le: Count | None
    """Upper bound of the depth; null in the last bucket, which has none."""
    sessions: Count
    """Sessions."""


class SessionDepth(ReportPart):
    """Requests of a session."""

    mean: Annotated[float, Field(ge=0)] | None
    """Exact mean."""
    p50: Count | None
    """Half of the sessions are at most this deep; upper bound of its bucket."""
    p90: Count | None
    """Nine tenths are at most this deep; upper bound of its bucket."""
    max: Count | None
    """The deepest."""
    bounds: Literal["bucket upper bound"]
    """What p50 and p90 are."""
    histogram: list[DepthBucket]
    """Sessions by depth, in powers of two; empty where they are not known."""


class RouteSessions(ReportPart):
    """Sessions that begin or end at a route."""

    route: str
    """Path template."""
    sessions: Count
    """Sessions."""
    share: Share
    """Share of the family's sessions."""


class RouteStep(ReportPart):
    """An observed step between two different paths of one session."""

    from_route: str = Field(alias="from")
    """Path template of the earlier request."""
    to: str
    """Path template of the later one."""
    count: Count
    """How often."""
    share: Share
    """Share of the family's steps."""


class MaterialStep(ReportPart):
    """An observed step between two pages."""

    from_path: str = Field(alias="from")
    """Canonical path of the earlier page."""
    to: str
    """Canonical path of the later one."""
    count: Count
    """How often, at least."""


class MaterialSteps(ReportPart):
    """The commonest steps between pages."""

    approximate: Literal[True]
    """Counted within bounded memory: never too high."""
    max_undercount: Count
    """How much too low a count may be."""
    items: list[MaterialStep]
    """The steps, commonest first."""


class FamilyJourney(ReportPart):
    """How one named family moved."""

    family: str
    """The client by name."""
    operator: str
    """Who runs it."""
    purpose: Purpose
    """The purpose that the operator states."""
    operation: ConsumptionRoute
    """Run by the operator for itself, or for many end users."""
    traffic_class: TrafficClass = Field(alias="class")
    """Its class."""
    requests: Count
    """Requests, without those whose address contradicts the name."""
    successful_requests: Count
    """Requests answered with content, or with word that the client's copy is current."""
    status_classes: StatusCounts
    """Requests by class of the HTTP status."""
    verification: VerificationCounts
    """Requests by how the identity was checked."""
    representations: FormCounts
    """Requests by the form sent."""
    unique_canonical_materials: Count
    """Distinct pages fetched, in any form."""
    catalog_coverage: CatalogCoverage
    """How much of the archive that is."""
    sessions: Observed
    """Sessions; null where no request came with a client address."""
    robots_only_sessions: Observed
    """Those that fetched nothing but robots.txt."""
    cut_sessions: Observed
    """Those that midnight ended."""
    family_bursts: Observed
    """Sessions if networks are not distinguished."""
    session_depth: SessionDepth
    """Requests of a session."""
    entrypoints: list[RouteSessions]
    """Where sessions begin."""
    terminal_routes: list[RouteSessions]
    """Where sessions end."""
    transitions: list[RouteStep]
    """Steps between routes."""
    material_transitions: MaterialSteps
    """Steps between pages."""


class JourneyWindow(ReportPart):
    """The families of one window."""

    window: TrafficWindow
    """The period that the counts cover."""
    families: Annotated[list[FamilyJourney], Field(max_length=MAX_FAMILIES)]
    """Named families, those with the most requests first."""


class JourneyWindows(ReportPart):
    """The same in three windows."""

    day: JourneyWindow = Field(alias="24h")
    """24 hours."""
    week: JourneyWindow = Field(alias="7d")
    """7 days."""
    month: JourneyWindow = Field(alias="30d")
    """30 days."""


class CrawlerJourneysReport(ReportHead):
    """How named clients move through the archive."""

    session_definition: SessionDefinition
    """What counts as one session."""
    windows: JourneyWindows
    """24 hours, 7 days and 30 days."""
