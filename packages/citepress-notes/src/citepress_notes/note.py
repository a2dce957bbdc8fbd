"""Reads a Markdown file of a plain folder as a field note, and derives what its front matter leaves out."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from citepress.base.slugs import digest_slug, plain_letters, slug_of_address, slugify
from citepress.base.text import bounded
from citepress.base.timestamps import UNKNOWN, day, if_known
from citepress.content import yaml_loader
from citepress.content.dialects import Dialect
from citepress.content.files import ContentFile, markdown_stem, printable_path
from citepress.content.front import InvalidError, front_model, validated
from citepress.content.front_mapping import front_mapping
from citepress.content.git_dates import Committed
from citepress.content.links import inspect
from citepress.content.open_text import open_text_without_controls
from citepress.content.opening import opening
from citepress.content.pages import PageFile
from citepress.content.parsed import Parsed
from citepress.content.rewritten import Rewritten
from citepress.content.source_map import TOML, YAML, FrontMatter, SourceFile
from citepress.content.source_record import (
    SourceRecord,
    Tombstone,
    refuse_deep_text,
    source_record,
    text_warnings,
    tombstone,
)
from citepress.content.validation_messages import ValidationIssue
from citepress.contract.fault import DUPLICATE_KEY, SET_ASIDE, UNDATED, Fault, Faults, Span, set_aside
from citepress.contract.kind import Kind
from citepress.contract.record import TITLE_LENGTH, Front
from citepress.contract.validation import written_names
from citepress_notes.callout_marks import MARK
from citepress_notes.document_texts import text_stem
from citepress_notes.foreign_markup import foreign_markup
from citepress_notes.held_back import HeldBack, HeldNote, held_fault, of_front, of_note, without_text
from citepress_notes.mdx import left_out_faults, without_notes
from citepress_notes.metadata_lines import read_leniently
from citepress_notes.note_around import NOTHING_KNOWN, Around, below
from citepress_notes.note_file import NoteFile
from citepress_notes.note_language import note_language
from citepress_notes.note_links import Apart, NotePlace, as_markdown, is_mdx, shown_text, slug_of
from citepress_notes.privacy_rules import Fate
from citepress_notes.reading_order import placing
from citepress_notes.site_layout import SiteLayout
from citepress_notes.unlinking import front_uses, named_in
from citepress_notes.usual_keys import (
    ADDRESSES,
    MAX_SUMMARY_CHARS,
    Adapted,
    adapted,
    find_date,
    former_paths,
    strip_date,
)

_KEY = re.compile(r"^[\"']?[A-Za-z_][\w .-]*[\"']?[ \t]*:(?:[ \t]|$)", re.MULTILINE)
_KEY_VALUE = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:[ \t]+(.*?)[ \t]*")
_SLUG_KEY = re.compile(r"^[\"']?slug[\"']?[ \t]*::?(?=[ \t]|$)|^slug[ \t]*=", re.MULTILINE | re.IGNORECASE)
INDEXES = frozenset({"index", "_index", "readme"})
"""Names of files that stand for their folder."""
PLACED = "placed"
"""The name in a record's memo of what places it in a reading order."""
PUBLIC = "public"
"""The name in it of the path at which its tool published it."""
WITHDRAWN = ("title", "date", "lastmod", "aliases")
"""What is still read of a note that was taken back, beside its slug."""


def parse_note(
    root: Path, file: ContentFile, kind: Kind, around: Around = NOTHING_KNOWN
) -> Parsed[SourceRecord | Tombstone | HeldNote]:
    """A Markdown file as a field note, with a warning for each part that was set aside, or its withdrawal.

    Raises ``Faults``.
    """
    apart, dialect = around.apart, around.dialect
    source_file = NoteFile(root, file.path, metadata=dialect.metadata)
    matter, lost = _matter(root, file, source_file)
    raw, doubled = _members(source_file, matter)
    raw, around = around.completed(file.path, raw), around.at(file.path, raw)
    slug = _slug(raw, file.path, apart)
    members = adapted(raw, paths=matter.format is TOML, zone=around.zone)
    held = of_note(around.held, raw, matter.body, around.handed, tagged=around.tagged)
    held = held or without_text(file.path, raw, matter.body, dialect)
    if doubled and held is None:  # the last value of a key counts, but one that keeps a note private always does
        held = of_front(_first_members(matter))
    reasons = () if held is None else (held_fault(held, _place_of(held, raw, source_file)),)
    if held and (held.fate is Fate.LEFT or raw.get("gone")):
        aliases = _addresses(raw, matter, file.path, kind, around)
        note = HeldNote(f"{kind.name}/{slug}", file.path, held.reason, aliases)
        return Parsed(_with_uses(note, matter, around.linked(matter.body, file.path, kind).text), reasons)
    if raw.get("gone"):
        own = {name: value for name, value in members.members.items() if name in WITHDRAWN}
        return Parsed(tombstone(source_file, kind, slug, own | {"gone": raw["gone"]}))
    members.members["draft"] = held is not None
    if language := members.members.get("language") or note_language(file.path, matter.body, around.spoken):
        members.members["language"] = language
    shown = shown_text(matter.body, file.path, dialect)
    heading, paragraph, start = _opening(shown, NotePlace(file.path, kind.name, apart, around.vault), dialect)
    gaps = _Gaps(kind, file, heading, paragraph, find_date(raw, file.path), around.committed, around.has_time)
    front, faults = _front(members, gaps, source_file)
    front = _with_former(front, around.former_paths(file.path, slug, {"title": heading, **raw}, kind), around.layout)
    # A title is cut where its heading is too long, so the text keeps all of that.
    start = 0 if "title" in members.members or len(heading) > TITLE_LENGTH else start
    text, line = around.text_below(matter, file.path, kind, (shown, start))
    matter = replace(matter, body=text.text, body_line=line)
    record = source_record(source_file, kind, slug, front, matter, text, plain=True)
    if around.layout.arrange or around.public:
        record.memo[PLACED] = {**placing(raw), PUBLIC: around.public}
    return Parsed(
        record.packed(),
        (
            *(*lost, *doubled, *reasons, *faults),
            *text_warnings(record),
            *foreign_markup(text.original, source_file.file, line, around.leads(file.path), text.edits),
            *left_out_faults(text, source_file.file, line),
        ),
    )


def _with_former(front: Front, former: list[str], layout: SiteLayout) -> Front:
    aliases = dict.fromkeys((*front.aliases, *layout.below_base(front.aliases), *former))
    return front.model_copy(update={"aliases": list(aliases)}) if aliases else front


def has_slug(record: SourceRecord) -> bool:
    """Whether the author of a note gave it its slug."""
    return _SLUG_KEY.search(record.source_file.matter.front or "") is not None


def _with_uses(note: HeldNote, matter: FrontMatter, linked: str) -> HeldNote:
    """The note with what it names; ``linked`` is its text with its links led on."""
    return replace(note, uses=named_in(linked, f"/{note.id}/"), front_uses=front_uses(matter.front or "", note.file))


def _addresses(
    raw: Mapping[str, object], matter: FrontMatter, path: str, kind: Kind, around: Around
) -> tuple[str, ...]:
    """Where a note was and is, for a note that is held back."""
    own = slug_of(path, around.apart)
    former = former_paths(raw, paths=matter.format is TOML)
    return (*former, *around.former_paths(path, own, raw, kind), f"/{kind.name}/{own}/")


def read_left(root: Path, file: ContentFile, kind: Kind, around: Around) -> Parsed[HeldNote]:
    """A note that its path holds back: its text is not read, only what it may be called. Raises ``Faults``."""
    text, _ = open_text_without_controls(root, file)
    front, _ = read_leniently(text, around.dialect.metadata)
    raw = around.completed(file.path, front or {})
    aliases = _addresses(raw, FrontMatter(None, "", 1), file.path, kind, around)
    reason = around.held.reason if around.held else ""
    return Parsed(HeldNote(f"{kind.name}/{slug_of(file.path)}", file.path, reason, aliases))


def _opening(shown: Rewritten, place: NotePlace, dialect: Dialect) -> tuple[str, str, int]:
    """The heading and paragraph of a text as CommonMark, and the character of it at which the rest starts."""
    heading, paragraph, start = opening(shown.text)
    written = as_markdown(shown, place, dialect, embeds=False)
    if written is not shown or is_mdx(place.path, dialect) or dialect.notation:
        heading, paragraph, _ = opening(without_notes(written.text))
    return heading, MARK.sub("", paragraph), start


def _slug(raw: Mapping[str, object], path: str, apart: Apart) -> str:
    """The slug of a note: as written, else of its path.

    Where the path is in letters that no slug can hold, the last part of the address that it had says more.
    """
    given = raw.get("slug")
    own = slug_of(path, apart)
    slug = slugify(plain_letters(given)) if isinstance(given, str) else ""
    if not slug and not path.isascii() and digest_slug("", markdown_stem(path))[-9:] == own[-9:]:
        addresses = (raw.get(name) for name in ADDRESSES)
        slug = next((last for text in addresses if isinstance(text, str) and (last := slug_of_address(text))), "")
    return slug or own


def _place_of(held: HeldBack, raw: Mapping[str, object], source_file: SourceFile) -> Span:
    first, _, rest = held.key.partition(".")
    if first not in raw:
        return Span(printable_path(source_file.file))
    return source_file.locate((first, *([rest] if rest else [])), key=True)


def read_readme(root: Path, file: ContentFile, kind: Kind, around: Around = NOTHING_KNOWN) -> Parsed[PageFile]:
    """The file that describes the folder, as the text of the front page. Raises ``Faults``."""
    matter, lost = _matter(root, file, NoteFile(root, file.path))
    shown = shown_text(matter.body, file.path, around.dialect)
    heading, _, start = opening(shown.text)
    body, line = below(matter, shown, start)
    text = around.linked(body, file.path, kind)
    title = bounded(heading, TITLE_LENGTH) or "About"
    source_file = SourceFile(root, file.path)
    page = PageFile("index", title, "", None, text.text, line, inspect(text.text), source_file, text)
    refuse_deep_text(page)
    return Parsed(page, (*lost, *foreign_markup(body, file.path, line, around.leads(file.path))))


def _matter(root: Path, file: ContentFile, source_file: NoteFile) -> tuple[FrontMatter, list[Fault]]:
    """Front matter and text, and a warning of each character that no page can carry. Raises ``Faults``."""
    text, lost = open_text_without_controls(root, file)
    matter = source_file.split(text)
    begins_with_rule = matter.format is YAML and matter.front is not None and _is_text(matter.front)
    if not matter.closed or begins_with_rule:
        matter = FrontMatter(None, text.strip(), 1)
    return matter, [set_aside(fault, "it") for fault in lost]


def _is_text(front: str) -> bool:
    """Whether what is between two lines ``---`` is text between two rules: a blank line begins it, and no key."""
    return front.startswith("\n") and front.strip() != "" and not _KEY.search(front)


def _members(source_file: SourceFile, matter: FrontMatter) -> tuple[dict[str, object], list[Fault]]:
    """The members of a front matter, and a warning of a key that is given twice. Raises ``Faults``."""
    if matter.front is None:
        return {}, []
    try:
        return front_mapping(source_file, matter), []
    except Faults as raised:
        if raised.faults[0].code is not DUPLICATE_KEY:
            raise
        lenient = replace(
            matter, format=replace(matter.format, load=partial(yaml_loader.load, doubled=yaml_loader.LAST))
        )
        hint = "keep one of them; the last counts"
        return front_mapping(source_file, lenient), [
            Fault.at(SET_ASIDE, fault.place, fault.message, hint) for fault in raised.faults
        ]


def _first_members(matter: FrontMatter) -> dict[str, object]:
    """The members of a front matter, of a key that is given twice the first value."""
    lines = (matter.front or "").split("\n")
    return {match[1]: match[2].strip("\"' ") for line in reversed(lines) if (match := _KEY_VALUE.fullmatch(line))}


@dataclass(frozen=True, slots=True)
class _Gaps:
    """What fills the gaps of a note's front matter."""

    kind: Kind
    file: ContentFile
    heading: str
    """The title that its text gives itself."""
    paragraph: str
    """The first paragraph of its text."""
    path_day: str
    """The day that its path names."""
    committed: Committed | None
    has_time: bool
    """Whether the time of the file is one at which its author wrote: a checkout sets it, and an author who writes a
    date means that one, even where nobody can read it."""

    @property
    def is_dated(self) -> bool:
        """Whether the date of first publication comes from anything but the time of the file."""
        return bool(self.path_day or self.committed)

    def filled(self, own: dict[str, object]) -> dict[str, object]:
        """The author's members with every gap filled."""
        stem = strip_date(text_stem(self.file.name))
        if stem.lower() in INDEXES:
            stem = posixpath.basename(posixpath.dirname(self.file.path)).lstrip("_") or "Home"
        title = bounded(self.heading or stem.replace("-", " ").replace("_", " "), TITLE_LENGTH) or "Untitled"
        summary = own.get("summary") or bounded(self.paragraph or title, MAX_SUMMARY_CHARS)
        members: dict[str, object] = {"title": title, "summary": summary, **self._dates(own)}
        for name, field in self.kind.fields.model_fields.items():
            if field.is_required():
                members[name] = [] if name.endswith("s") else summary
        return members | own

    def _dates(self, own: dict[str, object]) -> dict[str, object]:
        """The day of the path, else those of the commits, else of the file; never the day of a checkout.

        Commits are not used for a note that is dated: one commit that reformats everything would date all anew.
        """
        if "date" in own:
            return {}
        if self.path_day:
            return {"date": self.path_day}
        if self.committed:
            changed = {"lastmod": self.committed.last} if self.committed.last > self.committed.first else {}
            return {"date": self.committed.first, **changed}
        return {
            "date": day(datetime.fromtimestamp(self.file.stamp // 1_000_000_000, UTC)) if self.has_time else UNKNOWN
        }


def _front(members: Adapted, gaps: _Gaps, source_file: SourceFile) -> tuple[Front, list[Fault]]:
    """The front matter with every gap filled, and a warning of each value that does not fit its key."""
    front, own, faults = _fitting(members, gaps, source_file)
    dated_by = "the day of the file"
    # No commit or checkout is later than the change that the author names.
    may_be_earlier = "date" not in own and not gaps.path_day
    if front.lastmod and (front.date == UNKNOWN or (may_be_earlier and front.lastmod < front.date)):
        front = front.model_copy(update={"date": front.lastmod})
        dated_by = "the day of its last change"
    if front.lastmod and front.lastmod < front.date:
        front = front.model_copy(update={"lastmod": None})
    if "date" not in own and not gaps.is_dated:
        used = f"{day(front.date)}, {dated_by}, is used" if if_known(front.date) else "it is listed last, as undated"
        message = f"no date of first publication is known; {used}"
        hint = "write `date: YYYY-MM-DD` in its front matter, or keep the folder in Git"
        faults.append(Fault.at(UNDATED, Span(printable_path(source_file.file)), message, hint))
    return front, faults


def _fitting(members: Adapted, gaps: _Gaps, source_file: SourceFile) -> tuple[Front, dict[str, object], list[Fault]]:
    """The front matter, the author's members that fit it, and a warning of each that was set aside.

    Raises ``Faults``.
    """
    model = front_model(gaps.kind)
    own = {key: value for key, value in members.members.items() if key in written_names(model)}
    faults: list[Fault] = []
    while True:
        try:
            return validated(model, gaps.filled(own)), own, faults
        except InvalidError as error:
            misfits = [_as_written(issue, members) for issue in error.issues if issue.location[0] in own]
            faults += [set_aside(misfit.fault(source_file), "it") for misfit in misfits]
            wrong = {str(issue.location[0]) for issue in error.issues}
            gaps = replace(gaps, has_time=gaps.has_time and "date" not in wrong)
            if not wrong & own.keys():
                raise Faults(issue.fault(source_file) for issue in error.issues) from None
            own = {key: value for key, value in own.items() if key not in wrong}


def _as_written(issue: ValidationIssue, members: Adapted) -> ValidationIssue:
    """An issue under the key that the author wrote."""
    first, *rest = issue.location
    return replace(issue, location=(members.written.get(str(first), first), *rest))
