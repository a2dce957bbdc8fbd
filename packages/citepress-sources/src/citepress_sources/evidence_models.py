"""The types of the health of evidence: how sources and quotes stand, and what there is to do about them."""

from typing import Literal

from citepress.contract.model import Model, Moment
from citepress.contract.observation import QuoteCheck, QuoteState, SourceStatus
from citepress.edition.data.source_models import QuoteCounts


class SourceCounts(Model):
    """Cited sources by the state of their last check."""

    unchanged: int = 0
    """Their text is that of the publisher's copy."""
    changed: int = 0
    """Their text differs from it."""
    gone: int = 0
    """They answer 404 or 410."""
    blocked: int = 0
    """They refuse machines, so nothing can be said."""
    unreachable: int = 0
    """They give no usable answer."""
    never_checked: int = 0
    """Nobody has asked yet."""


class BlockingHost(Model):
    """A host that refuses machines."""

    host: str
    """Its name."""
    sources: int
    """Cited sources there that could not be read."""


class StaleSource(Model):
    """A cited source that is gone or does not answer."""

    url: str
    """Normalised address."""
    cited_url: str
    """The address to open."""
    title: str
    """Its title, or its host."""
    status: SourceStatus
    """gone or unreachable."""
    checked_at: Moment
    """When it was asked."""
    reason: str | None
    """What it answered."""
    archive_url: str | None
    """A public copy that was kept elsewhere."""
    cited_by: list[str]
    """Ids of the records that cite it; the first ten."""


class QuoteSource(QuoteCheck):
    """A source that a quote is said to be from, and what its newest copy holds of the quote."""

    url: str
    """Normalised address."""


class UnheldQuote(Model):
    """A quote that no newest copy of its sources holds word for word."""

    record: str
    """Id of the record."""
    quote: str
    """The words."""
    url: str
    """Normalised address of the source whose copy comes nearest."""
    state: QuoteState
    """drifted or not_found: the best state among its sources."""
    likeness: int | None
    """How like the nearest passage is, of 100."""
    checked_at: Moment | None
    """When the copy was made that holds this passage."""
    sources: list[QuoteSource]
    """Every source that the quote is said to be from, by address."""


class EvidenceTask(Model):
    """A piece of work that follows from the state of the evidence; it ends when a check finds the evidence again."""

    id: str
    """Its anchor on ``/evidence-health/``; the same as long as the work is."""
    title: str
    """The work in a sentence."""
    task: Literal["refresh_source", "verify_claim"]
    """What type of work it is, as of agent tasks."""
    input: str
    """What it starts from."""
    expected_output: str
    """The expected result."""
    how_to_submit: Literal["submit_source", "submit_correction"]
    """The tool or inbox action that takes the answer."""
    related_record: str
    """The record that it is about."""


class EvidenceHealth(Model):
    """How the evidence of the archive stands: what the last check of each cited source and of each quote found.

    No state says that a claim is true.
    """

    schema_version: int
    """Version of this document's schema."""
    as_of: Moment
    """The newest record date of the archive, or the newest check where that is later."""
    source_count: int
    """Sources that records cite."""
    sources: SourceCounts
    """These sources by state."""
    quote_count: int
    """Quotes of claims and excerpts; the same words of a record count once."""
    quotes: QuoteCounts
    """These quotes by state."""
    oldest_check_at: Moment | None
    """The oldest check of any source that was checked; null where none was."""
    newest_check_at: Moment | None
    """The newest."""
    blocking_hosts: list[BlockingHost]
    """Hosts that refuse machines, those with the most sources first; at most 100."""
    stale_count: int
    """Sources that are gone or unreachable."""
    stale: list[StaleSource]
    """The first 500 of them, by address."""
    unheld_count: int
    """Quotes whose best state is drifted or not_found."""
    unheld: list[UnheldQuote]
    """The first 500 of them, by the first address among their sources."""
    task_count: int
    """Pieces of work that follow."""
    tasks: list[EvidenceTask]
    """The first 100 of them."""
