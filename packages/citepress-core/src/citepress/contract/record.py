"""What every record shares: as its author writes it (``Front``) and as the archive publishes it (``Record``)."""

from datetime import datetime
from operator import not_
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from citepress.base.invisible import without_bidi
from citepress.contract.backlink import Backlink
from citepress.contract.declarations import MadeWith
from citepress.contract.identifiers import Doi, Orcid
from citepress.contract.model import AnyMoment, LocalMoment, Model, Moment, OneLine, Text
from citepress.contract.observation import QuoteCheck, SourceStatus
from citepress.contract.refs import ChartMark, EvidenceRef, RelatedRef, SourceRef, SupersedesRef, TopicRef
from citepress.contract.translation import Translation

SourceRole = Literal["primary", "secondary"]
TITLE_LENGTH = 160
"""Characters of a headline."""
AUTHOR_LENGTH = 160
"""Characters of an author's name."""
Title = Annotated[str, Field(min_length=1, max_length=TITLE_LENGTH), BeforeValidator(without_bidi)]
Word = Annotated[str, Field(min_length=1, max_length=80), BeforeValidator(without_bidi)]
Url = Annotated[str, Field(min_length=8, max_length=2048, examples=["https://example.org/"])]


class SourceInput(Model):
    """A source as an author writes it; a bare URL or the key of a shared source may be given instead."""

    url: Url
    """Its address."""
    id: Word | None = None
    """The name by which claims refer to it; by default ``s1``, ``s2`` and so on."""
    title: OneLine | None = None
    """Its title. Where records differ, all show that of the newest; without any, its host."""
    publisher: OneLine | None = None
    """Who published it."""
    published_at: Moment | None = None
    """When it was published."""
    accessed_at: Moment | None = None
    """When it was last read for this record."""
    role: SourceRole = "primary"
    """The thing itself, or a report about it."""
    aliases: list[Url] = Field(default_factory=list, max_length=20)
    """Its other addresses."""
    archive_url: Annotated[str, Field(pattern=r"^https?://[^\s]+$", max_length=2048)] | None = None
    """A public copy, such as in a web archive."""


class Source(Model):
    """A source of a record, with its place in the source ledger."""

    id: str
    """The name by which claims of this record refer to it."""
    url: str
    """The address as its author wrote it: the one to open."""
    normalized_url: str
    """The form under which a source is one source: the key of the source ledger, of ``source_urls`` and of
    provenance."""
    title: str
    """The source's title, the same in every document; its host where no record gives one."""
    publisher: str | None
    """Who published it."""
    origin: str
    """Id of the source origin; its evidence is at ``/sources/<origin>.json``."""
    published_at: Moment | None
    """When it was published, where known."""
    accessed_at: Moment | None
    """When it was last read for this record."""
    role: SourceRole
    """Whether the source is the thing itself or a report about it."""
    archive_url: str | None = None
    """A public copy that was kept elsewhere; null where the record names none."""
    status: SourceStatus = "never_checked"
    """unchanged, changed, gone, blocked, unreachable or never_checked: what the last check of the source found."""
    checked_at: Moment | None = None
    """When it was last checked; null where it never was."""
    changed_share: float | None = None
    """Share of its text, from 0 to 1, that differs from the copy that the publisher compares with; null where there are
    no texts to compare."""


class Mention(Model):
    """An address elsewhere that the text of a record links to and that is none of its sources; nothing rests on it."""

    url: str
    """The address as its author wrote it: the one to open."""
    normalized_url: str
    """Its key in the source ledger."""
    title: str
    """The words of the link; the host where it has none."""
    origin: str
    """Id of the source origin; see ``/sources/<origin>.json``."""
    role: Literal["mentioned"] = "mentioned"
    """Tells it from a source, whose role is primary or secondary."""


class Author(Model):
    """Who wrote a record, or had another part in it."""

    name: Annotated[str, Field(min_length=1, max_length=AUTHOR_LENGTH)]
    """The name as it is shown."""
    url: Annotated[str, Field(pattern=r"^https?://", max_length=2048, examples=["https://author.example/"])] | None = (
        None
    )
    """A page about them."""
    orcid: Orcid | None = None
    """Their ORCID iD."""
    role: Literal["author", "editor", "translator", "contributor"] = "author"
    """Their part in it. Citations name authors, editors and translators."""


class Update(Model):
    """A dated change to a record."""

    date: Moment
    """The day of the change."""
    note: Text
    """What changed."""
    credit: OneLine | None = None
    """Who is credited for it."""
    submission: Word | None = None
    """Id of the inbox submission that led to it."""
    minor: bool = False
    """Whether the meaning is unchanged, as after a new check of its sources; listed in the record's history, omitted
    from ``updated_at``, ``/changes.xml`` and ``what_changed``. A correction or a revision is never minor."""


class Credit(Model):
    """A reported use of a record, credited to the reporter; the record itself did not change."""

    date: Moment
    """The day on which the report was accepted."""
    note: Text
    """What was reported."""
    credit: OneLine | None = None
    """Who reported it."""
    submission: Word | None = None
    """Id of the inbox submission that it was reported with."""


class RecordUpdate(Model):
    """A change to a published record."""

    id: str
    """Its name among the changes of the record, the same in ``what_changed`` and ``/changes.xml``; other changes never
    move it."""
    date: Moment
    """The day of the change."""
    note: str | None
    """What changed; null where there is only a date."""
    credit: str | None
    """Who is credited for it."""
    submission: str | None = None
    """Id of the inbox submission that led to it."""
    minor: bool = False
    """Whether the meaning is unchanged; a minor change is listed only in the record's history."""


class Gone(Model):
    """Why a record was withdrawn."""

    date: Moment | None = None
    """The day of withdrawal."""
    reason: Text | None = None
    """Why it was withdrawn."""
    successor: RelatedRef | None = None
    """The record that replaces it."""
    keep_revisions: bool | None = None
    """Keep its revisions readable; by default as the site says."""


class Evidence(Model):
    """One dated piece of evidence, tied to sources and records."""

    text: Text
    """What the evidence shows."""
    date: AnyMoment | None = None
    """The day of the event that it describes."""
    source_refs: list[SourceRef] = Field(default_factory=list, max_length=50)
    """Ids of this record's sources."""
    records: list[EvidenceRef] = Field(default_factory=list, max_length=50)
    """Ids of records that hold the detail."""


class Claim(Model):
    """A single statement that can be checked against its sources."""

    text: Text
    """The statement."""
    source_refs: list[SourceRef] = Field(default_factory=list, max_length=50)
    """Ids of this record's sources that carry it."""
    quote: Annotated[str, Field(min_length=8, max_length=1000)] | None = None
    """The words of one of these sources that carry it, verbatim, 8 to 1,000 characters; ``[…]`` marks what is
    left out."""

    @model_validator(mode="after")
    def _sourced(self) -> Self:
        if self.quote and not self.source_refs:
            raise ValueError("a quote needs source_refs: the source that it is from")
        return self


class RecordClaim(Claim):
    """A claim as its record publishes it."""

    id: str = ""
    """Its anchor on the page, the same in every form and API; made of its words: other claims never move it."""
    quote_check: QuoteCheck | None = None
    """Whether the newest copy of the source holds the quote; null where nothing is quoted."""


class Fields(Model):
    """The members that one kind adds; written by its author and published under the same names."""


class Front(Model):
    """The front matter that every kind takes; Hugo's names are accepted too."""

    title: Title
    """The headline."""
    summary: Annotated[
        str, Field(min_length=1, max_length=300, validation_alias=AliasChoices("summary", "description"))
    ]
    """One or two sentences that make sense on their own."""
    date: LocalMoment
    """First publication; a future date hides the record until then."""
    lastmod: LocalMoment | None = None
    """Last change; by default the newest of date, updates, corrections and revisions."""
    slug: Annotated[str, Field(max_length=96)] | None = None
    """By default the name of the file."""
    draft: bool = False
    """Hidden, except with ``--drafts``."""
    publish_date: Annotated[AnyMoment | None, Field(validation_alias=AliasChoices("publishDate", "publish_date"))] = (
        None
    )
    """Hidden before this moment."""
    expiry_date: Annotated[AnyMoment | None, Field(validation_alias=AliasChoices("expiryDate", "expiry_date"))] = None
    """Withdrawn from this moment."""
    aliases: list[Annotated[str, Field(pattern=r"^/", max_length=512, examples=["/old/path/"])]] = Field(
        default_factory=list, max_length=50
    )
    """Former paths, answered with 308."""
    language: Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", examples=["en", "pt-BR"])] | None = (
        None
    )
    """BCP 47 language tag; by default derived from the text, else the site's."""
    translation_key: Annotated[
        str | None, Field(max_length=200, validation_alias=AliasChoices("translationKey", "translation_key"))
    ] = None
    """The same in all translations of a text, which then link to each other."""
    license: OneLine | None = None
    """SPDX id or URL; by default the site's."""
    revision: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """By default one more than there are changes."""
    topics: list[TopicRef] = Field(default_factory=list, max_length=20)
    """Slugs of topic hubs."""
    tags: list[Word] = Field(default_factory=list, max_length=50)
    """Free words."""
    authors: list[Author] = Field(default_factory=list, max_length=20)
    """By default the site's, else the owner."""
    doi: Doi | None = None
    """Its DOI."""
    made_with: MadeWith | None = None
    """How its text was made; by default as the site says."""
    sources: list[SourceInput | str] = Field(default_factory=list, max_length=200)
    """The sources of the record."""
    related: list[RelatedRef] = Field(default_factory=list, max_length=100)
    """Ids of related records."""
    supersedes: list[SupersedesRef] = Field(default_factory=list, max_length=20)
    """Ids of records that this one replaces."""
    chart: Annotated[str | None, ChartMark(), Field(max_length=300, examples=["datasets/effects#by-year"])] = None
    """A chart to show: ``datasets/<name>``, or ``datasets/<name>#<anchor>`` for another than the first."""
    updates: list[Update] = Field(default_factory=list, max_length=500)
    """Dated changes."""
    corrections: list[Update] = Field(default_factory=list, max_length=500)
    """Dated corrections."""
    credits: list[Credit] = Field(default_factory=list, max_length=500)
    """Uses reported by usage receipts; they change neither date nor content."""
    gone: bool | Gone = False
    """Withdrawn: the path answers 410."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Anything else; never published."""

    def resolution(self) -> tuple[datetime, str] | None:
        """When and how what it says came out, of a kind whose records resolve."""
        return None


class Record(Model):
    """The members that every published record carries."""

    schema_version: int
    """Version of this record's schema."""
    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    kind: str
    """The collection."""
    slug: str
    """The record's name in its paths."""
    title: str
    """The headline."""
    summary: str
    """One or two sentences that make sense on their own."""
    canonical_url: str
    """Address of its page, which always shows the newest revision."""
    html_url: str
    """The page for people."""
    markdown_url: str
    """The Markdown twin."""
    json_url: str
    """This document."""
    language: str
    """BCP 47 language tag."""
    translations: list[Translation] = Field(default_factory=list, exclude_if=not_)
    """This text in each of its languages, itself among them; left out where there is no other."""
    license: str
    """SPDX id or URL of the licence."""
    published_at: LocalMoment
    """First publication, as its publisher dates it; never after the present; 1970-01-01 where nobody knows."""
    updated_at: LocalMoment
    """The newest of the first publication and of every change of what it says; never after the present."""
    utc_offset: str | None = Field(default=None, exclude_if=not_)
    """How far the clock of its author was from UTC when it was published, such as ``+13:00``: pages and citations name
    the day there. Left out where that is UTC, or is not known."""
    sources_read_at: Moment | None = None
    """When its sources were last read, the newest of their ``accessed_at``; null where no source says."""
    revision: int
    """Revision number, counted from 1; it never goes down, and grows with every change of what the record says."""
    revision_url: str | None = None
    """Address of this revision, where it stays as it is: the one to cite; null where it is not kept."""
    revised_at: Moment | None = None
    """Since when this revision is public, which citations name as its day. Of an edit that Git does not hold yet the
    author's last date, but none before the former revision; null where no revision is kept."""
    topics: list[str]
    """Slugs of topic hubs."""
    tags: list[str]
    """Free words."""
    authors: list[Author] = Field(default_factory=list)
    """Who wrote it; empty where that is the publisher."""
    doi: str | None = None
    """The DOI that was registered for it, without the resolver."""
    made_with: MadeWith | None = None
    """human, ai_assisted or ai_generated: how its text was made; null where its publisher does not say."""
    sources: list[Source]
    """The sources of the record."""
    source_urls: list[str]
    """The sources' normalised addresses."""
    mentions: list[Mention] = Field(default_factory=list)
    """Links of the text to other sites, in its order; none of them is a source of the record."""
    related: list[str]
    """Ids of related records, named by either side."""
    supersedes: list[str]
    """Ids of records that this one replaces."""
    backlinks: list[Backlink]
    """Records that point at this one."""
    chart: str | None = Field(default=None, exclude_if=not_)
    """The chart of a dataset that its page shows, ``datasets/<name>#<anchor>``; left out where there is none."""
    updates: list[RecordUpdate]
    """Dated changes, newest first."""
    corrections: list[RecordUpdate]
    """Dated corrections, newest first."""
    credits: list[Credit]
    """Reported uses that were accepted, newest first."""
    paragraphs: list[str] = Field(default_factory=list)
    """Ids of the paragraphs of the text that stand by themselves, in its order: their anchors on the page."""
    body_markdown: str
    """The text, as CommonMark."""

    @property
    def uses(self) -> tuple[Source | Mention, ...]:
        """Everything that it has in the source ledger."""
        return (*self.sources, *self.mentions)
