"""The heads that reports share, and small parts that several of them use."""

from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.content_head import Caveat, Missing, ReportPart
from citepress.contract.model import Moment
from citepress_telemetry.contract.words import VerificationState

Count = Annotated[int, Field(ge=0)]
"""A number of things, where it is known for certain."""
Observed = Annotated[int, Field(ge=0)] | None
"""A number of things; null where nothing was observed, which is not zero."""
Share = Annotated[float, Field(ge=0, le=1)] | None
"""A share of 1 with four decimals; null where it is unknown."""
FigureStatus = Literal["ok", "collecting", "not_observed"]
METHOD_PATH = "/machine-consumption/#method"


class ClassifierSource(ReportPart):
    """A list that the classifier was built from."""

    name: str
    """Its name."""
    version: str
    """Its version."""
    license: str
    """SPDX id of its licence."""


class Classifier(ReportPart):
    """How one type of client is distinguished from another."""

    version: str | None
    """Its version; null before anything was classified."""
    sources: list[ClassifierSource]
    """Lists that it was built from."""


class Sampling(ReportPart):
    """That every request counts."""

    method: Literal["none"]
    """Nothing is sampled."""
    rate: Literal[1]
    """Share of requests that are counted."""


class Coverage(ReportPart):
    """How much of the time was seen, and what was left out of the counts."""

    observed_from: Moment | None
    """When observation began, to ten seconds."""
    expected_hours: Observed
    """Hours of the longest window."""
    observed_hours: Annotated[float, Field(ge=0)] | None
    """Hours of it that were observed."""
    imported_hours: Observed
    """Hours of it that come from imported logs."""
    late_events: Observed
    """Requests that were counted after their hour was closed."""
    dropped_events: Observed
    """Requests that could not be counted, as far as that is known."""
    crashed_workers: Observed
    """Worker processes that ended without a word; the last requests of each are in no count."""
    unresolved_events: Observed
    """Requests whose client was not looked up in time."""
    self_traffic_excluded: Observed
    """Requests of the publisher's own monitors, left out."""
    asset_requests_excluded: Observed
    """Requests for style sheets, fonts and images, left out."""
    sampling: Sampling
    """That every request counts."""


class Privacy(ReportPart):
    """What is stored about a client, and what is withheld."""

    ip_stored: Literal[False]
    """No address is stored."""
    network_key: str
    """How networks are distinguished within a day."""
    min_count: Count
    """Rows of routes under this count are left out."""
    suppressed_rows: Observed
    """Rows left out for being under it."""


class ReportHead(ReportPart):
    """What every report on machine readers begins with."""

    schema_version: int
    """Version of this document's schema."""
    schema_url: str = Field(alias="schema")
    """Address of this document's JSON Schema."""
    status: FigureStatus
    """ok; collecting while the longest window is not yet covered; not_observed before the first full hour."""
    generated_at: Moment | None
    """When the report was written; null in the form that the edition itself holds."""
    as_of: Moment | None
    """End of the last full hour counted; null before it."""
    vantage: Literal["origin"]
    """Where requests are counted; a cache in front hides reads."""
    classifier: Classifier
    """How one type of client is distinguished from another."""
    coverage: Coverage
    """How much of the time was seen."""
    privacy: Privacy
    """What is stored about a client."""
    missing: list[Missing]
    """Parts that could not be filled, and why."""
    caveats: list[Caveat]
    """Rules for reading the numbers."""
    methodology_url: str
    """Where the method is explained."""


class TrafficSpan(ReportPart):
    """A span of time in whole hours, UTC."""

    start: Moment | None
    """Its first moment; null before anything was observed."""
    end: Moment | None
    """The moment after it."""


class ObservedWindow(TrafficSpan):
    """Everything since observation began."""

    complete: bool
    """Whether every hour of it was observed and nothing was dropped."""


class TrafficWindow(ObservedWindow):
    """A window that ends with the last full hour."""

    duration: Literal["PT24H", "P7D", "P30D"]
    """Its length (ISO 8601)."""


class VerificationCounts(ReportPart):
    """Requests by how the declared identity was checked; null for a way in which nothing of this client is checked."""

    signed: Observed
    """With a valid signature of the operator."""
    ip_range: Observed
    """From an address that the operator lists."""
    fcrdns: Observed
    """From an address whose name leads to the operator and back."""
    claimed: Observed
    """Known by the User-Agent alone."""
    contradicted: Observed
    """From outside a fresh list that the operator calls complete; in no other count of the client."""


class StatusCounts(ReportPart):
    """Requests by class of the HTTP status."""

    success: Observed = Field(alias="2xx")
    """Answered with content."""
    redirect: Observed = Field(alias="3xx")
    """Redirected, or the client's copy was current."""
    client_fault: Observed = Field(alias="4xx")
    """Refused: nothing there, or the request was wrong."""
    server_fault: Observed = Field(alias="5xx")
    """Failed on our side."""


class ClassPart(ReportPart):
    """A part of the class crawler that is shown apart; its requests are in the class."""

    purpose: Literal["monitoring", "feed"]
    """The purpose that the operators of its clients state."""
    requests: Count
    """Requests."""
    successful_requests: Count
    """Requests answered with content, or with word that the client's copy is current."""


class CatalogCoverage(ReportPart):
    """How much of the archive was fetched."""

    read: Observed
    """Different pages fetched."""
    of: Observed
    """Pages that there are."""
    share: Share
    """The one divided by the other."""


class VerificationBasis(ReportPart):
    """What a verification is based on."""

    method: VerificationState
    """The way of checking."""
    source_url: str | None
    """The operator's document, where there is one."""
    fetched_at: Moment | None
    """When that document was fetched."""
