"""Files beside notes: pictures and papers that notes show or link, published where they lie."""

import re
from pathlib import Path

from citepress.content import files
from citepress.content.files import ContentFile, shown
from citepress.content.images import SUFFIXES, is_image, size_of
from citepress.content.pages import STATIC_BYTES, StaticFile
from citepress.contract.fault import BAD_NAME, IMAGE, Fault, Span

ATTACHED = (*SUFFIXES, ".pdf")
"""What the names of files beside notes end in, in small letters; settings, code and data of the folder are nobody's to read."""
_NAME = re.compile(r"[^\x00-\x1f\x7f\\?#%]+")
"""A path that stands in an address as it is."""


def attached(path: str) -> bool:
    """Whether a file is published beside notes, by its name."""
    return path.lower().endswith(ATTACHED)


def read_attachment(root: Path, file: ContentFile) -> tuple[StaticFile | None, tuple[Fault, ...]]:
    """A file beside notes, or its faults (and a warning beside an image that no size can be read from)."""
    if not _NAME.fullmatch(shown(file.path)) or shown(file.path) != file.path:
        hint = "use letters, digits, spaces, dots, hyphens and underscores"
        return None, (Fault.at(BAD_NAME, Span(shown(file.path)), "the name cannot stand in a path", hint),)
    data = files.read(root, file, STATIC_BYTES)
    if isinstance(data, Fault):
        return None, (data,)
    size = size_of(file.path, data) if is_image(file.path) else None
    if size or not is_image(file.path):
        return StaticFile(data, size), ()
    return StaticFile(data, None), (Fault.at(IMAGE, Span(shown(file.path)), "its width and height cannot be read", ""),)
