"""The neutral pages of revisions, made from what an edition stores of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from citepress.base.ids import canonical_path, revision_path, twin
from citepress.base.text import bounded
from citepress.base.timestamps import rfc3339
from citepress.contract.citation import citation_of
from citepress.contract.kind import Kind
from citepress.contract.page import INTERFACE, Block, Fact, Facts, Item, Items, Link, Notice, Page, Prose, Table
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.memento import ListedRevision
from citepress.edition.render_context import RenderContext
from citepress.edition.revisions.models import RevisionDocument, RevisionHistory, RevisionItem
from citepress.edition.revisions.record import Stored, as_published
from citepress.kinds.parts import dated_link, words
from citepress.kinds.record_head import authors
from citepress.kinds.record_page import content_blocks, topic_links

TEMPLATE = "revision"
BODY = "body_markdown"
MAX_SHOWN_REVISIONS = 200
"""Revisions that a history shows to people; all of them are in its JSON twin."""
MAX_TEXT_CHARS = 200_000
"""Characters of a text that the page of a revision shows; it is rendered for each request."""
_ELSEWHERE = frozenset({"title", "summary", BODY, "language", "license", "published_at", "updated_at", "slug"})
"""Members that a page of a revision shows at a place of their own, or not at all."""
STAYS = "This revision stays as it is. The record itself always shows the newest one."
UNREADABLE = "The kind of this record has changed since; its members are shown as they were written."
_LABELS = {BODY: "Text", "license": "Licence", "doi": "DOI"}


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """A record and its revisions, as an edition stores them."""

    path: str
    """Path of its page."""
    rows: Sequence[ListedRevision]
    """Its revisions, oldest first."""
    context: RenderContext
    withdrawn: str = ""
    """When and why it was withdrawn; empty for a record that stands."""
    successor: str = ""
    """Path of what replaces one that was withdrawn, or empty."""

    @property
    def kind(self) -> Kind:
        """The kind of the record."""
        name = canonical_path(self.path).partition("/")[0]
        return next(kind for kind in self.context.archive.kinds if kind.name == name)

    @property
    def history(self) -> str:
        """Path of its history."""
        return f"{self.path}history/"

    @property
    def versions(self) -> dict[str, str]:
        """Paths by relation from a revision or comparison to the others (RFC 5829)."""
        return {"version-history": self.history, **self.latest}

    @property
    def latest(self) -> dict[str, str]:
        """The path of the record as it is now, by relation; of a withdrawn one that of what replaces it."""
        if not self.withdrawn:
            return {"latest-version": self.path}
        return {"successor-version": self.successor} if self.successor else {}

    def notice(self, says: str, leads: str = "") -> Iterator[Block]:
        """What has to be seen first: that the record was withdrawn, or else what a page ``says`` of itself."""
        if self.withdrawn:
            yield Notice("withdrawn", "", self.withdrawn, self.successor)
        elif says:
            yield Notice("revision", "", says, leads, text_language=INTERFACE)

    def item(self, row: ListedRevision) -> dict[str, Any]:
        """The members of a revision in a list."""
        path, url = revision_path(self.path, row.number), self.context.url
        return {
            "revision": row.number,
            "since": row.moment,
            "title": row.title,
            "notes": row.notes,
            "credits": row.credits,
            "digest": row.digest,
            "html_url": url(path),
            "markdown_url": url(twin(path, ".md")),
            "json_url": url(twin(path, ".json")),
        }

    def before(self, row: ListedRevision) -> int:
        """The number of the revision before one; 0 where none is kept."""
        return max((other.number for other in self.rows if other.number < row.number), default=0)

    def crumbs(self) -> tuple[Link, ...]:
        """The way to a page below the record."""
        kind = self.kind
        return Link("Home", "/"), Link(kind.plural, f"/{kind.name}/"), Link(self.rows[-1].title, self.path)


def comparison_path(page: str, former: int, later: int) -> str:
    """The path at which two revisions of a record are compared."""
    return f"{page}@{former}..{later}/"


def revision_page(record: ListedRecord, row: ListedRevision, written: Mapping[str, Any], stored: Stored) -> Page:
    """A record as it was published at one time; ``stored`` reads what the edition publishes."""
    before = record.before(row)
    former = revision_path(record.path, before) if before else ""
    path = revision_path(record.path, row.number)
    site = record.context.site
    language = written.get("language") or site.language
    text, whole = _bounded_text(str(written.get(BODY, "")))
    version = as_published(record.context.archive, record.path, {**written, BODY: text}, stored)
    blocks: list[Block] = [*record.notice(STAYS, record.path)]
    blocks += content_blocks(*version) if version else _written_blocks(record.kind, written, text)
    if not whole:
        words = "The text is cut; all of it is in the JSON twin."
        blocks.append(Notice("more", "", words, twin(path, ".json"), text_language=INTERFACE))
    blocks.append(_about(record, row, written))
    url, id_ = record.context.url, canonical_path(record.path)
    document = RevisionDocument.model_construct(
        **record.item(row),
        schema_version=SCHEMA_VERSION,
        id=id_,
        kind=record.kind.name,
        slug=id_.partition("/")[2],
        canonical_url=url(record.path),
        history_url=url(record.history),
        predecessor_url=url(former) if former else None,
        withdrawn=record.withdrawn or None,
        written=dict(written),
    )
    return Page(
        path,
        f"{row.title}, revision {row.number}",
        str(written.get("summary", "")),
        tuple(blocks),
        label=f"{record.kind.singular}, revision {row.number}",
        template=TEMPLATE,
        published=_moment(written.get("published_at")),
        updated=row.moment,
        language=language,
        license=written.get("license") or site.license,
        crumbs=record.crumbs()[:2],
        topics=topic_links(*version) if version else (),
        authors=authors(version[0]) if version else (),
        standing=version[0].kind.standing(version[0].record) if version else (),
        data=document,
        links={**record.versions, **({"predecessor-version": former} if former else {})},
        indexed=False,
    )


def _bounded_text(text: str) -> tuple[str, bool]:
    """The text as far as a page shows it, up to the end of a line; and whether that is all of it."""
    if len(text) <= MAX_TEXT_CHARS:
        return text, True
    return text[: text.rfind("\n", 0, MAX_TEXT_CHARS) + 1] or text[:MAX_TEXT_CHARS], False


def history_page(record: ListedRecord) -> Page:
    """The revisions of a record, the newest first."""
    newest_first, url = record.rows[::-1], record.context.url
    blocks: list[Block] = [*record.notice(""), _history_table(record, newest_first[:MAX_SHOWN_REVISIONS])]
    if len(newest_first) > MAX_SHOWN_REVISIONS:
        rest = f"{len(newest_first) - MAX_SHOWN_REVISIONS} more are in the JSON twin."
        blocks.append(Notice("more", "", rest, twin(record.history, ".json")))
    title = newest_first[0].title
    document = RevisionHistory.model_construct(
        schema_version=SCHEMA_VERSION,
        id=canonical_path(record.path),
        title=title,
        canonical_url=url(record.path),
        timemap_url=url(twin(record.history, ".link")),
        count=len(newest_first),
        withdrawn=record.withdrawn or None,
        items=[RevisionItem.model_construct(**record.item(row)) for row in newest_first],
    )
    return Page(
        record.history,
        f"History of {title}",
        "Every revision that is kept, the newest first. Each has an address at which it stays as it is.",
        tuple(blocks),
        label="History",
        template=TEMPLATE,
        updated=newest_first[0].moment,
        crumbs=record.crumbs(),
        data=document,
        links=record.latest,
        indexed=False,
    )


def _history_table(record: ListedRecord, rows: Sequence[ListedRevision]) -> Table:
    """A row for each revision, without the columns that would say nothing: empty ones, and a headline that stayed."""
    columns: dict[str, tuple[Link, ...]] = {
        "Revision": tuple(Link(str(row.number), revision_path(record.path, row.number)) for row in rows),
        "Since": tuple(Link(rfc3339(row.moment), spoken=True) for row in rows),
    }
    if len({row.title for row in rows}) > 1:
        columns["Headline"] = tuple(Link(row.title) for row in rows)
    columns["Note"] = tuple(Link(bounded(" ".join(row.notes), 1000)) for row in rows)
    columns["Credit"] = tuple(Link(", ".join(row.credits)) for row in rows)
    if record.context.served:
        columns["Changes"] = tuple(_changes_link(record, row) for row in rows)
    shown = {name: cells for name, cells in columns.items() if any(cell.text for cell in cells)}
    return Table("revisions", "Revisions", tuple(shown), tuple(zip(*shown.values(), strict=True)))


def _changes_link(record: ListedRecord, row: ListedRevision) -> Link:
    before = record.before(row)
    return Link(f"since {before}", comparison_path(record.path, before, row.number)) if before else Link("")


def _about(record: ListedRecord, row: ListedRevision, written: Mapping[str, Any]) -> Block:
    publisher = record.context.publisher
    cited = {
        **written,
        "authors": written.get("authors") or [author.model_dump() for author in record.context.site.authors],
        "id": canonical_path(record.path),
        "canonical_url": record.context.url(record.path),
        "revision": row.number,
        "revision_url": record.context.url(revision_path(record.path, row.number)),
        "revised_at": row.moment,
        "language": written.get("language") or "",
        "license": written.get("license") or record.context.site.license,
    }
    before = record.before(row) if record.context.served else 0
    compare = comparison_path(record.path, before, row.number)
    rows = [
        ("Record", Link(canonical_path(record.path), record.path)),
        ("Published as this", Link(rfc3339(row.moment), spoken=True)),
        *(("Note", Link(note)) for note in row.notes),
        *(("Credit", Link(name)) for name in row.credits),
        ("Last changed", dated_link(_moment(written.get("updated_at")) or row.moment)),
        ("Licence", Link(cited["license"])),
        ("Cite as", Link(citation_of(cited, publisher).line)),
        ("Digest", Link(row.digest)),
        *((("Changes", Link("since the revision before", compare)),) if before else ()),
        ("History", Link("every revision", record.history)),
    ]
    about = tuple(Fact(label, (value,)) for label, value in rows)
    return Facts("about", "About this revision", about, text_language=INTERFACE)


def _written_blocks(kind: Kind, written: Mapping[str, Any], text: str) -> Iterator[Block]:
    """What was written, where the kind cannot read it any more: the text, and the members by their names."""
    yield Notice("members", "", UNREADABLE, text_language=INTERFACE)
    if text.strip():
        yield Prose("text", "", text)
    yield from _members(kind, written)


def _members(kind: Kind, written: Mapping[str, Any]) -> Iterator[Block]:
    """The further members that the author wrote, in the order of the kind."""
    for name in (name for name in kind.record.model_fields if name in written and name not in _ELSEWHERE):
        value = written[name]
        values = value if isinstance(value, list) else [value]
        items = tuple(Item(line) for part in values if (line := value_line(part)))
        if items:
            yield Items(name.replace("_", "-"), member_label(name), items)


def value_line(value: object) -> str:
    """A value as a line of words."""
    if isinstance(value, dict):
        return "; ".join(f"{words(name)}: {line}" for name, part in value.items() if (line := value_line(part)))
    if isinstance(value, list):
        return ", ".join(filter(None, map(value_line, value)))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value).removesuffix("T00:00:00Z")


def member_label(name: str) -> str:
    """A member as people read it."""
    return _LABELS.get(name) or words(name).capitalize()


def _moment(value: object) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None
