"""What the reader of plain folders adds to citepress."""

from citepress.extension import Extension

EXTENSION = Extension(name="notes", readers="citepress_notes.formats:ALL", needed_to_serve=False)
