"""The archive: every record typed and resolved, with the sources, origins and links that join them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from citepress.archive.contents import Contents, FiledContents, PackedContents, RecordHead
from citepress.base.memo import Memo
from citepress.base.values import value_type
from citepress.content.dataset_charts import DatasetChart
from citepress.content.images import Size
from citepress.content.passages import LinkPassage
from citepress.contract.kind import Kind, Registry
from citepress.contract.observation import Observation
from citepress.contract.record import Author, Fields, Record
from citepress.contract.site import Site
from citepress.history.revisions import PublishedRevision, RecordRevisions

CONTENTS = "contents"
"""Name of the page of the archive's own that gives the reading order of its records."""
MENTIONED = "mentioned"
"""The role of a source that texts link to and on which nothing rests."""


@value_type
class Edge:
    """A typed link between two records."""

    source: str
    target: str
    type: str
    """cites, supports, contradicts, related, about-topic, supersedes; links-to for a link in the text."""
    passage: LinkPassage | None = None
    """Of a link in the text, the passage that holds it."""


@value_type
class Entry:
    """A published record and what the archive knows around it."""

    kind: Kind
    head: RecordHead
    """What is at hand of the record; ask ``record`` only for what is not in it."""
    contents: Contents | PackedContents | FiledContents = field(repr=False, compare=False)
    """The record; ``digest`` is compared in its place."""
    file: str
    """Path of its file, relative to the content folder."""
    path: str
    """Canonical path, ``/<collection>/<slug>/``."""
    edges: tuple[Edge, ...] = ()
    """Outgoing edges to other records, in order, without repeats."""
    digest: bytes = b""
    """Sixteen bytes of BLAKE2b over its contents: what rendering compares instead of the record."""
    face: bytes = b""
    """The same over what pages of other records show of it."""
    revisions: RecordRevisions | None = None
    """Its revisions that are kept; ``None`` where that is not known."""
    memo: Memo = field(default_factory=dict, repr=False, compare=False)
    """Results that later stages derive from this record alone; they live as long as the record."""

    @property
    def record(self) -> Record:
        """The record; unpacked, which takes as long as a hundred other members."""
        return self.contents.opened().record

    @property
    def fields(self) -> Fields:
        """The kind's own members as a model (``kind.fields``)."""
        return self.contents.opened().fields

    @property
    def written(self) -> Mapping[str, str]:
        """Addresses as their author wrote them, by their normal forms, where the two differ."""
        return self.contents.opened().written

    @property
    def images(self) -> tuple[str, ...]:
        """Paths of this site's own images in its text, in order."""
        return self.contents.opened().images

    @property
    def order(self) -> tuple[float, str]:
        """Its place among records, as a sort key: the newest first, then by id."""
        return -self.head.published_at.timestamp(), self.head.id


@value_type
class Citation:
    """One record's use of one source."""

    record: str
    source_id: str
    """Empty for a mention."""
    url: str
    """The address as the record writes it."""
    role: str
    """primary, secondary; mentioned where the record's text only links to it."""
    accessed_at: datetime | None
    claims: tuple[str, ...]
    """Texts of the claims and evidence that refer to the source."""
    quotes: tuple[str, ...] = ()
    """Quotes of claims that are said to be from it."""


@value_type
class SourceEntry:
    """A source of the ledger: one normalised URL, and every record that cites it or links to it in its text."""

    url: str
    cited_url: str
    """The address as the newest of these records writes it: the one to open."""
    title: str
    publisher: str | None
    origin: str
    published_at: datetime | None
    role: str
    aliases: tuple[str, ...]
    """Other normalised addresses known to lead to it."""
    citations: tuple[Citation, ...]
    """One for each record, sorted by record."""
    archive_url: str | None = None
    """A public copy elsewhere, as the newest of its records that names one has it."""

    @property
    def cited_by(self) -> list[str]:
        """Ids of the records that cite it."""
        return [citation.record for citation in self.citations if citation.role != MENTIONED]

    @property
    def mentioned_by(self) -> list[str]:
        """Ids of the records whose texts only link to it."""
        return [citation.record for citation in self.citations if citation.role == MENTIONED]


@value_type
class Origin:
    """Where sources come from: a registrable host, or an entry of ``sources.yaml``."""

    id: str
    title: str
    url: str
    description: str
    sources: tuple[str, ...]
    """Normalised URLs of its sources that a record cites, in order."""
    records: tuple[str, ...]
    """Ids of the records that cite any of them."""
    mentions: tuple[str, ...] = ()
    """Normalised URLs of its sources that texts only link to, in order."""
    mentioning: tuple[str, ...] = ()
    """Ids of the records that only link to any of its sources."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a dataset."""

    name: str
    type: str
    """JSON Schema type of its cells: string, integer, number, boolean."""
    description: str
    format: str = ""


@dataclass(frozen=True, slots=True)
class DatasetVersion:
    """One frozen version of a dataset."""

    version: str
    """``v1``, ``v2`` …"""
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Any], ...]
    """Typed rows; an empty cell is ``None``."""
    schema: Mapping[str, Any]
    """The JSON Schema of one row."""
    csv: bytes
    """RFC 4180: CRLF, header row, UTF-8."""
    primary_key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dataset:
    """A versioned dataset with its description."""

    name: str
    title: str
    summary: str
    license: str
    creator: str
    published: datetime
    updated: datetime
    keywords: tuple[str, ...]
    topics: tuple[str, ...]
    readme: str
    """Markdown."""
    sources: tuple[tuple[str, str, str], ...]
    """(title, URL as written, normalised URL)."""
    versions: tuple[DatasetVersion, ...]
    """Oldest first."""
    authors: tuple[Author, ...] = ()
    """Those who made it, where they are named one by one."""
    doi: str = ""
    """Without the resolver; empty where there is none."""
    charts: tuple[DatasetChart, ...] = ()

    @property
    def path(self) -> str:
        """Canonical path of its landing page."""
        return f"/datasets/{self.name}/"


@dataclass(frozen=True, slots=True)
class Owner:
    """Who publishes the archive; ``data`` are the members of ``owner.md``."""

    name: str
    type: str
    """``Person`` or ``Organization``."""
    headline: str
    description: str
    data: Mapping[str, Any]
    """founded, expertise[], roles[], works[], links[], contact: as written, validated, times as RFC 3339."""
    body: str


@dataclass(frozen=True, slots=True)
class StaticPage:
    """A page of ``content/pages/``: a page of the archive, or the text of a built-in page."""

    slug: str
    title: str
    summary: str
    body: str
    updated: datetime | None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A record that was taken back; its paths answer 410."""

    id: str
    path: str
    date: datetime | None
    reason: str
    successor: str
    """Path of its replacement, or empty."""
    revisions: tuple[PublishedRevision, ...]
    """Those that can still be read, oldest first."""


@value_type
class Change:
    """A significant, dated change that readers may want to hear of."""

    moment: datetime
    change: str
    """published, updated, corrected, revised, resolved, withdrawn, deprecated."""
    record: str
    title: str
    path: str
    note: str
    """What changed; empty where there is no note."""
    credit: str | None = None
    id: str = ""
    """Its name among the changes of its record (``history.dated_changes``), or of the archive where it is of none."""
    topics: tuple[str, ...] = ()
    """Slugs of the record's topics."""


@dataclass(frozen=True, slots=True)
class Archive:
    """One moment of the whole publication."""

    site: Site
    kinds: tuple[Kind, ...]
    registries: tuple[Registry, ...]
    entries: Mapping[str, Entry]
    """By id."""
    collections: Mapping[str, Sequence[Entry]]
    """By kind, newest first (then by slug); every kind has its key."""
    topics: Mapping[str, Sequence[Entry]]
    """Members of each topic hub by its slug, newest first."""
    ledger: Mapping[str, SourceEntry]
    """Sources by normalised URL, sorted."""
    aliases: Mapping[str, str]
    """Normalised alias address of a source to its ledger address."""
    origins: Mapping[str, Origin]
    """By id, sorted."""
    datasets: tuple[Dataset, ...]
    owner: Owner
    registered: Mapping[str, tuple[BaseModel, ...]]
    """Entries of each registry by its name, sorted by id."""
    pages: Mapping[str, StaticPage]
    redirects: Mapping[str, str]
    """Former path to present path, from aliases and ``redirects.txt``."""
    withdrawn: tuple[Withdrawn, ...]
    changes: tuple[Change, ...]
    """Newest first."""
    as_of: datetime
    """The newest record date: the only "now" that public bytes may know."""
    observations: Mapping[str, Observation] = field(default_factory=dict)
    """What the last check found of each source that was checked, by its normalised address."""
    static: Mapping[str, bytes] = field(default_factory=dict)
    """Files passed through, by public path."""
    images: Mapping[str, Size] = field(default_factory=dict)
    """Images among them whose size is known, by public path."""
    templates: Mapping[str, str] = field(default_factory=dict)
    """Template overrides by name."""
    listed: frozenset[str] | None = None
    """What ``filled`` is where the records themselves are not at hand."""
    next_moment: datetime | None = None
    """When a scheduled record appears or expires next, if ever."""
    _filled: list[frozenset[str]] = field(default_factory=list, init=False, repr=False, compare=False)
    exported: bool = False
    """Whether it becomes files for a host that runs nothing, which then must not speak of what only a service does."""

    @property
    def filled(self) -> frozenset[str]:
        """Names of kinds and registries that hold anything, and what there is of datasets, tags, sources, contents."""
        if not self._filled:
            self._filled.append(self._list_filled() if self.listed is None else self.listed)
        return self._filled[0]

    def _list_filled(self) -> frozenset[str]:
        named = {**self.collections, **self.registered, "datasets": self.datasets, "sources": self.origins}
        filled = frozenset(name for name, members in named.items() if members)
        filled |= self.pages.keys() & {CONTENTS}
        return filled | {"tags"} if any(entry.head.tags for entry in self.entries.values()) else filled

    def entry(self, id: str) -> Entry | None:  # noqa: A002
        """The record of this id, if published."""
        return self.entries.get(id)
