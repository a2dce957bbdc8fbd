"""Attachments of notes: pictures and PDF files, published at their own paths."""

import re
from pathlib import Path

from citepress.content.files import ContentFile, is_utf8, printable_path
from citepress.content.images import SUFFIXES
from citepress.content.pages import StaticFile, static_file
from citepress.content.parsed import Parsed
from citepress.contract.fault import BAD_NAME, Fault, Faults, Span

ATTACHED = (*SUFFIXES, ".pdf")
"""Suffixes of attachments in lower case; settings, code and data of the folder are not published."""
_NAME = re.compile(r"[^\x00-\x1f\x7f\\?#%]+")
"""A path that needs no escape in an address."""


def is_attachment(path: str) -> bool:
    """Whether a file is published as an attachment, by its name."""
    return path.lower().endswith(ATTACHED)


def read_attachment(root: Path, file: ContentFile) -> Parsed[StaticFile]:
    """An attachment. Raises ``Faults``."""
    if not (_NAME.fullmatch(file.path) and is_utf8(file.path)):
        hint = "use letters, digits, spaces, dots, hyphens and underscores"
        raise Faults([Fault.at(BAD_NAME, Span(printable_path(file.path)), "the name cannot be part of a path", hint)])
    return static_file(root, file)
