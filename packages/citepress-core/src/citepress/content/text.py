"""Bytes of a file as clean text, and the line and column of any place in it."""

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import islice

from citepress.base.errors import CitepressError

BOM = b"\xef\xbb\xbf"
_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML and terminals refuse: no form could carry them."""
_CONTROL_BYTES = bytes({*range(32)} - {*b"\t\n\r"})
_CONTROLS = re.compile(rb"[\x01-\x08\x0b\x0c\x0e-\x1f]")
MAX_CONTROLS = 5
"""Control characters of one file that a message names."""


class TextFault(CitepressError):  # noqa: N818  (it becomes a Fault)
    """The bytes are not clean text: line, column and reason."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(message)
        self.line, self.column, self.message = line, column, message


def decode(data: bytes) -> str:
    """UTF-8 text with plain line feeds at line ends; a byte order mark is dropped. Raises ``TextFault``."""
    data = data.removeprefix(BOM)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise TextFault(*position(before, len(before)), f"byte 0x{data[error.start]:02X} is not UTF-8") from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Almost no text holds any: bytes are counted without them in a fifth of the time of a search.
    if len(data.translate(None, _CONTROL_BYTES)) == len(data) and not ("\ufffe" in text or "\uffff" in text):
        return text
    if match := _UNWANTED.search(text):
        raise TextFault(*position(text, match.start()), unwanted(match[0]))
    return text


def without_controls(data: bytes) -> tuple[bytes, list[tuple[tuple[int, int], str]]]:
    """Text without the control characters that no form could carry, with place and message of the first few.

    NUL stays: a file that holds it is no text.
    """
    lost = list(islice(_CONTROLS.finditer(data), MAX_CONTROLS))
    if not lost:
        return data, []
    faults = []
    for match in lost:
        before = data[: match.start()].decode("utf-8", "replace")
        faults.append((position(before, len(before)), unwanted(match[0].decode())))
    return _CONTROLS.sub(b"", data), faults


def unwanted_in(text: str) -> str:
    """Why a string cannot be published, or nothing."""
    match = _UNWANTED.search(text)
    return unwanted(match[0]) if match else ""


def unwanted(character: str) -> str:
    """The sentence on a control character."""
    name = "a NUL character" if character == "\0" else f"the control character U+{ord(character):04X}"
    return f"holds {name}, which no page can carry"


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1, of a character offset."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def positions(text: str) -> Callable[[int], tuple[int, int]]:
    """``position`` for many offsets of one text: its lines are looked up once."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(offset: int) -> tuple[int, int]:
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    return place


def line_of(text: str, line: int) -> str:
    """The text of a line, cut at 400 characters; empty past the end."""
    if line < 1:
        return ""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
        if start == 0:
            return ""
    end = text.find("\n", start)
    return text[start : len(text) if end < 0 else end][:400]
