"""The typed documents of revisions: one of them, the history of a record, and what changed between two."""

from typing import Any, Literal

from citepress.contract.model import Model, Moment


class RevisionItem(Model):
    """A revision in the history of a record."""

    revision: int
    """Its number; it only ever grows along the history."""
    since: Moment
    """Since when it was published."""
    title: str
    """The headline it had."""
    notes: list[str]
    """What its author says of the changes that made it."""
    credits: list[str]
    """Who is credited for them."""
    digest: str
    """SHA-256 over the canonical bytes of ``written`` (RFC 8785), with the comments and links that it leaves out."""
    html_url: str
    """The page for people; it stays as it is."""
    markdown_url: str
    """The Markdown twin."""
    json_url: str
    """The document of the revision."""


class RevisionDocument(RevisionItem):
    """A record as it was published at one time."""

    schema_version: int
    """Version of this document's schema."""
    id: str
    """Id of the record."""
    kind: str
    """The collection."""
    slug: str
    """The record's name in its paths."""
    canonical_url: str
    """Address of the record, which shows the newest revision."""
    history_url: str
    """The history of the record."""
    predecessor_url: str | None
    """The revision before this one, where that is kept."""
    withdrawn: str | None
    """When and why the record was withdrawn; null for one that stands."""
    written: dict[str, Any]
    """The members that its author wrote, as they stood, and the text as ``body_markdown``, without comments and links
    to records that are not published."""


class RevisionHistory(Model):
    """The revisions of one record, the newest first."""

    schema_version: int
    """Version of this document's schema."""
    id: str
    """Id of the record."""
    title: str
    """The headline of the newest."""
    canonical_url: str
    """Address of the record, which shows the newest revision."""
    timemap_url: str
    """The same list as a TimeMap (RFC 7089)."""
    count: int
    """Number of revisions that are kept."""
    withdrawn: str | None
    """When and why the record was withdrawn; null for one that stands."""
    items: list[RevisionItem]
    """Each of them."""


class WordOperation(Model):
    """A run of words that both revisions have, or one of them."""

    op: Literal["equal", "delete", "insert"]
    """What became of the words."""
    text: str
    """The words with the spaces behind them."""


class MemberComparison(Model):
    """One member that differs; the words that are equal or deleted give its former text, the others the later one."""

    member: str
    """Name of the member; ``body_markdown`` is the text."""
    operations: list[WordOperation]
    """Its words, in order."""


class RevisionComparison(Model):
    """What changed in a record between two of its revisions."""

    schema_version: int
    """Version of this document's schema."""
    id: str
    """Id of the record."""
    former: RevisionItem
    """The revision that is compared from."""
    later: RevisionItem
    """The revision that is compared to."""
    canonical_url: str
    """Address of the record, which shows the newest revision."""
    count: int
    """Number of members that differ."""
    withdrawn: str | None
    """When and why the record was withdrawn; null for one that stands."""
    changes: list[MemberComparison]
    """Each of them."""
