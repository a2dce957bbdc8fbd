"""The path that a request target means: decoded once, refused when it cannot be read.

Lookups are by whole path in the edition, never in a file system, so dot segments, doubled slashes and the like are
paths where nothing is published. Percent-encoded forms are read as the characters they stand for, ``%2F`` too: the
specification's ``<canonical_path>`` may be written either way.
"""

import re
from urllib.parse import quote, unquote_to_bytes

from citepress.base.errors import CitepressError
from citepress.contract.problem import BAD_PATH, HEADERS_TOO_LARGE, URI_TOO_LONG, ProblemType
from citepress.edition.served import PATH_SAFE
from citepress.http.limits import HEADER_BYTES, TARGET_BYTES
from citepress.http.message import Request

PLAIN_PATH = re.compile(rb"/[A-Za-z0-9/._~-]*+")
BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


class UnreadableError(CitepressError, ValueError):
    """The request cannot be parsed: the problem type, and a sentence with the reason."""

    def __init__(self, problem_type: ProblemType, detail: str = "") -> None:
        super().__init__(detail or problem_type.about)
        self.problem_type = problem_type


def read(request: Request) -> str:
    """The path that a request asks for. Raises ``UnreadableError``: over a limit, or no path."""
    if request.size > HEADER_BYTES:
        raise UnreadableError(HEADERS_TOO_LARGE)
    target = request.target
    if len(target) + len(request.query) > TARGET_BYTES:
        raise UnreadableError(URI_TOO_LONG)
    # Clients keep fragments to themselves (RFC 9110, section 7.1), so one that arrives is a mistake worth a word.
    if b"#" in target or b"#" in request.query:
        raise UnreadableError(BAD_PATH, "A request target has no fragment.")
    # Nearly every path is plain, and the check costs less than decoding.
    return target.decode("ascii") if PLAIN_PATH.fullmatch(target) else _decoded(target or b"/")


def _decoded(target: bytes) -> str:
    if not target.startswith(b"/"):
        raise UnreadableError(BAD_PATH, "The request target does not begin with a slash.")
    # Python would leave a broken escape as it is, so that two spellings meant one path.
    if BAD_ESCAPE.search(target):
        raise UnreadableError(BAD_PATH, "A percent sign is not followed by two hexadecimal digits.")
    try:
        path = unquote_to_bytes(target).decode()
    except UnicodeDecodeError:
        raise UnreadableError(BAD_PATH, "The path is not UTF-8.") from None
    # A control character of a path would travel on into logs, fields and terminals.
    if CONTROL.search(path):
        raise UnreadableError(BAD_PATH, "The path holds a control character.")
    return path


def printable_target(target: bytes, most: int = 2048) -> str:
    """The target for a problem document: percent-encoded as it was sent, made printable and bounded."""
    return quote(target[:most], safe=PATH_SAFE + "%")
