"""The neutral pages of revisions, made from what an edition stores of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from citepress.base.ids import canonical_path, revision_path, twin
from citepress.base.text import bounded
from citepress.base.timestamps import day, rfc3339
from citepress.contract.citation import citation_of
from citepress.contract.kind import Kind
from citepress.contract.page import INTERFACE, Block, Fact, Facts, Item, Items, Link, Notice, Page, Prose, Table
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.forms.markdown_escape import text
from citepress.edition.memento import ListedRevision
from citepress.edition.render_context import RenderContext
from citepress.edition.revisions.comparison import compared
from citepress.edition.revisions.models import (
    MemberComparison,
    RevisionComparison,
    RevisionDocument,
    RevisionHistory,
    RevisionItem,
)
from citepress.kinds.parts import dated_link, words

TEMPLATE = "revision"
BODY = "body_markdown"
SHOWN = 200
"""Revisions that a history shows to people; all of them are in its JSON twin."""
NEAR = 160
"""Characters that a comparison shows of equal words, on either side of what changed."""
TEXT = 200_000
"""Characters of a text that the page of a revision shows; it is rendered for each request."""
MARKED = 2_000
"""Lines and runs of a changed member that a comparison marks for people; all of them are in its JSON twin."""
_ELSEWHERE = frozenset({"title", "summary", BODY, "language", "license", "published_at", "updated_at", "slug"})
"""Members that a page of a revision shows at a place of their own, or not at all."""
_MARKS = {"delete": "del", "insert": "ins"}


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """A record and its revisions, as an edition stores them."""

    path: str
    """Path of its page."""
    rows: Sequence[ListedRevision]
    """Its revisions, oldest first."""
    context: RenderContext

    @property
    def kind(self) -> Kind:
        """The kind of the record."""
        name = canonical_path(self.path).partition("/")[0]
        return next(kind for kind in self.context.archive.kinds if kind.name == name)

    @property
    def history(self) -> str:
        """Path of its history."""
        return f"{self.path}history/"

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


def revision_page(record: ListedRecord, row: ListedRevision, written: Mapping[str, Any]) -> Page:
    """A record as it was published at one time."""
    before = record.before(row)
    former = revision_path(record.path, before) if before else ""
    path = revision_path(record.path, row.number)
    site = record.context.site
    language = written.get("language") or site.language
    notice = "This revision stays as it is. The record itself always shows the newest one."
    blocks: list[Block] = [Notice("revision", "", notice, record.path, text_language=INTERFACE)]
    text, whole = _bounded_text(str(written.get(BODY, "")))
    if text.strip():
        blocks.append(Prose("text", "", text))
    if not whole:
        words = "The text goes on; all of it is in the JSON twin."
        blocks.append(Notice("more", "", words, twin(path, ".json"), text_language=INTERFACE))
    blocks += _members(record.kind, written)
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
        data=document,
        links={
            "latest-version": record.path,
            "version-history": record.history,
            **({"predecessor-version": former} if former else {}),
        },
        indexed=False,
    )


def _bounded_text(text: str) -> tuple[str, bool]:
    """The text as far as a page shows it, up to the end of a line; and whether that is all of it."""
    if len(text) <= TEXT:
        return text, True
    return text[: text.rfind("\n", 0, TEXT) + 1] or text[:TEXT], False


def history_page(record: ListedRecord) -> Page:
    """The revisions of a record, the newest first."""
    newest_first, url = record.rows[::-1], record.context.url
    columns = ("Revision", "Since", "Headline", "Note", "Credit", "Changes")
    shown = columns if record.context.served else columns[:-1]
    rows = tuple(_history_row(record, row)[: len(shown)] for row in newest_first[:SHOWN])
    blocks: list[Block] = [Table("revisions", "Revisions", shown, rows)]
    if len(newest_first) > SHOWN:
        rest = f"{len(newest_first) - SHOWN} more are in the JSON twin."
        blocks.append(Notice("more", "", rest, twin(record.history, ".json")))
    title = newest_first[0].title
    document = RevisionHistory.model_construct(
        schema_version=SCHEMA_VERSION,
        id=canonical_path(record.path),
        title=title,
        canonical_url=url(record.path),
        timemap_url=url(twin(record.history, ".link")),
        count=len(newest_first),
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
        links={"latest-version": record.path},
        indexed=False,
    )


def comparison_page(
    record: ListedRecord,
    pair: tuple[ListedRevision, ListedRevision],
    documents: tuple[Mapping[str, Any], Mapping[str, Any]],
) -> Page:
    """What changed in a record between two revisions."""
    former, later = pair
    changes = compared(*documents)
    ends = [
        Link(f"Revision {row.number} of {day(row.moment)}", revision_path(record.path, row.number), spoken=True)
        for row in pair
    ]
    language = documents[1].get("language") or record.context.site.language
    blocks: list[Block] = [Facts("between", "Compared", (Fact("From", (ends[0],)), Fact("To", (ends[1],))))]
    blocks += [_difference(change, language) for change in changes]
    if not changes:
        blocks.append(Notice("equal", "", "Both say the same."))
    document = RevisionComparison.model_construct(
        schema_version=SCHEMA_VERSION,
        id=canonical_path(record.path),
        former=RevisionItem.model_construct(**record.item(former)),
        later=RevisionItem.model_construct(**record.item(later)),
        canonical_url=record.context.url(record.path),
        count=len(changes),
        changes=changes,
    )
    return Page(
        comparison_path(record.path, former.number, later.number),
        f"{later.title}: revisions {former.number} and {later.number} compared",
        "Words that went are struck through, words that came are underlined; long equal passages are cut.",
        tuple(blocks),
        label="Comparison",
        template=TEMPLATE,
        updated=later.moment,
        crumbs=record.crumbs()[:2],
        data=document,
        links={"latest-version": record.path, "version-history": record.history},
        indexed=False,
    )


def _history_row(record: ListedRecord, row: ListedRevision) -> tuple[Link, ...]:
    before = record.before(row)
    compare = Link(f"since {before}", comparison_path(record.path, before, row.number)) if before else Link("")
    return (
        Link(str(row.number), revision_path(record.path, row.number)),
        Link(rfc3339(row.moment), spoken=True),
        Link(row.title),
        Link(bounded(" ".join(row.notes), 1000)),
        Link(", ".join(row.credits)),
        compare,
    )


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
    facts = tuple(Fact(label, (value,)) for label, value in rows)
    return Facts("about", "About this revision", facts, text_language=INTERFACE)


def _members(kind: Kind, written: Mapping[str, Any]) -> Iterator[Block]:
    """The further members that the author wrote, in the order of the kind."""
    for name in (name for name in kind.record.model_fields if name in written and name not in _ELSEWHERE):
        value = written[name]
        values = value if isinstance(value, list) else [value]
        items = tuple(Item(said) for part in values if (said := _said(part)))
        if items:
            yield Items(name.replace("_", "-"), words(name).capitalize(), items)


def _said(value: object) -> str:
    """A value as a line of words."""
    if isinstance(value, dict):
        return "; ".join(f"{words(name)}: {said}" for name, part in value.items() if (said := _said(part)))
    if isinstance(value, list):
        return ", ".join(filter(None, map(_said, value)))
    return "" if value is None else str(value)


def _difference(change: MemberComparison, language: str) -> Block:
    name = "text" if change.member == BODY else words(change.member)
    operations = change.operations
    parts: list[str] = []
    left = MARKED
    for place, run in enumerate(operations):
        said = run.text
        if run.op == "equal":
            said = _cut(said, first=place == 0, last=place == len(operations) - 1)
        else:
            lines = said.split("\n", left)
            said = "\n".join(lines[:left])
            left -= len(lines)
        parts.append(_marked(said, _MARKS.get(run.op, "")))
        if left < 0:
            parts.append("\n\n[…] The rest is in the JSON twin.")
            break
    anchor = f"changed-{change.member.replace('_', '-')}"
    return Prose(anchor, name.capitalize(), "".join(parts), text_language=language)


def _cut(said: str, *, first: bool, last: bool) -> str:
    """Equal words near what changed."""
    if len(said) <= 3 * NEAR:
        return said
    head = "" if first else said[:NEAR].rpartition(" ")[0]
    tail = "" if last else said[-NEAR:].partition(" ")[2]
    return f"{head} […] {tail}"


def _marked(said: str, tag: str) -> str:
    """Words as Markdown that shows them as they are, line by line, each line marked."""
    lines = []
    for line in said.split("\n"):
        bare = line.strip()
        marked = f"<{tag}>{text(bare)}</{tag}>" if bare and tag else text(bare)
        lines.append(f"{' ' if line[:1] == ' ' else ''}{marked}{' ' if line[-1:] == ' ' and bare else ''}")
    return "  \n".join(lines).replace("\n  \n", "\n\n")


def _moment(value: object) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None
