"""Keeps what is held back out of the notes that are shown: links to it become words, and its own files stay behind."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar
from urllib.parse import unquote, urljoin, urlsplit

from citepress.base.memo import memoized
from citepress.content.foreign_markup import WIKI_MARKUP
from citepress.content.held_back import HeldNote
from citepress.content.hidden_text import without_code
from citepress.content.links import inspect
from citepress.content.pages import PageFile
from citepress.content.rewritten import AddressEdit, Rewritten
from citepress.content.source_content import SourceContent
from citepress.content.source_record import SourceRecord, in_body
from citepress.content.text_links import link_edits
from citepress.contract.fault import HIDDEN, Fault

MAX_FAULTS = 20
"""Faults on the links of one text."""
_ENDING = re.compile(r"\.(?:md|json|html?)$")
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
    base_url: str

    def has_name(self, name: str) -> bool:
        """Whether double brackets name what is held back, with its folder or without."""
        return name in self.names or posixpath.basename(name) in self.names

    def id_of(self, href: str, page: str) -> str:
        """The note that is held back and that a link on a page leads to; nothing for any other link."""
        return self.paths.get(local_path(href, page, self.base_url), "")


@dataclass(frozen=True, slots=True)
class Public:
    """What is left to publish."""

    records: tuple[SourceRecord, ...]
    pages: tuple[PageFile, ...]
    private_files: frozenset[str]
    """Public paths of attachments that only notes use that are held back."""
    faults: tuple[Fault, ...]


def public_part(
    records: Sequence[SourceRecord],
    pages: Sequence[PageFile],
    hidden: Hidden,
    private: Iterable[SourceRecord | HeldNote],
    attachments: Iterable[str],
    folders: Iterable[str],
) -> Public:
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
    left = (path for path in attachments if path.startswith(below) or _is_named(path, lost))
    files = frozenset(path for path in left if not _is_named(path, public))
    return Public(tuple(shown), tuple(texts), files, tuple(faults))


def hidden_by(
    reasons: Mapping[str, str],
    private: Iterable[SourceRecord | HeldNote],
    shown: Sequence[SourceRecord],
    base_url: str,
) -> Hidden:
    """What is held back, without names and paths that a note has that is shown."""
    paths, names = dict[str, str](), dict[str, str]()
    for note in private:
        for path in (f"/{note.id}/", *(note.aliases if isinstance(note, HeldNote) else note.head.aliases)):
            paths.setdefault(local_path(path, "/"), note.id)
        for name in _names(note.file):
            names.setdefault(name, note.id)
    for record in shown:
        for path in (f"/{record.id}/", *record.head.aliases):
            paths.pop(local_path(path, "/"), None)
        for name in _names(record.file):
            names.pop(name, None)
    return Hidden(reasons, paths, names, base_url)


def local_path(href: str, page: str, base_url: str = "") -> str:
    """The path of this site that a link on a page leads to, in small letters and without slashes at its ends.

    Nothing for an address elsewhere.
    """
    href = href.strip()
    if base_url and (href == base_url or href.startswith(f"{base_url}/")):
        href = href[len(base_url) :] or "/"
    try:
        if not href or href.startswith(("#", "//")) or urlsplit(href).scheme:
            return ""
        path = unquote(urlsplit(urljoin(page, href)).path)
    except ValueError:
        return ""
    return _ENDING.sub("", path).strip("/").lower()


def named_in(text: str, page: str, base_url: str = "") -> frozenset[str]:
    """What a text names: paths of this site, and names in double brackets."""
    paths = {path for link in inspect(text).links if (path := local_path(link.href, page, base_url))}
    return frozenset(paths | {_wiki_name(match[1].decode()) for match in _wiki_links(text)})


def _uses(record: SourceRecord) -> frozenset[str]:
    return memoized(record.memo, "named", None, lambda: named_in(record.body, f"/{record.id}/"))


def _is_named(path: str, named: frozenset[str]) -> bool:
    """Whether a file is named by its path, or by its name alone in double brackets."""
    bare = path.strip("/").lower()
    return bare in named or posixpath.basename(bare) in named


def _names(file: str) -> tuple[str, str]:
    stem = file.lower().removesuffix(".md")
    return stem, posixpath.basename(stem)


def _wiki_links(text: str) -> Iterator[re.Match[bytes]]:
    return WIKI_MARKUP.finditer(without_code(text)) if "[[" in text else iter(())


def _wiki_name(inside: str) -> str:
    """The note or file that double brackets name."""
    name = inside.replace("\\|", "|").partition("|")[0].partition("#")[0]
    return name.strip().strip("/").lower().removesuffix(".md")


def _unlinked_record(record: SourceRecord, hidden: Hidden, faults: list[Fault]) -> SourceRecord:
    page = f"/{record.id}/"
    named = memoized(record.memo, "named here", hidden.base_url, lambda: named_in(record.body, page, hidden.base_url))
    hit = frozenset(name for name in named if name in hidden.paths or hidden.has_name(name))
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
    for match in _wiki_links(text):
        if hidden.has_name(_wiki_name(match[1].decode())):
            edits.append(AddressEdit(match.start(), match.end(), _words(match).encode()))
    if not edits:
        return written
    rewritten = (written.rewritten or Rewritten.of(text)).with_edits(sorted(edits))
    if isinstance(written, PageFile):
        faults += _link_faults(written, page, hidden)
        return replace(written, body=rewritten.text, inspected=inspect(rewritten.text), rewritten=rewritten)
    front = written.front
    words = {
        name: _without_brackets(value, hidden)
        for name in ("title", "summary")
        if "[[" in (value := getattr(front, name))
    }
    front = front.model_copy(update=words) if words else front
    content = SourceContent(front, rewritten.text, written.body_line, inspect(rewritten.text), rewritten)
    return SourceRecord.of(written.kind, written.slug, written.source_file, content).packed()


def _words(match: re.Match[bytes]) -> str:
    """What is left of double brackets: their label, or the last part of the name; nothing of an embed."""
    if match[0].startswith(b"!"):
        return ""
    name, _, label = match[1].decode().replace("\\|", "|").partition("|")
    return label.strip() or name.partition("#")[0].strip().rpartition("/")[2]


def _without_brackets(text: str, hidden: Hidden) -> str:
    def words(match: re.Match[bytes]) -> bytes:
        return _words(match).encode() if hidden.has_name(_wiki_name(match[1].decode())) else match[0]

    return WIKI_MARKUP.sub(words, text.encode()).decode()


def _link_faults(written: SourceRecord | PageFile, page: str, hidden: Hidden) -> Iterator[Fault]:
    """A warning of each link that becomes words."""
    links = ((link, hidden.id_of(link.href, page)) for link in written.inspected.links)
    for link, id_ in islice(((link, id_) for link, id_ in links if id_), MAX_FAULTS):
        message = f"the link leads to {id_!r}, which is {hidden.reasons[id_]}; it is published as text"
        yield Fault.at(HIDDEN, in_body(written, link.offset), message)
