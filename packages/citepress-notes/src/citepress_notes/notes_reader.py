"""Reading a plain folder: every Markdown file is a field note, and one that cannot be published stops no other."""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from citepress.base.ids import path_of
from citepress.base.slugs import digest_slug, is_slug, slug_of_address
from citepress.content import settings_file, unpublished
from citepress.content.files import (
    ContentFile,
    is_folder,
    is_markdown,
    is_there,
    is_utf8,
    markdown_stem,
    printable_path,
    scan,
)
from citepress.content.folder_formats import FolderFormat
from citepress.content.folder_reader import FolderReader, PublicPart
from citepress.content.git_dates import is_shallow
from citepress.content.pages import PageFile
from citepress.content.redirects_file import Redirect, is_path
from citepress.content.source_record import SourceRecord, Tombstone
from citepress.content.sources_file import url_fault
from citepress.contract.fault import (
    BAD_NAME,
    BAD_TOOL_SETTINGS,
    SET_ASIDE,
    WRONG_FOLDER,
    Fault,
    Span,
    set_aside,
    set_aside_error,
)
from citepress.contract.kind import Kind
from citepress.contract.record import TITLE_LENGTH
from citepress.contract.site import Site
from citepress.kinds.contents import PATH
from citepress_notes import attachments, note, plain_folder
from citepress_notes.document_texts import DOCUMENTS, has_words, text_stem
from citepress_notes.former_tools import tools_of
from citepress_notes.graph import Graph, graph_of
from citepress_notes.held_back import HeldBack, HeldNote, PublicRules, held_fault, public_texts
from citepress_notes.lenient_values import words
from citepress_notes.note_around import Around
from citepress_notes.note_language import most_frequent, settings_language
from citepress_notes.note_links import Apart, slug_of, slugs_apart
from citepress_notes.plain_folder import FolderFiles, generator
from citepress_notes.privacy_rules import BUNDLE, BUNDLE_TOOLS, OUTSIDE, Fate
from citepress_notes.reading_order import BY_FRONT, PLACING, contents_of, contents_page, ordered_text
from citepress_notes.site_layout import SiteLayout
from citepress_notes.tool_habits import LABEL_FIRST, NAME_BLOCKS, dialect_of, metadata_of, zone_of
from citepress_notes.unlinking import hidden_by, public_part
from citepress_notes.vault import Vault
from citepress_notes.wrong_folder import wrong_folder

TOPS = ("static", "templates")
"""Folders of an archive that a plain folder with settings has too."""
INDEX = "index"
WITH_FILES = frozenset({"hexo", "docusaurus", "astro", "eleventy", "mkdocs"})
"""Tools that publish the files of a folder as if they were at the top."""
WITH_NAMES = NAME_BLOCKS | {"pelican", "hugo", "zola"}
"""Tools whose links may name a file in another folder."""


def _badly_named(file: ContentFile) -> Fault:
    hint = "rename it in characters that UTF-8 can write"
    return Fault.at(BAD_NAME, Span(printable_path(file.path)), "its name is not UTF-8 text", hint)


def _vault_of(root: Path, rules: PublicRules, files: plain_folder.Sorted) -> Vault | None:
    """The names by which notes are linked; ``None`` where the tool is no note-taking one."""
    named = not (WITH_NAMES | LABEL_FIRST).isdisjoint(rules.tools)
    beside = [path.lstrip("/") for path in files.beside]
    if not named:  # only files, so that a new note changes the links of no other
        return Vault(beside, brackets=False) if not WITH_FILES.isdisjoint(rules.tools) else None
    paths = [*(file.path for file in files.notes), *beside]
    graph: Graph | None = None
    if "logseq" in rules.tools:
        texts = FolderFiles(root.resolve(), []).text
        graph = graph_of(public_texts([file.path for file in files.notes], texts, rules, metadata_of(rules.tools)))
    brackets = not (NAME_BLOCKS | LABEL_FIRST).isdisjoint(rules.tools)
    return Vault(paths, label_first=not LABEL_FIRST.isdisjoint(rules.tools), graph=graph, brackets=brackets)


def _moved(record: SourceRecord, slug: str) -> SourceRecord:
    """The record under another slug, which is removed from its aliases."""
    aliases = [alias for alias in record.head.aliases if alias != f"/{record.kind.name}/{slug}/"]
    moved = record.with_front(record.front.model_copy(update={"aliases": aliases}))
    return replace(moved, slug=slug, memo=_placed(record))


def _keyed(record: SourceRecord, key: str) -> SourceRecord:
    """The record with a translation key, unless its author gave it one."""
    front = record.front.model_copy(update={"translation_key": record.front.translation_key or key})
    return replace(record.with_front(front), memo=_placed(record))


def _placed(record: SourceRecord) -> dict[str, Any]:
    """A memo with nothing but what places a record in a reading order."""
    return {key: value for key, value in record.memo.items() if key == note.PLACED}


@dataclass
class NotesReader(FolderReader):
    """One pass over a folder of notes."""

    plain = True
    parse_record = staticmethod(note.parse_note)
    held_back: list[HeldNote] = field(default_factory=list)
    private_folders: list[str] = field(default_factory=list)
    """Folders whose files are published only where a note uses them that is shown, each with its slash."""
    _layout: SiteLayout = field(default_factory=SiteLayout)
    _ids: set[str] = field(default_factory=set)
    """Ids of the records that are read so far."""

    def read_all(self) -> None:
        """Read everything that the folder publishes."""
        has_settings = is_there(self.root / settings_file.SETTINGS_FILE)
        if has_settings:
            self.read_top_files()
        if "title" not in self.site.model_fields_set:
            self.site = self.site.model_copy(update={"title": self._folder_title()})
        scanned, faults = scan(self.root)
        files = [file for file in scanned if is_utf8(file.path)]
        faults += map(_badly_named, sorted({*scanned} - {*files}))
        self.faults += map(self._of_file, (fault for fault in faults if not unpublished.foreign(fault.place.file)))
        rules = PublicRules(FolderFiles(self.root, files))
        if not has_settings and (reason := wrong_folder(self.root, files, rules.tools)):
            self.add_fault(WRONG_FOLDER, ".", *reason)
            return
        for name, message in rules.problems:
            hint = "correct the file; until then what is in doubt is not published"
            self.add_fault(BAD_TOOL_SETTINGS, name, f"the settings cannot be read: {message}", hint)
        made_by, tops = ("", TOPS) if has_settings else (generator(rules.tools), ())
        sorted_files = plain_folder.sorted_out(self.root, files, made_by, tops, partial(self._is_text, rules))
        # Where there is no such kind, notes are records of the first one.
        kind = next((kind for kind in self.kinds if kind.takes_notes), self.kinds[0])
        around = Around(
            dialect=dialect_of(rules.tools, rules.settings),
            tagged=rules.tagged,
            zone=zone_of(rules.tools, rules.settings),
            vault=_vault_of(self.root, rules, sorted_files),
            layout=rules.layout,
        )
        self._layout = rules.layout
        around = self._read_notes(sorted_files.notes, kind, rules, around)
        for file in sorted_files.readme:
            outcome = self.parsed(file, partial(note.read_readme, kind=kind, around=around), *around.key)
            self.faults += map(set_aside_error, outcome.faults)
            self.pages += [outcome.content] if outcome.content else []
        given = rules.layout.redirects
        self._lead_redirects(given | dict(zip(rules.layout.below_base(given), given.values(), strict=False)))
        self.read_static(sorted_files.static)
        self.read_templates(sorted_files.templates)
        beside = {path: file for path, file in sorted_files.beside.items() if not rules.of_path(file.path)}
        # What hands a draft down to the notes of a folder means the files beside them too.
        self.private_folders += [path.lstrip("/") for path, file in beside.items() if rules.hands_down(file.path)]
        self._read_attachments(beside)

    def public_part(self, shown: Sequence[SourceRecord], hidden: Mapping[str, str], site: Site) -> PublicPart:
        """What the folder shows without a trace of what it holds back."""
        part = self._public_part(shown, hidden, site)
        if not (self.static and self._layout.files):
            return part
        bundles: dict[str, str] = {}
        for record in shown:
            public, stem = record.memo.get(note.PLACED, {}).get(note.PUBLIC, ""), markdown_stem(record.file)
            is_index = posixpath.basename(stem).partition(".")[0] == INDEX
            if public.endswith("/"):
                bundles.setdefault(posixpath.dirname(stem) if is_index else stem, public)
        formers = {redirect.former for redirect in self.redirects}
        for path in (path for path in self.static.keys() - part.private_files if is_path(path)):
            for former in self._layout.former_files(path.lstrip("/"), bundles):
                if former not in formers and former not in self.static and is_path(former):
                    formers.add(former)
                    self.redirects.append(Redirect(former, path, Span(".")))
        return part

    def _public_part(self, shown: Sequence[SourceRecord], hidden: Mapping[str, str], site: Site) -> PublicPart:
        ids = {record.id for record in shown}
        contents, reasons = self._contents(shown), dict(hidden)
        for held in self.held_back:
            reasons.setdefault(held.id, f"held back ({held.reason})")
        # A note that is shown keeps its address where a note that is held back has the same id.
        reasons = {id_: reason for id_, reason in reasons.items() if id_ not in ids}
        private: list[SourceRecord | HeldNote] = [
            *(record for record in self.records if record.id not in ids),
            *self.held_back,
        ]
        if not private:
            return PublicPart(tuple(shown), (*self.pages, *contents), reasons)
        leading_nowhere = [written for written in private if written.id in reasons]
        of_shown = hidden_by(reasons, leading_nowhere, shown, site.url(""))
        part = public_part(shown, self.pages, of_shown, private, self.static, self.private_folders)
        return part._replace(pages=(*part.pages, *contents))

    def _contents(self, shown: Sequence[SourceRecord]) -> list[PageFile]:
        """The page of contents, where the tool has an order that the author declares."""
        ids, arrange = {record.id for record in shown}, self._layout.arrange
        # Most blogs place no text, and their paths need not be looked at then.
        if arrange in BY_FRONT and not any(
            PLACING & record.memo.get(note.PLACED, {}).keys() for record in self.records
        ):
            return []
        texts = [
            ordered_text(
                record.file,
                record.head.language or "",
                record.head.title,
                record.memo.get(note.PLACED, {}),
                path_of(record.id),
                self._layout.original_of(record.file),
            )
            for record in (self.records if arrange else ())
            if record.id in ids
        ]
        contents = contents_of(arrange, texts)
        former = [*contents.former, *self._layout.below_base(contents.former)]
        self.redirects += [Redirect(path, PATH, Span(".")) for path in former if is_path(path)]
        return contents_page(self.root, contents.body)

    def _is_text(self, rules: PublicRules, path: str) -> bool:
        """Whether a file is a text: Markdown, or a document that the tool of the folder publishes."""
        endings = tuple({ending for tool in rules.tools for ending in DOCUMENTS.get(tool, ())})
        if not endings or not path.lower().endswith(endings):
            return is_markdown(path)
        held = rules.of_path(f"{text_stem(path)}.md")
        if held and held.rule is OUTSIDE:
            return False
        text = FolderFiles(self.root.resolve(), []).text(path) or ""
        return "pelican" in rules.tools or has_words(text)

    def _folder_title(self) -> str:
        words = self.root.name.replace("-", " ").replace("_", " ").strip()
        return (words or "Notes").capitalize()[:TITLE_LENGTH]

    def _of_file(self, fault: Fault) -> Fault:
        """A fault of the walk: a file or link is set aside, a folder that cannot be read stays an error.

        Setting a whole folder aside would unpublish it for a permission that may come back.
        """
        place = self.root / fault.place.file
        stays = fault.code is not BAD_NAME and is_folder(place) and not place.is_symlink()
        return fault if stays else set_aside(fault)

    def _read_notes(self, files: tuple[ContentFile, ...], kind: Kind, rules: PublicRules, around: Around) -> Around:
        """Read the notes; what is known around all of them."""
        committed = self.cache.dates.of(self.root) if files else {}
        by_path = {file.path: rules.of_path(file.path) for file in files}
        apart = slugs_apart([path for path, held in by_path.items() if not (held and held.fate is Fate.LEFT)])
        around = around._replace(apart=apart, has_time=not is_shallow(self.root))
        for file in files:
            held = by_path[file.path]
            if held and held.fate is Fate.LEFT:
                near = around._replace(held=held, handed=rules.handed(file.path))
                left = self.parsed(file, partial(note.read_left, kind=kind, around=near), *near.key).content
                bare = HeldNote(f"{kind.name}/{slug_of(file.path)}", file.path, held.reason)
                self.held_back.append(left or bare)
                self.faults.append(held_fault(held, Span(printable_path(file.path))))
                continue
            dates, handed = committed.get(file.path), rules.handed(file.path)
            spoken = words(handed.get("lang") or handed.get("language"), 35).replace("_", "-")
            own = around._replace(committed=dates, held=held, handed=handed, spoken=spoken)
            outcome = self.parsed(file, partial(note.parse_note, kind=kind, around=own), *own.key)
            self.faults += map(set_aside_error, outcome.faults)
            if isinstance(outcome.content, Tombstone):
                self.tombstones.append(outcome.content)
            elif isinstance(outcome.content, HeldNote):
                self.held_back.append(outcome.content)
            elif outcome.content:
                self.records.append(self._apart(outcome.content, apart))
            else:
                self.set_aside.setdefault(f"/{kind.name}/{slug_of(file.path)}/", file.path)
        if BUNDLE_TOOLS.intersection(rules.tools):
            self._hold_bundles()
        if "language" not in self.site.model_fields_set and (language := self._language(rules)):
            self.site = self.site.model_copy(update={"language": language})
        return around

    def _language(self, rules: PublicRules) -> str:
        """The language of the folder: that of the tool's settings, else the one of most notes that tell theirs."""
        if rules.layout.language:
            return rules.layout.language
        for tool in rules.tools:
            if language := settings_language(tool, rules.settings(tool)):
                return language
        return most_frequent(record.head.language for record in self.records if not record.head.draft)

    def _apart(self, record: SourceRecord, apart: Apart) -> SourceRecord:
        """The record, by a longer slug where another one has the last part of its former address too."""
        own = slug_of(record.file, apart)
        address = next((path for path in record.head.aliases if slug_of_address(path) == record.slug), "")
        if record.slug != own and record.id in self._ids and address and not note.has_slug(record):
            above = slug_of_address(posixpath.dirname(address.rstrip("/")))
            longer = f"{above}-{record.slug}"
            slug = longer if above and is_slug(longer) and f"{record.kind.name}/{longer}" not in self._ids else own
            record = _moved(record, slug)
        elif record.id in self._ids:
            record = self._of_two(record, own)
        self._ids.add(record.id)
        return record

    def _of_two(self, record: SourceRecord, own: str) -> SourceRecord:
        """Move the second of two notes with one slug to that of its path; in two languages they are translations."""
        first = next(place for place, other in enumerate(self.records) if other.id == record.id)
        slug = own if f"{record.kind.name}/{own}" not in self._ids else digest_slug(own, record.file)
        message = f"{self.records[first].file} has its slug {record.slug!r} too; it is at /{record.kind.name}/{slug}/"
        place = record.source_file.locate(("slug",))
        self.faults.append(Fault.at(SET_ASIDE, place, message, "give each note its own slug"))
        if record.head.language != self.records[first].head.language:
            self.records[first] = _keyed(self.records[first], record.slug)
            record = _keyed(record, record.slug)
        return _moved(record, slug)

    def _lead_redirects(self, given: Mapping[str, str]) -> None:
        """Add the redirects of the tool's settings whose targets exist; the others are dead on the former site too."""
        shown = [alias for record in self.records if not record.head.draft for alias in record.head.aliases]
        ends = {alias.rstrip("/") for alias in shown}
        for former, target in given.items():
            is_alive = target.partition("#")[0].rstrip("/") in ends if is_path(target) else not url_fault(target)
            if is_path(former) and is_alive and former.rstrip("/") != target.rstrip("/"):
                self.redirects.append(Redirect(former, target, Span(".")))

    def _hold_bundles(self) -> None:
        """Hold back what is beside an ``index.md`` that is held back: its tool makes no pages of it."""
        files = [held.file for held in self.held_back] + [note.file for note in self.records if note.head.draft]
        folders = tuple(
            f"{posixpath.dirname(file)}/" for file in files if posixpath.basename(markdown_stem(file)) == INDEX
        )
        self.private_folders += folders
        for record in [record for record in self.records if record.file.startswith(folders)]:
            if record.head.draft:
                continue
            self.records.remove(record)
            held = HeldBack.by(BUNDLE)
            self.held_back.append(HeldNote(record.id, record.file, held.reason, record.head.aliases))
            self.faults.append(held_fault(held, Span(printable_path(record.file))))

    def _read_attachments(self, by_path: Mapping[str, ContentFile]) -> None:
        """Attachments, by public path."""
        before = len(self.faults)
        paths = {file.path: path for path, file in by_path.items()}
        for file in self.within_total(by_path.values(), ".", "bytes of files next to notes"):
            if static := self.content_of(file, attachments.read_attachment):
                self.static.setdefault(paths[file.path], static)
        self.faults[before:] = map(set_aside_error, self.faults[before:])


def is_plain(root: Path, is_archive: bool) -> bool:
    """Whether a folder is one of notes: nothing in it is laid out as an archive, or it is laid out for another tool."""
    files = FolderFiles(root, [])
    return not is_archive or bool(generator(tools_of(files.has, files.text)))


FORMATS = (FolderFormat("plain", is_plain, NotesReader),)
