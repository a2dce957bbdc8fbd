"""The types of the source ledger, of the index of origins and of an origin's evidence."""

from typing import Literal

from citepress.contract.model import Model, Moment
from citepress.contract.observation import QuoteState, SourceHealth


class QuoteCounts(Model):
    """Quotes of claims by what the newest copies of their sources hold."""

    verified: int = 0
    """These words."""
    drifted: int = 0
    """Nearly these words."""
    not_found: int = 0
    """Neither."""
    unverifiable: int = 0
    """There is no copy with a text to search."""


class CitedSource(Model):
    """One source and who cites it."""

    url: str
    """Normalised address."""
    cited_url: str
    """The address as the newest of its records writes it: the one to open."""
    title: str
    """The source's title, the same in every document; its host where no record gives one."""
    publisher: str | None
    """Who published it."""
    origin: str
    """Id of its origin."""
    origin_url: str
    """Address of the origin's evidence."""
    published_at: Moment | None
    """When it was published, where known."""
    role: str
    """primary or secondary; mentioned where texts only link to it, so that nothing rests on it."""
    aliases: list[str]
    """Other addresses known to lead to it."""
    cited_by: list[str]
    """Ids of the records that cite it."""
    mentioned_by: list[str]
    """Ids of the records that only link to it in their texts."""
    archive_url: str | None
    """A public copy that was kept elsewhere; null where no record names one."""
    quotes: QuoteCounts
    """The quotes that are said to be from it, by what its newest copy holds."""


class LedgerSource(SourceHealth, CitedSource):
    """One source, who cites it, and what the last check of it found."""


class PublicSourceLedger(Model):
    """Every source that the archive cites, and every address elsewhere that its texts link to."""

    schema_version: int
    """Version of this document's schema."""
    as_of: Moment
    """The newest record date of the archive, or the last check of a source where that is later."""
    count: int
    """Sources in all."""
    next: str | None
    """URL of the next part, when there is one."""
    sources: list[LedgerSource]
    """Sources by normalised address."""


class OriginItem(Model):
    """One origin in the index."""

    id: str
    """Its id in paths."""
    title: str
    """Its name."""
    url: str
    """Its own address."""
    html_url: str
    """Its hub for people."""
    json_url: str
    """Its evidence."""
    source_count: int
    """Sources of this origin that records cite."""
    mention_count: int
    """Further addresses of this origin in the ledger, to which texts only link."""
    record_count: int
    """Records that cite any of them or link to any."""


class SourceOriginIndex(Model):
    """Where the archive's sources come from."""

    schema_version: int
    """Version of this document's schema."""
    as_of: Moment
    """The newest record date of the archive."""
    count: int
    """Origins in all."""
    next: str | None
    """URL of the next part, when there is one."""
    items: list[OriginItem]
    """Origins by id."""


class SourceQuote(Model):
    """Words of a source that a claim quotes."""

    quote: str
    """The words."""
    state: QuoteState
    """verified, drifted, not_found or unverifiable: what the newest copy of the source holds of them."""
    likeness: int | None
    """Of a quote that is not there word for word: how like the nearest passage is, of 100."""
    checked_at: Moment | None
    """When the copy was made that was searched."""


class EvidenceCitation(Model):
    """A record's use of a source."""

    record: str
    """Id of the record."""
    url: str
    """Its canonical address."""
    cited_url: str
    """The address of the source as the record writes it."""
    role: str
    """primary or secondary: how the record uses it; mentioned where its text only links to it."""
    accessed_at: Moment | None
    """When the source was read for it."""
    claims: list[str]
    """The claims of the record that rest on the source."""
    quotes: list[SourceQuote]
    """The quotes of its claims that are said to be from the source."""


class OriginSource(Model):
    """One source of the origin."""

    url: str
    """Normalised address."""
    cited_url: str
    """The address as the newest of its records writes it: the one to open."""
    title: str
    """The source's title, the same in every document; its host where no record gives one."""
    publisher: str | None
    """Who published it."""
    published_at: Moment | None
    """When it was published, where known."""
    role: str
    """primary or secondary; mentioned where texts only link to it."""
    archive_url: str | None
    """A public copy that was kept elsewhere; null where no record names one."""
    citations: list[EvidenceCitation]
    """The records that cite it or link to it."""


class EvidenceItem(SourceHealth, OriginSource):
    """One source of the origin, and what the last check of it found."""


class OriginBacklink(Model):
    """A record that cites the origin or links to it."""

    id: str
    """Id of the record."""
    title: str
    """Its headline."""
    url: str
    """Its canonical address."""
    updated_at: Moment
    """Its last change."""
    relation: Literal["cites", "mentions"]
    """``mentions`` where its text only links to the origin."""


class SourceOriginDetail(Model):
    """The evidence of one origin, the addresses to which texts only link, and the records that do either."""

    schema_version: int
    """Version of this document's schema."""
    id: str
    """The origin's id."""
    title: str
    """Its name."""
    url: str
    """Its own address."""
    description: str
    """What it is."""
    as_of: Moment
    """The newest date of its records, or the last check of one of its sources where that is later."""
    evidence_count: int
    """Cited sources in all; ``evidence`` holds the first 2,000."""
    evidence: list[EvidenceItem]
    """Its sources that records cite."""
    mention_count: int
    """Addresses in all to which texts only link; ``mentions`` holds the first 2,000."""
    mentions: list[EvidenceItem]
    """Its addresses to which texts only link; nothing rests on them."""
    backlink_count: int
    """Records in all; ``backlinks`` holds the first 2,000."""
    backlinks: list[OriginBacklink]
    """Records that cite it, then records that only link to it."""
