"""Keeps what is held back out of the notes that are shown: links to it become words, and its own files stay behind."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple, TypeVar

from citepress.base.memo import memoized
from citepress.content.files import markdown_stem
from citepress.content.folder_reader import PublicPart
from citepress.content.hidden_text import without_code
from citepress.content.links import inspect
from citepress.content.pages import PageFile
from citepress.content.rewritten import AddressEdit, Rewritten, apply_edits
from citepress.content.source_content import SourceContent
from citepress.content.source_record import SourceRecord, in_body
from citepress.content.text_links import link_edits, local_path
from citepress.contract.fault import HIDDEN, Fault
from citepress_notes.foreign_markup import WIKI_MARKUP
from citepress_notes.held_back import HeldNote
from citepress_notes.usual_keys import strip_date

MAX_FAULTS = 20
"""Faults on the links of one text."""
_TAG = (
    rb"\{\{[<%]\s*(?:rel)?ref\s+(?:path=)?[\"\x60]?(?P<ref>[^\"\x60\s>%]+)[^}\n]{0,200}\}\}"
    rb"|\{%-?\s*(?:post_url|post_link|post_path|link)\s+(?P<link>[^%\n'\"]{1,300}?)(?:\s+['\"][^%\n]{0,300})?\s*-?%\}"
)
_TAGS = re.compile(rb"\[(?P<words>[^\[\]\n]{1,400})\]\([^()\n]{0,100}?(?:" + _TAG + rb")[^()\n]{0,200}\)")
_BARE_TAGS = re.compile(_TAG)
"""Tags of Hugo and Jekyll that name another page, as the address of a link and by themselves."""
_EMBED = re.compile(rb"!\[\[|\{\{embed\b")
_CUT_TAG = re.compile(r"(?:\[\[|\{\{[<%]|\{%)[^\]}]*\u2026$")
_PERMALINK = re.compile(r"/(?:19|20)\d\d/|\.html$")
"""What an address of a site generator has: its last part is the name of a file."""
_FRONT_FILE = re.compile(r"[^\"'\[\]{}=:,\n]+\.[A-Za-z]{2,5}")
T = TypeVar("T", SourceRecord, PageFile)


@dataclass(frozen=True, slots=True)
class Hidden:
    """What is held back, by all that a text may call it; names and paths are in small letters."""

    reasons: Mapping[str, str]
    """Ids of notes, and why they are not shown."""
    paths: Mapping[str, str]
    """Present and former paths without the slashes at their ends, and the id of each."""
    names: Mapping[str, str]
    """Names that double brackets may hold, and the id of each."""
    stems: Mapping[str, str]
    """Last parts of the names of files without a date, and the id of each."""
    base_url: str

    def has_name(self, name: str) -> bool:
        """Whether double brackets name what is held back, with its folder or without."""
        return name in self.names or posixpath.basename(name) in self.names

    def id_of(self, href: str, page: str) -> str:
        """The note that is held back and that a link on a page leads to; nothing for any other link."""
        path = local_path(href, page, self.base_url)
        stem = posixpath.basename(path) if _PERMALINK.search(href) else ""
        return self.paths.get(path) or self.stems.get(stem, "")


def public_part(
    records: Sequence[SourceRecord],
    pages: Sequence[PageFile],
    hidden: Hidden,
    private: Iterable[SourceRecord | HeldNote],
    attachments: Iterable[str],
    folders: Iterable[str],
) -> PublicPart:
    """The notes that are shown, without a trace of those that are held back; ``private`` are those.

    Attachments in ``folders`` are kept back too, unless a note uses them that is shown.
    """
    faults: list[Fault] = []
    shown = [_unlinked_record(record, hidden, faults) for record in records]
    texts = [_unlinked(page, f"/{page.slug}/", hidden, faults) for page in pages]
    public = frozenset[str]().union(
        *(_uses(record) for record in records), *(named_in(page.body, "/") for page in pages)
    )
    notes = list(private)
    lost = frozenset[str]().union(*(note.uses if isinstance(note, HeldNote) else _uses(note) for note in notes))
    below = tuple(f"/{folder}" for folder in folders)
    lost |= frozenset[str]().union(*(_named_in_front(note) for note in notes))
    left = [path for path in attachments if path.startswith(below) or _is_named(path, lost)]
    files = frozenset(path for path in left if not _is_named(path, public))
    if files:  # few folders have any: the front matter of the notes that are shown is not read again for the others
        shown_fronts = frozenset[str]().union(*map(_named_in_front, records))
        files = frozenset(path for path in files if not _is_named(path, shown_fronts))
    return PublicPart(tuple(shown), tuple(texts), hidden.reasons, files, tuple(faults))


def hidden_by(
    reasons: Mapping[str, str], private: Iterable[SourceRecord | HeldNote], shown: Sequence[SourceRecord], base_url: str
) -> Hidden:
    """What is held back, without names and paths that a note has that is shown."""
    paths, names, stems = dict[str, str](), dict[str, str](), dict[str, str]()
    for note in private:
        for path in (f"/{note.id}/", *(note.aliases if isinstance(note, HeldNote) else note.head.aliases)):
            paths.setdefault(local_path(path, "/"), note.id)
        for name in _names(note.file):
            names.setdefault(name, note.id)
        stems.setdefault(_stem(note.file), note.id)
    for record in shown:
        for path in (f"/{record.id}/", *record.head.aliases):
            paths.pop(local_path(path, "/"), None)
        for name in _names(record.file):
            names.pop(name, None)
        stems.pop(_stem(record.file), None)
    return Hidden(reasons, paths, names, stems, base_url)


def named_in(text: str, page: str, base_url: str = "") -> frozenset[str]:
    """What a text names: paths of this site, and names in double brackets."""
    paths = {path for link in inspect(text).links if (path := local_path(link.href, page, base_url))}
    return frozenset(paths | {reference.name for reference in _references(text)})


def _uses(record: SourceRecord) -> frozenset[str]:
    return memoized(record.memo, "named", None, lambda: named_in(record.body, f"/{record.id}/"))


def _named_in_front(note: SourceRecord | HeldNote) -> frozenset[str]:
    """What the front matter of a note may name: paths from the top of the folder, and from the note's own place."""
    if isinstance(note, HeldNote):
        return note.front_uses
    return memoized(
        note.memo, "named in front", None, lambda: front_uses(note.source_file.matter.front or "", note.file)
    )


def front_uses(front: str, file: str) -> frozenset[str]:
    """The files that the front matter of a note may name, in small letters."""
    named = {match.strip(" /-").lower() for match in _FRONT_FILE.findall(front)}
    beside = posixpath.dirname(file).lower()
    return frozenset(named | {posixpath.normpath(posixpath.join(beside, name)) for name in named})


def _is_named(path: str, named: frozenset[str]) -> bool:
    """Whether a file is named by its path, or by its name alone in double brackets."""
    bare = path.strip("/").lower()
    return bare in named or posixpath.basename(bare) in named


def _names(file: str) -> tuple[str, str]:
    stem = markdown_stem(file.lower())
    return stem, posixpath.basename(stem)


def _stem(file: str) -> str:
    return strip_date(markdown_stem(posixpath.basename(file).lower()))


class _Reference(NamedTuple):
    """A part of a text that names a note or file in the notation of a tool."""

    start: int
    end: int
    name: str
    words: str
    """What is left of it where it may not name the note."""


def _references(text: str) -> Iterator[_Reference]:
    """Double brackets, and tags of Hugo and Jekyll, in no order."""
    has_tags = "ref " in text or "post_url" in text or "link " in text
    prose = without_code(text) if "[[" in text or ("{" in text and has_tags) else b""
    for match in WIKI_MARKUP.finditer(prose):
        yield _Reference(match.start(), match.end(), _wiki_name(match[1].decode()), _words(match))
    done = 0
    for match in sorted((*_TAGS.finditer(prose), *_BARE_TAGS.finditer(prose)), key=re.Match.start):
        if match.start() < done:
            continue
        done = match.end()
        words = match.groupdict().get("words") or b""
        name = (match["ref"] or match["link"]).decode().partition("#")[0].strip().strip("\"'/").lower()
        stem = markdown_stem(name)
        name = re.sub(r"/_?index$", "", stem) if stem != name else name
        yield _Reference(match.start(), done, name, words.decode())


def _wiki_name(inside: str) -> str:
    """The note or file that double brackets name."""
    name = inside.replace("\\|", "|").partition("|")[0].partition("#")[0]
    return markdown_stem(name.strip().strip("/").lower())


def _unlinked_record(record: SourceRecord, hidden: Hidden, faults: list[Fault]) -> SourceRecord:
    page = f"/{record.id}/"
    named = memoized(record.memo, "named here", hidden.base_url, lambda: named_in(record.body, page, hidden.base_url))
    hit = frozenset(
        name
        for name in named
        if name in hidden.paths or hidden.has_name(name) or posixpath.basename(name) in hidden.stems
    )
    if not hit:
        return record
    own: list[Fault] = []
    # The record without its links is the same object as long as they are the same: what follows from it is kept there.
    cleared = memoized(record.memo, "unlinked", hit, lambda: _unlinked(record, page, hidden, own))
    faults += _link_faults(record, page, hidden)
    return cleared


def _unlinked(written: T, page: str, hidden: Hidden, faults: list[Fault]) -> T:
    """A text whose links to what is held back are words."""
    text = written.body
    edits = link_edits(text, lambda href, _: None if hidden.id_of(href, page) else href)
    edits = list(_without_embeds(written, edits)) if written.rewritten else edits
    for reference in _references(text):
        if hidden.has_name(reference.name):
            edits.append(AddressEdit(reference.start, reference.end, reference.words.encode()))
    if not edits:
        return written
    rewritten = (written.rewritten or Rewritten.of(text)).with_edits(sorted(edits))
    if isinstance(written, PageFile):
        faults += _link_faults(written, page, hidden)
        return replace(written, body=rewritten.text, inspected=inspect(rewritten.text), rewritten=rewritten)
    front = written.front
    words = {
        name: _without_references(value, hidden)
        for name in ("title", "summary")
        if "[[" in (value := getattr(front, name)) or "{" in value
    }
    front = front.model_copy(update=words) if words else front
    content = SourceContent(front, rewritten.text, written.body_line, inspect(rewritten.text), rewritten)
    return SourceRecord.of(written.kind, written.slug, written.source_file, content).packed()


def _without_embeds(written: T, edits: Sequence[AddressEdit]) -> Iterator[AddressEdit]:
    """The edits, of which those of an embed leave nothing: its words are the name of what is held back."""
    source = written.rewritten.original.encode() if written.rewritten else b""
    taken = 0
    for place, edit in enumerate(edits):
        begins = written.rewritten.original_offset(edit.start) if written.rewritten else 0
        last = edits[place + 1] if place + 1 < len(edits) else edit
        if edit.start < taken:
            continue
        if not edit.address and _EMBED.match(source, begins):
            taken = last.end
            yield AddressEdit(edit.start, taken, b"")
        else:
            yield edit


def _words(match: re.Match[bytes]) -> str:
    """What is left of double brackets: their label, or the last part of the name; nothing of an embed."""
    if match[0].startswith(b"!"):
        return ""
    name, _, label = match[1].decode().replace("\\|", "|").partition("|")
    return label.strip() or name.partition("#")[0].strip().rpartition("/")[2]


def _without_references(text: str, hidden: Hidden) -> str:
    """A title or summary without names of what is held back, and without a tag that is cut at its end."""
    edits = (
        AddressEdit(reference.start, reference.end, reference.words.encode())
        for reference in _references(text)
        if hidden.has_name(reference.name)
    )
    return _CUT_TAG.sub("\u2026", apply_edits(text, sorted(edits)))


def _link_faults(written: SourceRecord | PageFile, page: str, hidden: Hidden) -> Iterator[Fault]:
    """A warning of each link that becomes words."""
    links = ((link, hidden.id_of(link.href, page)) for link in written.inspected.links)
    for link, id_ in islice(((link, id_) for link, id_ in links if id_), MAX_FAULTS):
        message = f"the link leads to {id_!r}, which is {hidden.reasons[id_]}; it is published as text"
        yield Fault.at(HIDDEN, in_body(written, link.offset), message)
