"""Cursors: where the next page of a list or of a tool's answer begins."""

import base64
import binascii
import hashlib
import re
from typing import NamedTuple

from citepress.base.canonical import base64url

TAG_DIGITS = 8
"""Hexadecimal digits of a tag and of an edition's mark."""
MAX_CURSOR_CHARS = 200
"""Characters of a cursor at most."""
_FORM = re.compile(rf"([0-9a-f]{{{TAG_DIGITS}}})\.(0|[1-9][0-9]{{0,9}})\.([0-9a-f]{{{TAG_DIGITS}}})", re.ASCII)


class Cursor(NamedTuple):
    """A position in a list (items) or in a text (characters), with its owner and edition."""

    tag: str
    offset: int
    edition: str


def tag(*parts: bytes) -> str:
    """The owner of a cursor: a method, or a tool with its arguments."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:TAG_DIGITS]


def edition_mark(digest: str) -> str:
    """The mark of the edition in which a cursor was issued."""
    return hashlib.sha256(digest.encode()).hexdigest()[:TAG_DIGITS]


def write(cursor: Cursor) -> str:
    """The cursor as clients send it back."""
    return base64url(f"{cursor.tag}.{cursor.offset}.{cursor.edition}".encode())


def read_cursor(text: object, tag: str) -> Cursor | None:
    """A cursor of this tag; ``None`` for anything else."""
    # A cursor comes back from a client, so it is read as strictly as any other input.
    if not isinstance(text, str) or not 0 < len(text) <= MAX_CURSOR_CHARS:
        return None
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return None
    match = _FORM.fullmatch(decoded)
    # The tag binds a cursor to its list and its filters; elsewhere the offset would mean another place.
    return Cursor(tag, int(match[2]), match[3]) if match and match[1] == tag else None
