"""Reading a plain folder: every Markdown file is a field note, and one that cannot be published stops no other."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from citepress.content import attachments, note, plain_folder, settings_file, unpublished
from citepress.content.files import ContentFile, scan
from citepress.content.folder_reader import FolderReader
from citepress.content.note_links import slug_of
from citepress.content.source_record import Tombstone
from citepress.contract.fault import STRAY, Fault
from citepress.contract.kind import Kind
from citepress.contract.record import TITLE_LENGTH

TOPS = ("static", "templates")
"""Folders of an archive that a plain folder with settings has too."""


@dataclass
class NotesReader(FolderReader):
    """One pass over a folder of notes."""

    def read_all(self) -> None:
        """Read everything that the folder publishes."""
        has_settings = (self.root / settings_file.NAME).exists()
        if has_settings:
            self.read_top_files()
        if "title" not in self.site.model_fields_set:
            self.site = self.site.model_copy(update={"title": self._folder_title()})
        files, faults = scan(self.root)
        self.faults += map(self._of_file, (fault for fault in faults if not unpublished.foreign(fault.place.file)))
        generator = "" if has_settings else unpublished.generator(self.root)
        sorted_files = plain_folder.sorted_out(self.root, files, generator, TOPS if has_settings else ())
        # Where there is no such kind, notes are records of the first one.
        kind = next((kind for kind in self.kinds if kind.name == "posts"), self.kinds[0])
        self._read_notes(sorted_files.notes, kind)
        for file in sorted_files.misnamed:
            better = f"{file.name.rpartition('.')[0]}.md"
            self.add_fault(STRAY, file.path, "is Markdown, but not named so, and is not published", f"name it {better}")
        for file in sorted_files.readme:
            outcome = self.parsed(file, partial(note.read_readme, kind=kind))
            self.faults += map(note.set_aside_error, outcome.faults)
            self.pages += [outcome.content] if outcome.content else []
        self.read_static(sorted_files.static)
        self.read_templates(sorted_files.templates)
        self._read_attachments(sorted_files.beside)

    def _folder_title(self) -> str:
        words = self.root.name.replace("-", " ").replace("_", " ").strip()
        return (words or "Notes").capitalize()[:TITLE_LENGTH]

    def _of_file(self, fault: Fault) -> Fault:
        """A fault of the walk: a file or link is set aside, a folder that cannot be read stays an error.

        Setting a whole folder aside would unpublish it for a permission that may come back.
        """
        place = self.root / fault.place.file
        return fault if place.is_dir() and not place.is_symlink() else note.set_aside(fault)

    def _read_notes(self, files: tuple[ContentFile, ...], kind: Kind) -> None:
        committed = self.cache.dates.of(self.root) if files else {}
        for file in files:
            dates = committed.get(file.path)
            outcome = self.parsed(file, partial(note.parse_note, kind=kind, committed=dates), dates)
            self.faults += map(note.set_aside_error, outcome.faults)
            if isinstance(outcome.content, Tombstone):
                self.tombstones.append(outcome.content)
            elif outcome.content:
                self.records.append(outcome.content)
            else:
                self.set_aside.setdefault(f"/{kind.name}/{slug_of(file.path)}/", file.path)

    def _read_attachments(self, by_path: Mapping[str, ContentFile]) -> None:
        """Attachments, by public path."""
        before = len(self.faults)
        paths = {file.path: path for path, file in by_path.items()}
        for file in self.within_total(by_path.values(), ".", "bytes of files beside notes"):
            if static := self.content_of(file, attachments.read_attachment):
                self.static.setdefault(paths[file.path], static)
        self.faults[before:] = map(note.set_aside_error, self.faults[before:])
