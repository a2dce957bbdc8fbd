"""One Markdown file of a kind's folder as a checked draft."""

import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from citepress.base.ids import SLUG_LENGTH, is_slug, slugify
from citepress.content import files, links
from citepress.content.files import ContentFile, shown
from citepress.content.front import Withdrawal, front_model, own_fields, validated
from citepress.content.links import Inspected
from citepress.content.source_map import YAML, FrontMatter, FrontMatterFormat, SourceFile, split
from citepress.content.text import TextFault, decode, line_of
from citepress.content.validation_messages import SLIPS
from citepress.content.value_marks import NODES, ParseFault
from citepress.contract.fault import BAD_NAME, BAD_VALUE, BAD_YAML, IMAGE, NEUTRALISED, NO_FRONT_MATTER, NOT_UTF8, TOO_LARGE, Fault, Span
from citepress.contract.kind import Kind
from citepress.contract.record import Fields, Front, Gone

FRONT_BYTES = 262_144
BODY_BYTES = 2_097_152
TOLD = 20
"""Warnings on the text of one file."""


class HasSource(Protocol):
    """A text with the file that it stands in."""

    @property
    def manuscript(self) -> SourceFile:
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
        """What it holds beside words."""
        ...


def in_body(written: HasSource, offset: int) -> Span:
    """The place of a byte offset in a text."""
    line, column = links.place_in(written.body, offset)
    return Span(shown(written.manuscript.file), written.body_line + line - 1, column, line_of(written.body, line))


@dataclass(frozen=True, slots=True, eq=False)
class SourceRecord:
    """A record as its author wrote it, checked by itself."""

    kind: Kind
    slug: str
    manuscript: SourceFile
    front: Any
    """An instance of ``front.front_model(kind)``: a ``Front`` that holds the kind's own members too."""
    body: str
    body_line: int
    inspected: Inspected
    memo: dict[str, Any] = field(default_factory=dict, repr=False)
    """What later rooms work out from this draft; it lives as long as the draft."""

    id: str = field(init=False)
    """``<collection>/<slug>``."""

    def __post_init__(self) -> None:
        """Name the draft once: it is asked for its name all the time."""
        object.__setattr__(self, "id", f"{self.kind.name}/{self.slug}")

    @property
    def file(self) -> str:
        """Path relative to the content folder."""
        return self.manuscript.file

    @property
    def fields(self) -> Fields:
        """The kind's own members, as written."""
        return own_fields(self.kind, self.front.__dict__)

    def locate(self, location: tuple[str | int, ...], *, key: bool = False) -> Span:
        """The place of a front-matter value, or of its key."""
        return self.manuscript.locate(location, key=key)


@dataclass(frozen=True, slots=True, eq=False)
class Tombstone:
    """A record that was taken back."""

    kind: Kind
    slug: str
    manuscript: SourceFile
    title: str
    moment: datetime | None
    reason: str
    successor: str
    """As written."""
    aliases: tuple[str, ...]

    @property
    def id(self) -> str:
        """``<collection>/<slug>``."""
        return f"{self.kind.name}/{self.slug}"


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What became of one file."""

    draft: SourceRecord | None = None
    taken: Tombstone | None = None
    faults: tuple[Fault, ...] = ()


def parse(root: Path, file: ContentFile, kind: Kind) -> ParsedFile:
    """A draft, a withdrawal, or the faults of the file (and warnings beside a draft)."""
    manuscript = SourceFile(root, file.path)
    name = file.name.removesuffix(".md")
    opened = open_text(root, file)
    if isinstance(opened, Fault):
        return ParsedFile(faults=(opened,))
    matter = split(opened)
    raw = front_mapping(manuscript, matter)
    if isinstance(raw, Fault):
        return ParsedFile(faults=(raw,))
    if not raw.get("slug") and (fault := name_fault(file, name)):
        return ParsedFile(faults=(fault,))
    if raw.get("gone"):
        return _taken(manuscript, kind, name, raw)
    front = validated(front_model(kind), raw)
    if isinstance(front, tuple):
        return ParsedFile(faults=tuple(slip.fault(manuscript) for slip in front))
    return drafted(manuscript, kind, front.slug or name, front, matter)


def drafted(manuscript: SourceFile, kind: Kind, slug: str, front: Front, matter: FrontMatter) -> ParsedFile:
    """The draft of a valid front matter, with the faults that lie between its members and in its text."""
    if len(matter.body.encode()) > BODY_BYTES:
        return ParsedFile(faults=(Fault.at(TOO_LARGE, Span(shown(manuscript.file)), f"the text has over {BODY_BYTES:,} bytes"),))
    draft = SourceRecord(kind, slug, manuscript, front, matter.body, matter.body_line, links.inspect(matter.body))
    faults = _slug_faults(slug, manuscript)
    return ParsedFile(None if faults else draft, faults=(*faults, *text_warnings(draft)))


def name_fault(file: ContentFile, name: str) -> Fault | None:
    """The fault of a file name that can be no slug."""
    if is_slug(name):
        return None
    better = slugify(plain_letters(name))
    about = f"is longer than {SLUG_LENGTH} characters" if len(name) > SLUG_LENGTH else "is no slug: lower-case words joined by hyphens"
    hint = f"rename it to {better}.md" if better else "name it in lower-case letters and digits, or write `slug:`"
    return Fault.at(BAD_NAME, Span(shown(file.path)), f"the name {shown(file.name)!r} {about}", hint)


def plain_letters(text: str) -> str:
    """The text with letters in place of those that carry marks: ``unicode`` for ``ünïcode``."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def open_text(root: Path, file: ContentFile, limit: int = FRONT_BYTES + BODY_BYTES) -> str | Fault:
    """The text of a file, or the fault that keeps it from being read."""
    data = files.read(root, file, limit)
    if isinstance(data, Fault):
        return data
    try:
        return decode(data)
    except TextFault as error:
        line = data.split(b"\n")[error.line - 1 : error.line] or [b""]
        source = line[0][:400].decode("utf-8", "replace")
        return Fault.at(NOT_UTF8, Span(shown(file.path), error.line, error.column, source), error.message, "save the file as UTF-8 text")


def front_mapping(manuscript: SourceFile, matter: FrontMatter) -> dict[str, object] | Fault:
    """The members of a file's front matter, or the fault."""
    if matter.front is None:
        hint = "begin the file with a line ---, then `title: …`, then a line --- (TOML stands between lines of +++)"
        return Fault.at(NO_FRONT_MATTER, manuscript.at(1, 1), "there is no front matter", hint)
    if not matter.closed:
        return Fault.at(NO_FRONT_MATTER, manuscript.at(1, 1), "the front matter is not closed", f"end it with a line {matter.format.fence}")
    if len(matter.front.encode()) > FRONT_BYTES:
        return Fault.at(TOO_LARGE, Span(shown(manuscript.file), 1, 1), f"the front matter has over {FRONT_BYTES:,} bytes")
    return mapping(manuscript, matter.front, matter.format.above, form=matter.format)


def mapping(
    manuscript: SourceFile, text: str, above: int = 0, nodes: int = NODES, form: FrontMatterFormat = YAML
) -> dict[str, object] | Fault:
    """The members of a mapping that begins ``above`` lines below the start of its file, or the fault."""
    try:
        value = form.load(text, nodes=nodes)
    except ParseFault as error:
        line, column = error.mark
        return Fault.at(error.code, manuscript.at(line + above, column), error.message, error.hint)
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    return Fault.at(BAD_YAML, manuscript.at(1 + above, 1), "is no mapping of keys to values", "write `title: …`")


def text_warnings(written: HasSource) -> list[Fault]:
    """What no form will pass through."""
    found = [Fault.at(NEUTRALISED, in_body(written, at), reason, "write it as Markdown") for at, reason in written.inspected.raw[:TOLD]]
    found += [Fault.at(NEUTRALISED, in_body(written, link.offset), f"the link to {link.href[:40]!r} is made harmless", "link to an http address")
              for link in written.inspected.unsafe[:TOLD]]  # fmt: skip
    mute = [link for link in (*written.inspected.links, *written.inspected.unsafe) if link.alt == ""]
    found += [Fault.at(IMAGE, in_body(written, link.offset), "the image has no alternative text", "write what it shows: ![what it shows](…)")
              for link in mute[:TOLD]]  # fmt: skip
    return found


def _slug_faults(slug: str, manuscript: SourceFile) -> list[Fault]:
    if is_slug(slug):
        return []
    hint = f"write {slugify(slug) or 'words-joined-by-hyphens'}"
    return [Fault.at(BAD_VALUE, manuscript.locate(("slug",)), f"slug: {slug!r} is no slug", hint)]


def _taken(manuscript: SourceFile, kind: Kind, name: str, raw: dict[str, object]) -> ParsedFile:
    front = validated(Withdrawal, raw)
    if isinstance(front, tuple):
        return ParsedFile(faults=tuple(slip.fault(manuscript) for slip in front[:SLIPS]))
    if faults := _slug_faults(front.slug or name, manuscript):
        return ParsedFile(faults=tuple(faults))
    gone = front.gone if isinstance(front.gone, Gone) else Gone()
    moment = gone.date or front.lastmod or front.date
    return ParsedFile(
        taken=Tombstone(
            kind, front.slug or name, manuscript, front.title, moment, gone.reason or "", gone.successor or "", tuple(front.aliases)
        )
    )
