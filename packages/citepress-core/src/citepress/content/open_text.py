"""The text of a Markdown file, decoded within bounds."""

from pathlib import Path

from citepress.content import files
from citepress.content.files import ContentFile, printable_path
from citepress.content.text import TextFault, decode, without_controls
from citepress.contract.fault import NOT_UTF8, Fault, Faults, Span

FRONT_BYTES = 262_144
BODY_BYTES = 2_097_152


def open_text_without_controls(root: Path, file: ContentFile) -> tuple[str, list[Fault]]:
    """The text of a file, and the control characters that are left out of it. Raises ``Faults``."""
    data, lost = without_controls(files.read_bytes(root, file, FRONT_BYTES + BODY_BYTES))
    path = printable_path(file.path)
    return decoded(data, file), [Fault.at(NOT_UTF8, Span(path, *place), message) for place, message in lost]


def open_text(root: Path, file: ContentFile, limit: int = FRONT_BYTES + BODY_BYTES) -> str:
    """The text of a file. Raises ``Faults``."""
    return decoded(files.read_bytes(root, file, limit), file)


def decoded(data: bytes, file: ContentFile) -> str:
    """The bytes of a file as text. Raises ``Faults``."""
    try:
        return decode(data)
    except TextFault as error:
        line = data.split(b"\n")[error.line - 1 : error.line] or [b""]
        place = Span(printable_path(file.path), error.line, error.column, line[0][:400].decode("utf-8", "replace"))
        raise Faults([Fault.at(NOT_UTF8, place, error.message, "save the file as UTF-8 text")]) from None
