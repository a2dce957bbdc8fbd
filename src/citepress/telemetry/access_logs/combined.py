"""The combined log of Apache and nginx, and the same with the virtual host before it."""

import re

from citepress.telemetry.access_logs.line import MOST_BYTES, Line, agent, asked, host_of, said, stamped, unescaped

QUOTED = rb'"((?:[^"\\]|\\.)*+)"'
REST = (
    rb"[^\[]{0,255}\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d):([0-5]\d):([0-5]\d|60) ([+-]\d{4})\] "
    + QUOTED + rb" (\d{3}) (\d{1,16}|-) " + QUOTED + rb" " + QUOTED
)  # fmt: skip
"""Ident and user, time, request, status, bytes, Referer, User-Agent; what follows is the operator's own and not read."""
COMBINED = re.compile(rb"(\S{1,255}) \S{1,255} " + REST)
VHOST = re.compile(rb"(\S{1,255}) ([0-9A-Fa-f]*[.:][0-9A-Fa-f.:]{1,45}) \S{1,255} " + REST)
"""The client has to be an address, or a plain combined line would fit, its client as the host."""


def combined(line: bytes) -> Line | None:
    """A line of the combined format."""
    found = COMBINED.match(line)
    return None if found is None else _read("", found.groups())


def vhost(line: bytes) -> Line | None:
    """A line of vhost_combined: host and port, then as combined."""
    found = VHOST.match(line)
    return None if found is None else _read(host_of(found[1].decode("latin-1")), found.groups()[1:])


def _read(host: str, fields: tuple[bytes, ...]) -> Line | None:
    client, hour, minute, second, zone, request, status, size, referer, ua = fields
    ts = stamped(hour, minute, second, zone)
    if ts is None:
        return None
    method, path, query = asked(unescaped(request))
    sent = 0 if size == b"-" else min(int(size), MOST_BYTES)
    return Line(
        ts, client.decode("latin-1"), method, path, query, int(status), sent, said(unescaped(referer)), agent(unescaped(ua)), "", host
    )  # fmt: skip
