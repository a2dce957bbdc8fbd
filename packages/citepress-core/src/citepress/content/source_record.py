"""One Markdown file of a kind's folder as a checked draft."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from citepress.base.memo import Memo
from citepress.base.packed_values import FrameFile, Packed
from citepress.base.slugs import SLUG_LENGTH, is_slug, plain_letters, slugify
from citepress.content import links
from citepress.content.dialects import as_commonmark
from citepress.content.files import ContentFile, printable_path
from citepress.content.front import Withdrawal, front_model, front_of, own_fields
from citepress.content.front_mapping import front_mapping
from citepress.content.headings import first_title
from citepress.content.links import Inspected
from citepress.content.nesting import MAX_DEPTH, depth_passed_at
from citepress.content.open_text import BODY_BYTES, open_text
from citepress.content.parsed import Parsed
from citepress.content.placeholders import placeholder_faults
from citepress.content.rewritten import Rewritten
from citepress.content.source_content import PackedSource, SourceContent, SourceHead
from citepress.content.source_map import FrontMatter, SourceFile, split
from citepress.content.text import line_of
from citepress.contract.fault import (
    BAD_NAME,
    BAD_VALUE,
    IMAGE,
    NEUTRALISED,
    NO_NUGGET,
    SECOND_TITLE,
    TOO_DEEP,
    TOO_LARGE,
    Fault,
    Faults,
    Span,
)
from citepress.contract.kind import Kind
from citepress.contract.record import Fields, Front, Gone

T = TypeVar("T")
MAX_TEXT_FAULTS = 20
"""Warnings on the text of one file."""


class HasSource(Protocol):
    """A text with its file."""

    @property
    def source_file(self) -> SourceFile:
        """The file."""
        ...

    @property
    def body(self) -> str:
        """The text."""
        ...

    @property
    def body_line(self) -> int:
        """The line of the file on which it begins."""
        ...

    @property
    def inspected(self) -> Inspected:
        """Its links and raw HTML."""
        ...

    @property
    def rewritten(self) -> Rewritten | None:
        """How it differs from the text of the file; ``None`` where it does not."""
        ...


def in_body(written: HasSource, offset: int) -> Span:
    """The place in the file of a byte offset in a text."""
    body = written.body
    if written.rewritten:
        # Editors and carets count in the file, which does not hold the addresses that were put into the text.
        body, offset = written.rewritten.original, written.rewritten.original_offset(offset)
    line, column = links.place_in(body, offset)
    return Span(printable_path(written.source_file.file), written.body_line + line - 1, column, line_of(body, line))


@dataclass(frozen=True, slots=True, eq=False)
class SourceRecord:
    """A record as its author wrote it, checked by itself."""

    kind: Kind
    slug: str
    source_file: SourceFile
    head: SourceHead
    content: SourceContent | PackedSource = field(repr=False)
    plain: bool = False
    """Whether it is a note of a plain folder."""
    memo: Memo = field(default_factory=dict, repr=False)
    """Results that later stages derive from this record; they live as long as the record."""

    id: str = field(init=False)
    """``<collection>/<slug>``."""

    def __post_init__(self) -> None:
        """Name the draft once: it is asked for its name all the time."""
        object.__setattr__(self, "id", f"{self.kind.name}/{self.slug}")

    @classmethod
    def of(
        cls, kind: Kind, slug: str, source_file: SourceFile, content: SourceContent, *, plain: bool = False
    ) -> "SourceRecord":
        """The record of a file's content."""
        return cls(kind, slug, source_file, SourceHead.of(content.front), content, plain)

    def packed(self) -> "SourceRecord":
        """Itself, with its content packed."""
        content = PackedSource(self.kind, self.content.opened())
        return SourceRecord(self.kind, self.slug, self.source_file, self.head, content, self.plain, self.memo)

    def move(self, frames: FrameFile | None) -> None:
        """Keep what is packed of it in this file, where there is one."""
        if frames and isinstance(self.content, PackedSource):
            self.content.move(frames)
            for name, result in self.memo.items():
                if isinstance(result, Packed):
                    result.move(frames)
                elif isinstance(result, bytes):
                    self.memo[name] = frames.add(result)

    def with_front(self, front: Front) -> "SourceRecord":
        """The record with another front matter, packed."""
        content = PackedSource(self.kind, self.content.opened()._replace(front=front))
        return replace(self, head=SourceHead.of(front), content=content, memo={})

    @property
    def file(self) -> str:
        """Path relative to the content folder."""
        return self.source_file.file

    @property
    def front(self) -> Front:
        """Its front matter."""
        return self.content.opened().front

    @property
    def body(self) -> str:
        """Its text."""
        return self.content.opened().body

    @property
    def body_line(self) -> int:
        """The line of the file on which the text begins."""
        return self.content.opened().body_line

    @property
    def inspected(self) -> Inspected:
        """The links and the raw HTML of its text."""
        return self.content.opened().inspected

    @property
    def rewritten(self) -> Rewritten | None:
        """How the text differs from that of its file; ``None`` where it does not."""
        return self.content.opened().rewritten

    @property
    def fields(self) -> Fields:
        """The kind's own members, as written."""
        return own_fields(self.kind, self.front.__dict__)

    def locate(self, location: tuple[str | int, ...], *, key: bool = False) -> Span:
        """The place of a front-matter value, or of its key."""
        return self.source_file.locate(location, key=key)


@dataclass(frozen=True, slots=True, eq=False)
class FaultyRecord:
    """The name and the text of a record whose front matter has faults: its links are checked all the same."""

    id: str
    """``<collection>/<slug>``."""
    source_file: SourceFile
    body: str
    body_line: int
    inspected: Inspected
    rewritten: Rewritten | None = None


def unread_record(root: Path, file: ContentFile, id_: str) -> FaultyRecord:
    """The name alone of a file that cannot be read, so that what refers to it is not at fault too."""
    return FaultyRecord(id_, SourceFile(root, file.path), "", 1, links.inspect(""))


@dataclass(frozen=True, slots=True, eq=False)
class Tombstone:
    """A record that was taken back."""

    kind: Kind
    slug: str
    source_file: SourceFile
    title: str
    moment: datetime | None
    reason: str
    successor: str
    """As written."""
    aliases: tuple[str, ...]
    keep_revisions: bool | None
    """Whether its revisions can still be read; ``None`` where that is as the site has it."""

    @classmethod
    def expired(cls, record: SourceRecord, moment: datetime) -> "Tombstone":
        """The end of a record whose expiry date has passed: its author set a term to every word of it."""
        head = record.head
        return cls(record.kind, record.slug, record.source_file, head.title, moment, "", "", head.aliases, False)

    @property
    def id(self) -> str:
        """``<collection>/<slug>``."""
        return f"{self.kind.name}/{self.slug}"


def parse(root: Path, file: ContentFile, kind: Kind) -> Parsed[SourceRecord | Tombstone | FaultyRecord]:
    """The record of a file, its withdrawal, or its text where the front matter has faults.

    Raises ``Faults`` where there is no text to be read.
    """
    source_file = SourceFile(root, file.path)
    matter = split(open_text(root, file))
    id_ = f"{kind.name}/{file.name.removesuffix('.md')}"
    return or_text(partial(_parsed, file, source_file, kind, matter), id_, source_file, matter)


def or_text(
    read: Callable[[], Parsed[T]], id_: str, source_file: SourceFile, matter: FrontMatter
) -> Parsed[T | FaultyRecord]:
    """What a reader makes of a file, or its text alone where the front matter has faults.

    Raises ``Faults`` where it cannot be told where the text begins.
    """
    try:
        return read()
    except Faults as raised:
        if matter.front is None or not matter.closed or len(matter.body.encode()) > BODY_BYTES:
            raise
        text = FaultyRecord(id_, source_file, matter.body, matter.body_line, links.inspect(matter.body))
        return Parsed(text, tuple(dict.fromkeys((*raised.faults, *nesting_faults(text), *text_warnings(text)))))


def _parsed(
    file: ContentFile, source_file: SourceFile, kind: Kind, matter: FrontMatter
) -> Parsed[SourceRecord | Tombstone]:
    name = file.name.removesuffix(".md")
    raw = front_mapping(source_file, matter)
    if not raw.get("slug"):
        check_name(file, name)
    if raw.get("gone"):
        return Parsed(tombstone(source_file, kind, name, raw))
    front = front_of(front_model(kind), raw, source_file)
    text = as_commonmark(matter.body)
    published = replace(matter, body=text.text) if text.edits else matter
    record = source_record(source_file, kind, front.slug or name, front, published, text if text.edits else None)
    unwritten = () if front.draft else placeholder_faults(raw, source_file, matter, "write it, or keep `draft: true`")
    warnings = [*_without_nugget(record), *text_warnings(record)]
    if (at := first_title(record.body)) >= 0:
        hint = "begin the headings of the text with ##"
        place = in_body(record, at)
        warnings.append(Fault.at(SECOND_TITLE, place, "the title is the heading of level 1 already", hint))
    return Parsed(record.packed(), (*unwritten, *warnings))


def _without_nugget(record: SourceRecord) -> Iterator[Fault]:
    name = record.kind.nugget
    if name and getattr(record.front, name) is None and not record.front.draft:
        hint = "write one to three sentences to quote that make sense on their own"
        yield Fault.at(NO_NUGGET, record.locate(()), f"{name} is left out; the summary is used", hint)


def source_record(
    source_file: SourceFile,
    kind: Kind,
    slug: str,
    front: Front,
    matter: FrontMatter,
    rewritten: Rewritten | None = None,
    *,
    plain: bool = False,
) -> SourceRecord:
    """The record of a valid front matter. Raises ``Faults`` on its slug and on a text that is too long or too deep."""
    body = matter.body
    if len(body.encode()) > BODY_BYTES:
        message = f"the text has over {BODY_BYTES:,} bytes"
        raise Faults([Fault.at(TOO_LARGE, Span(printable_path(source_file.file)), message)])
    content = SourceContent(front, body, matter.body_line, links.inspect(body), rewritten)
    record = SourceRecord.of(kind, slug, source_file, content, plain=plain)
    if not is_slug(slug):
        raise Faults([_slug_fault(slug, source_file)])
    refuse_deep_text(record)
    return record


def check_name(file: ContentFile, name: str) -> None:
    """Raise ``Faults`` where a file name cannot be a slug."""
    if is_slug(name):
        return
    better = slugify(plain_letters(name))
    about = (
        f"is longer than {SLUG_LENGTH} characters"
        if len(name) > SLUG_LENGTH
        else "is not a slug: lower-case words joined by hyphens"
    )
    hint = f"rename it to {better}.md" if better else "name it in lower-case letters and digits, or write `slug:`"
    raise Faults(
        [Fault.at(BAD_NAME, Span(printable_path(file.path)), f"the name {printable_path(file.name)!r} {about}", hint)]
    )


def nesting_faults(written: HasSource) -> list[Fault]:
    """Where a text becomes too deep; nothing for one that does not."""
    # Most texts are far from the limit: those alone that may pass it are parsed again, as they are published.
    at = depth_passed_at(written.body) if written.inspected.depth > MAX_DEPTH else -1
    if at < 0:
        return []
    place = in_body(written, len(written.body[:at].encode()))
    hint = "close what is opened, or take block quotes, lists or HTML away"
    return [Fault.at(TOO_DEEP, place, f"the text is nested deeper than {MAX_DEPTH} levels", hint)]


def refuse_deep_text(written: HasSource) -> None:
    """Raise ``Faults`` where a text is too deep."""
    if faults := nesting_faults(written):
        raise Faults(faults)


def text_warnings(written: HasSource) -> list[Fault]:
    """What no form will pass through."""
    warnings = [
        Fault.at(NEUTRALISED, in_body(written, at), reason, "write it as Markdown")
        for at, reason in written.inspected.raw[:MAX_TEXT_FAULTS]
    ]
    warnings += [
        Fault.at(
            NEUTRALISED,
            in_body(written, link.offset),
            f"the link to {link.href[:40]!r} is made harmless",
            "link to an http address",
        )
        for link in written.inspected.unsafe[:MAX_TEXT_FAULTS]
    ]
    mute = [link for link in (*written.inspected.links, *written.inspected.unsafe) if link.alt == ""]
    warnings += [
        Fault.at(
            IMAGE,
            in_body(written, link.offset),
            "the image has no alternative text",
            "write what it shows: ![what it shows](…)",
        )
        for link in mute[:MAX_TEXT_FAULTS]
    ]
    return warnings


def _slug_fault(slug: str, source_file: SourceFile) -> Fault:
    hint = f"write {slugify(slug) or 'words-joined-by-hyphens'}"
    return Fault.at(BAD_VALUE, source_file.locate(("slug",)), f"slug: {slug!r} is not a slug", hint)


def tombstone(source_file: SourceFile, kind: Kind, name: str, raw: dict[str, object]) -> Tombstone:
    """The withdrawal of a record; ``name`` is its slug where the front matter has none. Raises ``Faults``."""
    front = front_of(Withdrawal, raw, source_file)
    slug = front.slug or name
    if not is_slug(slug):
        raise Faults([_slug_fault(slug, source_file)])
    gone = front.gone if isinstance(front.gone, Gone) else Gone()
    return Tombstone(
        kind,
        slug,
        source_file,
        front.title,
        gone.date or front.lastmod or front.date,
        gone.reason or "",
        gone.successor or "",
        tuple(front.aliases),
        gone.keep_revisions,
    )
