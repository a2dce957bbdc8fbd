"""The text of a Markdown file, decoded within bounds."""

import re
from pathlib import Path

from citepress.content import files
from citepress.content.files import ContentFile, is_markdown, printable_path
from citepress.content.text import TextFault, decode, position, without_controls
from citepress.contract.fault import NOT_UTF8, TOO_LARGE, Fault, Faults, Span

FRONT_BYTES = 262_144
BODY_BYTES = 2_097_152
MAX_TABLE_CELLS = 500_000
"""Cells of all tables of one text."""
_DELIMITER_ROW = re.compile(r"^[ \t>:-]*\|[ \t>|:-]*$", re.MULTILINE)
"""What is below the header of a table; other lines may match too."""


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
        text = decode(data)
    except TextFault as error:
        line = data.split(b"\n")[error.line - 1 : error.line] or [b""]
        place = Span(printable_path(file.path), error.line, error.column, line[0][:400].decode("utf-8", "replace"))
        raise Faults([Fault.at(NOT_UTF8, place, error.message, "save the file as UTF-8 text")]) from None
    if "|" in text and is_markdown(file.path) and (at := _too_many_cells(text)) >= 0:
        place = Span(printable_path(file.path), *position(text, at))
        message = f"with the table that has this row, the tables of the text have over {MAX_TABLE_CELLS:,} cells"
        raise Faults([Fault.at(TOO_LARGE, place, message, "publish the table as a dataset, or take columns away")])
    return text


def _too_many_cells(text: str) -> int:
    """Where the tables of a text pass their bound, in characters; -1 where they do not.

    A parser fills each row up to the width of its table, so that 80 KB can become millions of cells.
    """
    cells = at = 0
    while row := _DELIMITER_ROW.search(text, at):
        end = text.find("\n\n", row.end())
        at = len(text) if end < 0 else end
        cells += row[0].count("|") * text.count("\n", row.start(), at)
        if cells > MAX_TABLE_CELLS:
            return row.start()
    return -1
