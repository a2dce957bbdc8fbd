"""Which folders are plain ones."""

from pathlib import Path

from citepress.content.folder_formats import FolderFormat
from citepress_notes.generators import generator
from citepress_notes.notes_reader import NotesReader


def is_plain(root: Path, is_archive: bool) -> bool:
    """Whether a folder is one of notes: nothing in it is laid out as an archive, or it is laid out for another tool."""
    return not is_archive or bool(generator(root))


ALL = (FolderFormat("plain", is_plain, NotesReader),)
