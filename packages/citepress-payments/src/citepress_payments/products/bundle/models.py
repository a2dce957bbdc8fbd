"""What a research bundle is asked with and what it holds."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from citepress.contract.model import Model, Moment
from citepress_payments.products.bundle.bundle import KNOWN, MAX_SOURCES
from citepress_payments.products.free_text import WITH_PATTERN, WITHOUT_CONTROL
from citepress_payments.products.product import ArchiveMark


def _unique(ids: list[str]) -> list[str]:
    if len(set(ids)) < len(ids):
        raise ValueError("must not name an id twice")
    return ids


StableId = Annotated[str, Field(min_length=1, max_length=200), WITHOUT_CONTROL, WITH_PATTERN]
KnownIds = Annotated[
    list[StableId], AfterValidator(_unique), Field(max_length=KNOWN, json_schema_extra={"uniqueItems": True})
]


class ResearchBundleAsk(Model):
    """A question, and what the buyer has read already."""

    query: Annotated[str, Field(min_length=3, max_length=500), WITHOUT_CONTROL, WITH_PATTERN]
    """The question, in words."""
    max_sources: Annotated[int, Field(strict=True, ge=1, le=MAX_SOURCES)] = 8
    """Records of the bundle at most."""
    known_stable_ids: KnownIds = Field(default_factory=list)
    """Records that the buyer has, by id (``<collection>/<slug>``) or by address: left out with their
    near-duplicates."""


class BundleCitation(Model):
    """A source cited by records of the bundle."""

    number: int
    """What records, claims and counter-evidence refer to, from 1."""
    url: str
    """Its normalised address."""
    title: str
    """Its title, or its host."""
    publisher: str | None
    """Who published it."""
    origin: str
    """Id of its source origin."""
    role: Literal["primary", "secondary"]
    """Whether it is the thing itself or a report about it."""
    published_at: Moment | None
    """When it was published, where known."""
    accessed_at: Moment | None
    """When it was read last for a record of the bundle."""
    records: list[str]
    """Ids of the records of the bundle that cite it: two of them are not independent in what they take from it."""


class BundleClaim(Model):
    """A statement with its sources."""

    role: str
    """The member of the record that it comes from: claims, evidence, counter_evidence."""
    text: str
    """The statement."""
    citations: list[int]
    """Numbers of its citations; none where the record states it without a source."""


class BundleSentence(Model):
    """A sentence of the answer, as a record holds it."""

    text: str
    """The sentence, word for word."""
    record: str
    """Id of the record of the bundle that holds it."""
    url: str
    """The address to cite for it."""
    citations: list[int]
    """Numbers of its sources; empty if the record gives none for it."""


class BundleRecord(Model):
    """A record of the bundle."""

    rank: int
    """Its place, from 1."""
    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    kind: str
    """Its collection."""
    title: str
    """Its headline."""
    url: str
    """The address to cite."""
    revision: int
    """Revision that was read."""
    published_at: Moment
    """First publication."""
    updated_at: Moment
    """Last change; by itself it makes nothing fresh."""
    evidence_at: Moment
    """The day that dates its evidence: the lower median of its sources' newest days, from its publication to its last
    change."""
    age_days: int
    """Days from ``evidence_at`` to ``asked_at``."""
    summary: str
    """One or two sentences that can be quoted on their own."""
    passages: list[str]
    """Up to three passages that match best and repeat neither the summary nor the statements."""
    claims: list[BundleClaim]
    """Its statements, those that match the question first chosen; at most five."""
    counter_evidence: list[BundleClaim]
    """What it holds against itself; at most three."""
    confidence: dict[str, Any] | None
    """The editors' confidence, where the record states one."""
    share: float
    """The part of the question that it holds, from 0 to 1, by the worth of the words."""
    matched: list[str]
    """Words of the question that it holds."""
    missing: list[str]
    """Words of the question that it does not hold."""
    near_duplicates: list[str]
    """Ids of near-duplicate records that were left out in its favour."""
    citations: list[int]
    """Numbers of the citations that support it."""


class BundlePoint(Model):
    """A statement of the archive on which records take a side."""

    id: str
    """The record that makes it."""
    title: str
    """Its headline."""
    url: str
    """The address to cite."""
    statement: str
    """The statement, in a sentence."""
    status: str | None
    """Where the editors see it."""
    confidence: str | None
    """How sure they are, in a word."""
    supporting: list[str]
    """Ids of records that support it, those of the bundle first, the record itself included; at most ten."""
    contradicting: list[str]
    """Ids of records that contradict it, in the same order; at most ten."""
    supporting_count: int
    """How many records in the whole archive support it."""
    contradicting_count: int
    """How many records in the whole archive contradict it."""


class BundleAgreement(Model):
    """Records of the bundle on the same side of a point."""

    point: str
    """The record that makes the point, among ``points``."""
    side: Literal["supporting", "contradicting"]
    """Whether they support or contradict it."""
    records: list[str]
    """Ids of the records, the one that makes the point among them where it is in the bundle."""


class BundleDisagreement(Model):
    """A point that is contested."""

    point: str
    """The record that makes the point, among ``points``."""
    supporting: list[str]
    """Ids of the records of the bundle that support it."""
    contradicting: list[str]
    """Ids of the records of the bundle that contradict it. If the bundle has no record on one side, that side lists
    records from outside of it."""


class BundleObjection(Model):
    """Counter-evidence of one record that rests on a source of another."""

    record: str
    """The record that holds it."""
    against: list[str]
    """Records of the bundle that rest on the same sources."""
    text: str
    """The counter-evidence."""
    citations: list[int]
    """Numbers of the sources that it shares with them."""


class BundleFreshness(Model):
    """How old the bundle is, counted from ``asked_at``."""

    newest_update_at: Moment
    """The newest change of its records."""
    oldest_update_at: Moment
    """The oldest last change."""
    newest_evidence_at: Moment
    """The newest ``evidence_at`` of its records."""
    oldest_evidence_at: Moment
    """The oldest ``evidence_at`` of its records."""
    updated_within_30_days: int
    """Records whose evidence is of the 30 days before ``asked_at``; a bare edit does not count."""
    updated_within_90_days: int
    """Likewise for 90 days."""
    updated_within_365_days: int
    """Likewise for a year."""
    newest_citation_at: Moment | None
    """The newest publication date of a citation; null when none is dated."""
    undated_citations: int
    """Citations whose publication date is not known."""


class BundleQuestion(Model):
    """A question that the archive holds open."""

    text: str
    """The question."""
    record: str
    """The topic hub that lists the question."""


class BundleGaps(Model):
    """What the bundle does not give."""

    words: list[str]
    """Words of the question that none of its records holds."""
    open_questions: list[BundleQuestion]
    """What the topic hubs around the question hold open; at most five."""
    without_citations: list[str]
    """Ids of its records that cite no source."""
    older_than_a_year: list[str]
    """Ids of its records without evidence of the year before ``asked_at``."""
    further_records: list[str]
    """Ids of the next relevant records that did not fit; at most twenty, free to read."""


class BundleKnown(Model):
    """What became of the ids that the buyer named as known."""

    excluded: list[str]
    """Ids of those that the archive has: left out with their near-duplicates."""
    unknown: list[str]
    """Ids that the archive does not have, as they were sent; the 402 lists them in ``notes``."""


class ResearchBundle(Model):
    """Independent records on a question, with what they claim, where they agree and disagree, and what is missing."""

    schema_version: Literal[1] = 1
    """Version of this form."""
    product: Literal["research-bundle-v2"] = "research-bundle-v2"
    """What was bought."""
    query: str
    """The question as asked."""
    asked_at: Moment
    """The day of the question (UTC), from which every age is counted."""
    archive: ArchiveMark
    """What it was computed from."""
    selection: str
    """How the records were chosen, in a sentence."""
    answer: list[BundleSentence]
    """At most five sentences that answer the question, taken word for word, at most two of one record; none where no
    sentence holds enough of it."""
    sources: list[BundleRecord]
    """The records, best first: one of each group of near-duplicates; among those that match nearly as well, other
    source origins come first."""
    points: list[BundlePoint]
    """Points on which its records take a side; at most ten, those with the most records first."""
    agreement: list[BundleAgreement]
    """Where at least two records of the bundle are on the same side."""
    disagreement: list[BundleDisagreement]
    """Points that records of the archive both support and contradict."""
    objections: list[BundleObjection]
    """Counter-evidence on each other's sources; at most ten."""
    freshness: BundleFreshness
    """How old it is."""
    missing: BundleGaps
    """What it does not give."""
    known: BundleKnown
    """What became of the known ids."""
    citations: list[BundleCitation]
    """The citation list."""
