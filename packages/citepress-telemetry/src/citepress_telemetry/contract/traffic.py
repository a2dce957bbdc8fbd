"""The bot-traffic documents: a snapshot of 24 hours, and a history with one point a day."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.content_head import ReportPart
from citepress.contract.model import Moment
from citepress_telemetry.contract.head import (
    ClassPart,
    Count,
    Observed,
    ReportHead,
    Share,
    TrafficWindow,
    VerificationCounts,
)
from citepress_telemetry.contract.words import Purpose, TrafficClass

LATEST_PATH, HISTORY_PATH = "/bot-traffic-latest.json", "/bot-traffic-history.json"
SNAPSHOT_SCHEMA, HISTORY_SCHEMA = "/schemas/BotTrafficSnapshot.json", "/schemas/BotTrafficHistory.json"
POINTS = 400
"""Days in the history; whole months go back to the beginning."""


class SnapshotClass(ReportPart):
    """One of the five classes."""

    traffic_class: TrafficClass = Field(alias="class")
    """The class."""
    requests: Observed
    """Requests in 24 hours."""
    share: Share
    """Its share of all requests."""
    parts: list[ClassPart] | None
    """Of the class crawler what monitors and feed readers made; null for the other classes."""
    successful_requests: Observed
    """Requests answered with content, or with word that the client's copy is current."""
    bytes_served: Observed
    """Bytes of bodies sent."""
    previous_requests: Observed
    """Requests in the 24 hours before."""
    change: float | None
    """Growth over the 24 hours before, as a share of them; null where they are under 20."""


class TopFamily(ReportPart):
    """A named client with many requests."""

    family: str
    """The client by name."""
    traffic_class: TrafficClass = Field(alias="class")
    """Its class."""
    purpose: Purpose
    """The purpose that the operator states."""
    requests: Count
    """Requests in 24 hours."""
    verification: VerificationCounts
    """Requests by how the identity was checked."""


class Unattributed(ReportPart):
    """Requests of clients without a known name."""

    unlisted_automation: Observed
    """Automation that is on no list."""
    unlisted_clients: Observed
    """Clients that look like neither a browser nor known automation."""
    no_user_agent: Observed
    """Without a User-Agent."""
    unresolved: Observed
    """Not looked up in time."""


class ProbeCategory(ReportPart):
    """What scanners looked for."""

    category: str
    """dotfile, wordpress, script, console, backup, traversal, injection, device."""
    requests: Count
    """Requests in 24 hours."""


class ScannerNoise(ReportPart):
    """Probing for what was never published here."""

    probe_categories: list[ProbeCategory]
    """What was looked for, commonest first."""


class BotTrafficSnapshot(ReportHead):
    """The last 24 hours by class."""

    window: TrafficWindow
    """The period that the counts cover."""
    total_requests: Observed
    """Requests of all classes."""
    classes: list[SnapshotClass]
    """The five classes, always all of them."""
    top_families: list[TopFamily]
    """Named clients, those with the most requests first."""
    contradicted_requests: Observed
    """Requests whose address contradicts their name, in no named client's counts; null where no list of addresses was
    fetched."""
    unattributed: Unattributed
    """Requests of clients without a known name."""
    scanner: ScannerNoise
    """Probing for what was never published here."""


class ClassCounts(ReportPart):
    """Requests of the five classes."""

    __annotations__ = {word.value: Annotated[Observed, Field(description=word.about)] for word in TrafficClass}


class HistoryPoint(ReportPart):
    """One day, or one month."""

    start: date
    """Its first day, UTC."""
    complete: bool
    """Whether every hour of it was observed and nothing was dropped."""
    observed_hours: Annotated[float, Field(ge=0)]
    """Hours of it that were observed."""
    imported: bool
    """Whether it comes from imported logs, in part or in whole."""
    classifier_version: str
    """The classifier of that day; the last one of a month."""
    total_requests: Observed
    """Requests of all classes."""
    classes: ClassCounts
    """Requests of the five classes."""
    crawler_parts: list[ClassPart]
    """What monitors and feed readers made of the class crawler."""
    purposes: dict[Purpose, int]
    """Requests of named clients by purpose."""
    verified_requests: Observed
    """Requests whose declared identity was confirmed; null where nothing was checked."""
    contradicted_requests: Observed
    """Requests whose address contradicts their name; null where no list of addresses was fetched."""


class HistoryAnnotation(ReportPart):
    """Something that explains a step in the history."""

    at: Moment
    """When."""
    kind: Literal["classifier_change", "release", "outage", "robots_change", "import"]
    """The type."""
    text: str
    """What happened."""


class BotTrafficHistory(ReportHead):
    """The classes day by day."""

    interval: Literal["P1D"]
    """One point a day."""
    timezone: Literal["UTC"]
    """Where days begin."""
    points: Annotated[list[HistoryPoint], Field(max_length=POINTS)]
    """Days, oldest first."""
    months: list[HistoryPoint]
    """Whole months since the beginning, oldest first."""
    annotations: list[HistoryAnnotation]
    """What explains a step."""
