"""Who reads a folder: the core what is laid out as an archive, extensions the folders that they know."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from citepress.content.archive_reader import ArchiveReader, content_folders
from citepress.content.files import is_folder, is_there
from citepress.content.folder_reader import FolderReader
from citepress.content.settings_file import SETTINGS_FILE
from citepress.contract.fault import NO_CONTENT
from citepress.contract.kind import Kind, Registry
from citepress.extension import install_hint, joined
from citepress.hooks import guard_of

PLAIN = "plain folder"


@dataclass(frozen=True, slots=True)
class FolderFormat:
    """A sort of folder, and who reads it."""

    name: str
    fits: Callable[[Path, bool], bool]
    """Whether it reads a folder ``(root, is_archive)``; ``is_archive`` says that the folder is laid out as an archive,
    and has no settings. One that has both is the core's."""
    reader: type[FolderReader]
    before: str = ""
    """The format that is asked after it; ``plain`` takes every folder that is no archive."""


class _NoReader(FolderReader):
    """Reads nothing of a folder, and says what would."""

    def read_all(self) -> None:
        """Add the fault."""
        hint = install_hint(PLAIN) or "name the folder that holds the content, or begin with `citepress init`"
        self.add_fault(NO_CONTENT, ".", "has no content/<kind>/, so it is a plain folder", hint)


ARCHIVE = FolderFormat("archive", lambda _, is_archive: is_archive, ArchiveReader)
_UNKNOWN = FolderFormat("unknown", lambda *_: True, _NoReader)


def format_of(root: Path, kinds: Sequence[Kind], registries: Sequence[Registry]) -> FolderFormat:
    """The format of a folder."""
    has_settings = is_there(root / SETTINGS_FILE)
    names = (*content_folders(kinds, registries), "owner.md", "sources.yaml")
    marks = ("datasets", *(f"content/{name}" for name in names))
    is_archive = any(is_there(root / mark) for mark in marks) or (has_settings and is_folder(root / "content"))
    if (has_settings and is_archive) or not is_folder(root):
        return ARCHIVE
    for form in joined("readers", FolderFormat, (), lambda form: (form.name,)):
        with guard_of(form):
            if form.fits(root, is_archive):
                return form
    return ARCHIVE if is_archive else _UNKNOWN
