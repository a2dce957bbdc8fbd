"""What changed between two revisions: for people part by part of the page, as data by member."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from citepress.base.ids import canonical_path, revision_path
from citepress.base.timestamps import day
from citepress.contract.page import (
    INTERFACE,
    Block,
    Fact,
    Facts,
    Item,
    Items,
    Link,
    Notice,
    Page,
    Prose,
    SourceItem,
    Sources,
)
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.forms.markdown import block_markdown
from citepress.edition.memento import ListedRevision
from citepress.edition.prose.absolute import placing
from citepress.edition.prose.markdown_escape import text
from citepress.edition.revisions.comparison import compared
from citepress.edition.revisions.models import MemberComparison, RevisionComparison, RevisionItem, WordOperation
from citepress.edition.revisions.pages import TEMPLATE, ListedRecord, comparison_path, member_label, value_line
from citepress.edition.revisions.plain_text import plain_text
from citepress.edition.revisions.record import Stored, as_published
from citepress.kinds.parts import facts
from citepress.kinds.record_page import content_blocks

NEAR = 160
"""Characters that a comparison shows of equal words, on either side of what changed."""
MARKED = 2_000
"""Lines and runs of a changed member that a comparison marks for people; all of them are in its JSON twin."""
_MARKS = {"delete": "del", "insert": "ins"}
_VISIBLE = str.maketrans({" ": "\u00b7", "\t": "\u2192"})
"""Spaces and tabs as editors show them."""
_INDENTATION = str.maketrans({" ": "\u00a0", "\t": "\u00a0" * 4})
_ABOUT = ("title", "summary", "topics", "tags", "authors", "language", "license", "doi")
"""Members that a page of a record shows around its blocks."""


def comparison_page(
    record: ListedRecord,
    pair: tuple[ListedRevision, ListedRevision],
    documents: tuple[Mapping[str, Any], Mapping[str, Any]],
    stored: Stored,
) -> Page:
    """What changed in a record between two revisions: for people part by part of its page, as data by member."""
    former, later = pair
    changes = compared(*documents)
    ends = [
        Link(f"Revision {row.number} of {day(row.moment)}", revision_path(record.path, row.number), spoken=True)
        for row in pair
    ]
    language = documents[1].get("language") or record.context.site.language
    parts = list(_differences(record, documents, changes, stored, language))
    names = tuple(Link(part.title, language=INTERFACE) for part in parts)
    between = facts(Fact("From", (ends[0],)), Fact("To", (ends[1],)), Fact("What differs", names))
    blocks: list[Block] = [*record.notice(""), Facts("between", "Compared", between), *parts]
    if not changes:
        blocks.append(Notice("equal", "", "Both say the same."))
    document = RevisionComparison.model_construct(
        schema_version=SCHEMA_VERSION,
        id=canonical_path(record.path),
        former=RevisionItem.model_construct(**record.item(former)),
        later=RevisionItem.model_construct(**record.item(later)),
        canonical_url=record.context.url(record.path),
        count=len(changes),
        withdrawn=record.withdrawn or None,
        changes=changes,
    )
    return Page(
        comparison_path(record.path, former.number, later.number),
        f"{later.title}: revisions {former.number} and {later.number} compared",
        "Words that went are struck through, words that came are underlined; long equal passages are cut. Spaces that"
        " alone came or went are dots.",
        tuple(blocks),
        label="Comparison",
        template=TEMPLATE,
        updated=later.moment,
        crumbs=record.crumbs()[:2],
        data=document,
        links=record.versions,
        indexed=False,
    )


def _differences(
    record: ListedRecord,
    documents: tuple[Mapping[str, Any], Mapping[str, Any]],
    changes: Sequence[MemberComparison],
    stored: Stored,
    language: str,
) -> Iterator[Block]:
    """The parts of the page that differ; the members, where no page shows what changed in them."""
    titles: dict[str, str] = {}
    was, becomes = (_parts(record, written, stored, titles) for written in documents)
    shown = compared(was, becomes) if was and becomes else []
    if not shown:
        names = [change.member for change in changes]
        titles = {name: member_label(name) for name in names}
        shown = compared(*({name: _words_of(written.get(name)) for name in names} for written in documents))
    return (_difference(change, titles[change.member], language) for change in shown or changes)


def _words_of(value: object) -> str:
    """A member in words, a line for each of its entries; ids name an entry only to programs."""
    entries = value if isinstance(value, list) else [value]
    said = ({name: part for name, part in e.items() if name != "id"} if isinstance(e, dict) else e for e in entries)
    return "\n".join(filter(None, map(value_line, said)))


def _parts(
    record: ListedRecord, written: Mapping[str, Any], stored: Stored, titles: dict[str, str]
) -> Mapping[str, str]:
    """The words of each part of a page by its id; empty where today's kind cannot read the revision.

    ``titles`` takes the heading of each.
    """
    version = as_published(record.context.archive, record.path, written, stored)
    if version is None:
        return {}
    place = placing(record.context, record.path)
    titles |= {name: member_label(name) for name in _ABOUT}
    parts = {name: value_line(written.get(name)) for name in _ABOUT}
    for block in content_blocks(*version):
        titles[block.id] = block.title or member_label(block.id)
        parts[block.id] = plain_text(block_markdown(_comparable(block), place))
    return parts


def _comparable(block: Block) -> Block:
    """A block without what follows from its place on a page: anchors, and numbers that other entries move."""
    if isinstance(block, Items):
        items = (
            replace(
                item, id="", sources=(), links=(*item.links, *(Link(mark.title, mark.url) for mark in item.sources))
            )
            for item in block.items
        )
        return replace(block, items=tuple(items), ordered=False)
    if isinstance(block, Sources):
        return Items(block.id, block.title, tuple(_source_item(source) for source in block.sources))
    return block


def _source_item(source: SourceItem) -> Item:
    about = ", ".join(filter(None, (source.publisher, source.role)))
    read = f"read {day(source.accessed)}" if source.accessed else ""
    return Item(", ".join(filter(None, (about, read))), source.published, source.url, source.title)


def _difference(change: MemberComparison, title: str, language: str) -> Block:
    operations = change.operations
    parts: list[str] = []
    left = MARKED
    for place, run in enumerate(operations):
        words = run.text
        if run.op == "equal":
            words = _cut(words, first=place == 0, last=place == len(operations) - 1)
        else:
            lines = words.split("\n", left)
            words = "\n".join(lines[:left])
            left -= len(lines)
        if run.op == "insert" and place and parts[-1].endswith("</del>"):
            parts.append(" ")  # what came is no part of the word that went
        parts.append(_marked(words, _MARKS.get(run.op, ""), spaces=_is_of_spaces(operations, place)))
        if left < 0:
            parts.append("\n\n[…] The rest is in the JSON twin.")
            break
    anchor = f"changed-{change.member.replace('_', '-')}"
    return Prose(anchor, title, "".join(parts), text_language=language)


def _cut(words: str, *, first: bool, last: bool) -> str:
    """Equal words near what changed."""
    if len(words) <= 3 * NEAR:
        return words
    head = "" if first else words[:NEAR].rpartition(" ")[0]
    tail = "" if last else words[-NEAR:].partition(" ")[2]
    return f"{head} […] {tail}"


def _is_of_spaces(operations: Sequence[WordOperation], place: int) -> bool:
    """Whether what went and what came in its place are the same words, further apart or nearer."""
    pairs = (operations[max(0, at) : at + 2] for at in (place - 1, place))
    return any(
        [run.op for run in pair] == ["delete", "insert"] and pair[0].text.split() == pair[1].text.split()
        for pair in pairs
    )


def _marked(words: str, tag: str, *, spaces: bool) -> str:
    """Words as Markdown that shows them as they are, each line marked; ``spaces`` are seen where asked."""
    lines = []
    for line in words.split("\n"):
        # Spaces that came or went alone would not be seen, and in code they are all that may differ.
        bare = line.translate(_VISIBLE) if tag and (spaces or not line.strip()) else line.strip()
        marked = f"<{tag}>{text(bare)}</{tag}>" if bare and tag else text(bare)
        begins = "" if bare != line.strip() else line[: len(line) - len(line.lstrip())]
        # Markdown drops the indentation of a line; within a line one space is one.
        indentation = begins.translate(_INDENTATION) if len(begins) > 1 else begins.replace("\t", " ")
        lines.append(f"{indentation}{marked}{' ' if line[-1:] == ' ' and bare else ''}")
    return "  \n".join(lines).replace("\n  \n", "\n\n")
