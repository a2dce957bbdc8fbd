"""Who reads a folder: the core what is laid out as an archive, and extensions the folders that they know."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from citepress.content import settings_file
from citepress.content.archive_reader import ArchiveReader, content_folders
from citepress.content.folder_reader import FolderReader
from citepress.content.generators import generator
from citepress.content.notes_reader import NotesReader
from citepress.contract.kind import Kind, Registry
from citepress.extension import joined
from citepress.hooks import guard_of


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


def _is_plain(root: Path, is_archive: bool) -> bool:
    return not is_archive or bool(not (root / settings_file.SETTINGS_FILE).exists() and generator(root))


ARCHIVE = FolderFormat("archive", lambda _root, is_archive: is_archive, ArchiveReader)
PLAIN = FolderFormat("plain", _is_plain, NotesReader)


def format_of(root: Path, kinds: Sequence[Kind], registries: Sequence[Registry]) -> FolderFormat:
    """The format of a folder."""
    has_settings = (root / settings_file.SETTINGS_FILE).exists()
    is_archive = _is_archive(root, kinds, registries) or (has_settings and (root / "content").is_dir())
    if (has_settings and is_archive) or not root.is_dir():
        return ARCHIVE
    for form in joined("readers", FolderFormat, (PLAIN,), lambda form: (form.name,)):
        with guard_of(form):
            if form.fits(root, is_archive):
                return form
    return ARCHIVE


def _is_archive(root: Path, kinds: Sequence[Kind], registries: Sequence[Registry]) -> bool:
    """Whether a folder has any part of an archive beside its settings."""
    names = (*content_folders(kinds, registries), "owner.md", "sources.yaml")
    return any((root / mark).exists() for mark in ("datasets", *(f"content/{name}" for name in names)))
