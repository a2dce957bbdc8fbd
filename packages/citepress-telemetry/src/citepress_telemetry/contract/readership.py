"""The page-readership report: successful requests of named automation for one page, in whichever form."""

from pydantic import Field

from citepress.contract.content_head import ReportPart
from citepress.contract.model import Moment
from citepress_telemetry.contract.head import (
    Count,
    Observed,
    ObservedWindow,
    ReportHead,
    TrafficWindow,
    VerificationCounts,
)
from citepress_telemetry.contract.words import Purpose

READERSHIP_PATH = "/page-readership/{canonical_path}.json"
READERSHIP_SCHEMA_PATH = "/page-readership-schema.json"


class PageForms(ReportPart):
    """Addresses of the page's forms; null where it has no such form."""

    html: str | None
    """The page for people."""
    markdown: str | None
    """Its Markdown twin."""
    json_form: str | None = Field(alias="json")
    """Its JSON twin."""


class PageFormCounts(ReportPart):
    """Requests by form of the page."""

    html: Observed
    """For the HTML page."""
    markdown: Observed
    """For its Markdown twin."""
    json_form: Observed = Field(alias="json")
    """For its JSON twin."""


class FamilyReading(ReportPart):
    """What one named family fetched of the page."""

    family: str
    """The client by name."""
    operator: str
    """Who runs it."""
    purpose: Purpose
    """The purpose that the operator states."""
    requests: Count | None
    """Requests; null where suppressed."""
    html: Count | None
    """For the HTML page."""
    markdown: Count | None
    """For its Markdown twin."""
    json_form: Count | None = Field(alias="json")
    """For its JSON twin."""
    verification: VerificationCounts
    """Requests by how the identity was checked."""
    suppressed: bool
    """Whether counts are withheld: so few fetches could be one person's question, or there were none; every page has
    such rows."""


class Reading(ReportPart):
    """Requests of named automation that were answered with the page, or with word that the copy is current."""

    window: ObservedWindow
    """The period that the counts cover."""
    requests: Observed
    """Requests, without suppressed rows; null where all rows are suppressed."""
    by_representation: PageFormCounts
    """Requests by form."""
    revalidations_304: Observed
    """Requests whose copy was current."""
    by_family: list[FamilyReading]
    """Requests by family, those with the most first."""


class ReadingWindow(Reading):
    """The last 24 hours."""

    window: TrafficWindow
    """The period that the counts cover."""


class ReadingObserved(Reading):
    """Everything since observation began."""

    first_read_at: Moment | None
    """The hour of the first fetch."""
    last_read_at: Moment | None
    """The hour of the last fetch."""


class ReadingWindows(ReportPart):
    """The same in two windows."""

    day: ReadingWindow = Field(alias="24h")
    """24 hours."""
    observed: ReadingObserved
    """Since observation began."""


class PageReadershipReport(ReportHead):
    """Who fetched one page."""

    canonical_path: str
    """Canonical path without slashes at its ends; home for the root."""
    canonical_url: str
    """Canonical address."""
    kind: str
    """Collection of a record; sources, datasets or pages for what is not a record."""
    representations: PageForms
    """The forms whose requests are added up."""
    published_at: Moment | None
    """First publication, where the page has one."""
    time_to_first_read_hours: Observed
    """Hours from publication to the first fetch; null for pages older than the observation."""
    windows: ReadingWindows
    """24 hours, and everything observed."""
