"""What the reader of plain folders adds to citepress."""

from citepress.extension import Extension

EXTENSION = Extension(name="notes", readers="citepress_notes.notes_reader:FORMATS", needed_to_serve=False)
