"""The machine-consumption report: thirty days of requests by class, purpose, operator, form and page."""

from typing import Annotated

from pydantic import ConfigDict, Field

from citepress.contract.content_head import ReportPart
from citepress_telemetry.contract.head import (
    CatalogCoverage,
    ClassPart,
    Count,
    Observed,
    ReportHead,
    Share,
    StatusCounts,
    TrafficSpan,
    TrafficWindow,
    VerificationBasis,
    VerificationCounts,
)
from citepress_telemetry.contract.words import Purpose, SentForm, TrafficClass

CONSUMPTION_PATH = "/machine-consumption.json"
CONSUMPTION_SCHEMA_PATH = "/machine-consumption-schema.json"
REVISION = "1.1"
"""``schema_revision``: version 1 with the gateway fields."""


class ConsumptionTotals(ReportPart):
    """Sums over all classes."""

    requests: Observed
    """Requests."""
    successful_requests: Observed
    """Requests answered with content, or with word that the client's copy is current."""
    bytes_served: Observed
    """Bytes of bodies sent."""
    unique_materials: Observed
    """Different pages fetched by named clients, libraries and scanners apart."""
    verified_requests: Observed
    """Requests whose declared identity was confirmed; null where nothing was checked."""
    contradicted_requests: Observed
    """Requests whose address contradicts their name; they are in the totals and in no operator's, no crawler's and no
    purpose's."""


class ConsumptionClass(ReportPart):
    """One of the five classes."""

    traffic_class: TrafficClass = Field(alias="class")
    """The class."""
    requests: Observed
    """Requests."""
    successful_requests: Observed
    """Requests answered with content, or with word that the client's copy is current."""
    bytes_served: Observed
    """Bytes of bodies sent."""
    share: Share
    """Its share of all requests."""
    parts: list[ClassPart] | None
    """Of the class crawler what monitors and feed readers made; null for the other classes."""


class PurposeCount(ReportPart):
    """Requests of named clients by what their operator fetches for."""

    purpose: Purpose
    """The purpose that the operator states."""
    requests: Count
    """Requests."""
    share: Share
    """Share of the requests of named clients."""


class CrawlToRefer(ReportPart):
    """What an operator fetched, and the page views it sent; apps send no Referer, so referrals are undercounted."""

    crawls: Count
    """Requests of its clients that were answered in a form of a page: HTML, Markdown or JSON."""
    referrals: Observed
    """Browser-like page views that name one of its hosts as referrer; null where no host of it is known."""
    ratio: Annotated[float, Field(ge=0)] | None
    """Crawls for each referral; null under 20 referrals."""


class OperatorReading(ReportPart):
    """What the clients of one operator fetched."""

    operator: str
    """The operators of the clients."""
    families: list[str]
    """The clients by name."""
    requests: Count
    """Requests."""
    successful_requests: Count
    """Requests answered with content, or with word that the client's copy is current."""
    bytes_served: Count
    """Bytes of bodies sent."""
    unique_materials: Count
    """Different pages fetched."""
    catalog_coverage: CatalogCoverage
    """How much of the archive that is."""
    verification: VerificationCounts
    """Requests by how the identity was checked."""
    verification_basis: list[VerificationBasis]
    """What the checks are based on."""
    crawl_to_refer: CrawlToRefer
    """What was fetched, and what came back."""


class FormShare(ReportPart):
    """Requests by the representation sent."""

    representation: SentForm
    """The form."""
    requests: Count
    """Requests."""
    share: Share
    """Its share of all requests."""


class TopMaterial(ReportPart):
    """A page that many families fetched."""

    canonical_path: str
    """Canonical path of the page."""
    families_30d: Observed
    """Named families that fetched it in 30 days: crawlers and AI user agents, no libraries and no scanners."""
    requests_24h: Observed
    """Their requests in 24 hours."""
    requests_observed: Observed
    """Their requests since observation began."""


class NeverRead(ReportPart):
    """Pages that no named client has fetched."""

    count: Observed
    """How many."""
    of: Observed
    """Pages that there are."""
    sample: list[str]
    """Some of them by canonical path."""


class FirstReadHours(ReportPart):
    """Hours from publication to the first fetch."""

    p50: Observed
    """Half of the pages took no longer."""
    p90: Observed
    """Nine tenths of the pages took no longer."""


class Freshness(ReportPart):
    """How soon new pages are fetched."""

    published: Observed
    """Pages published in the window."""
    read: Observed
    """Those of them that a named client fetched."""
    time_to_first_read_hours: FirstReadHours
    """How long it took."""


class ToolCalls(ReportPart):
    """Calls of one MCP tool."""

    tool: str
    """The tool."""
    calls: Count
    """Calls."""
    errors: Count
    """Those that failed."""


class ClientMessages(ReportPart):
    """Messages of one MCP client."""

    client: str
    """A known client, or other."""
    messages: Count
    """Messages."""


class McpUse(ReportPart):
    """Use of the MCP endpoint."""

    initializes: Observed
    """Handshakes."""
    protocol_versions: dict[str, int]
    """Messages by protocol version."""
    resource_reads: Observed
    """Resources read."""
    prompt_gets: Observed
    """Prompts fetched."""
    tool_calls: list[ToolCalls]
    """Calls by tool."""
    clients: list[ClientMessages]
    """Messages by client."""


class ActionUse(ReportPart):
    """Use of one free action."""

    action: str
    """The action."""
    requests: Count
    """Requests."""
    matched: Count
    """Searches with at least one result."""


class InboxSubmissions(ReportPart):
    """Submissions by kind."""

    source: Observed
    """Proposed sources."""
    correction: Observed
    """Corrections."""
    usage_receipt: Observed
    """Usage receipts."""


class InboxUse(ReportPart):
    """Use of the inbox."""

    submissions: InboxSubmissions
    """Submissions by kind."""
    deduplicated: Observed
    """Repeats that were answered with the earlier submission."""


class PaidUse(ReportPart):
    """Use of one paid product."""

    product: str
    """The product."""
    preflights: Count
    """Unsigned requests."""
    payment_required: Count
    """Those answered with terms."""
    settled: Count
    """Payments settled."""
    replays: Count
    """Results handed out again for the same payment."""
    not_sellable: Count
    """Requests for which there was nothing to sell."""


class RateLimited(ReportPart):
    """Requests refused for being too many."""

    rest_json: Observed
    """On JSON routes."""
    mcp: Observed
    """On the MCP endpoint."""


class GatewayUse(ReportPart):
    """Use of what is more than reading: MCP, actions, inbox, paid products."""

    mcp: McpUse
    """The MCP endpoint."""
    agent_actions: list[ActionUse]
    """Free actions."""
    inbox: InboxUse
    """The moderated inbox."""
    paid: list[PaidUse]
    """Paid products."""
    rate_limited: RateLimited
    """Requests refused for being too many."""


class MachineConsumptionReport(ReportHead):
    """What machines fetched here in the last thirty days."""

    # The contract calls the gateway members of revision 1.1 optional, so a reader must not count on them.
    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    schema_revision: str | None = None
    """Revision of version 1; 1.1 and later may carry the gateway member."""
    window: TrafficWindow
    """The thirty days that the counts cover."""
    observed_window: TrafficSpan
    """The part of it that was observed."""
    totals: ConsumptionTotals
    """Sums over all classes."""
    classes: list[ConsumptionClass]
    """The five classes, always all of them."""
    purposes: list[PurposeCount]
    """Requests of named clients by purpose."""
    operators: list[OperatorReading]
    """Named clients by operator, those with the most requests first."""
    representations: list[FormShare]
    """Requests by the form sent."""
    status_classes: StatusCounts
    """Requests by class of the HTTP status."""
    revalidations_304: Observed
    """Requests whose copy was current."""
    top_materials: list[TopMaterial]
    """Pages that the most families fetched."""
    never_read: NeverRead
    """Pages that no named client has fetched."""
    freshness: Freshness
    """How soon new pages are fetched."""
    gateway: GatewayUse | None = None
    """Use of what is more than reading (revision 1.1)."""
