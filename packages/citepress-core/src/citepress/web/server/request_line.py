"""Request lines: those that need no parser, those that it does not take as they are, and those of other protocols."""

import re
from collections.abc import Sequence
from urllib.parse import quote_from_bytes

FIRST_LINE = re.compile(rb"(?:\r\n)*([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) ([!-~\x80-\xff]+) (HTTP/1\.[01]\r\n)")
STAND_IN = b"DELETE"
"""A method that the parser knows and that, like one it does not know, may have a body."""
TARGET_SAFE = "".join(map(chr, range(0x21, 0x7F)))
HOST = re.compile(rb"(?:\[[0-9A-Fa-f:.]{2,45}\]|[!$&'()*+;=%._~0-9A-Za-z-]{1,255})(?::[0-9]{0,5})?")
"""A Host field: a name or an address, and perhaps a port (RFC 9112, 3.2). No comma: two of them may have been
joined."""
ABSOLUTE = re.compile(rb"https?://([^/?#]*)([^#]*)", re.IGNORECASE)
FOREIGN, METHOD_PATTERN = re.compile(rb" (?:RTSP|ICE)/"), re.compile(rb"[A-Z_]*")
"""What a request line of another protocol holds that the parser would take for HTTP, and what it begins with."""
FIELD_LINE = b":"
"""Stands for the beginning of a line that is no request line."""
NOWHERE = -1
PLAIN_LINE = re.compile(rb"(GET|HEAD) (/[!-\"$->@-~]{0,2000})(?:\?([!-\"$-~]{0,2000}))? HTTP/1\.1\r\n")
"""A request line that needs no parser; whatever it does not match is left to one."""
KNOWN_METHODS = {b"GET": "GET", b"HEAD": "HEAD"}


def foreign_line(begun: bytes, data: bytes) -> int:
    """Where in ``data`` a request line of another protocol begins that the parser would take for HTTP.

    ``begun`` is what came of its line before. ``NOWHERE`` where there is none.
    """
    text, behind = begun + data, 0
    for protocol in FOREIGN.finditer(text):
        if protocol.start() < behind:
            continue
        start = text.rfind(b"\n", behind, protocol.start()) + 1 or behind
        method, space, _ = text[start : protocol.start()].partition(b" ")
        if space and METHOD_PATTERN.fullmatch(method):
            return max(0, start - len(begun))
        behind = text.find(b"\n", protocol.end()) + 1 or len(text)
    return NOWHERE


def repair_request(data: bytes) -> tuple[str, bytes] | None:
    """A request whose method or target the parser rejects: its method, and the request with both replaced.

    ``None`` where it does not begin with a request line.
    """
    line = FIRST_LINE.match(data)
    if not line:
        return None
    target = quote_from_bytes(line[2], safe=TARGET_SAFE).encode()
    return line[1].decode(), b" ".join((STAND_IN, target, line[3])) + data[line.end() :]


def origin_form(target: bytes, headers: Sequence[tuple[bytes, bytes]]) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """An absolute target as path and query, its authority in place of the Host field (RFC 9112, 3.2.2).

    Others as they are.
    """
    absolute = ABSOLUTE.fullmatch(target)
    if not absolute:
        return target, list(headers)
    path = absolute[2] if absolute[2].startswith(b"/") else b"/" + absolute[2]
    return path, [(b"host", absolute[1]), *((name, value) for name, value in headers if name != b"host")]
