"""The combined log of Apache and nginx, the same with the virtual host before it, and the Common Log Format."""

import re

from citepress_telemetry.access_logs.line import (
    MAX_LOGGED_BYTES,
    Line,
    agent,
    header_value,
    host_of,
    parse_request_line,
    stamped,
    unescaped,
)

QUOTED = rb'"((?:[^"\\]|\\.)*+)"'
COMMON_REST = (
    rb"[^\[]{0,255}\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d):([0-5]\d):([0-5]\d|60) ([+-]\d{4})\] "
    + QUOTED
    + rb" (\d{3}) (\d{1,16}|-)"
)
REST = COMMON_REST + rb" " + QUOTED + rb" " + QUOTED
"""Ident and user, time, request, status, bytes, Referer, User-Agent; further fields are ignored."""
COMMON = re.compile(rb"(\S{1,255}) \S{1,255} " + COMMON_REST + rb"\s*")
"""Without Referer and User-Agent, and nothing behind the bytes: a combined line that was cut is no common one."""
COMBINED = re.compile(rb"(\S{1,255}) \S{1,255} " + REST)
VHOST = re.compile(rb"(\S{1,255}) ([0-9A-Fa-f]*[.:][0-9A-Fa-f.:]{1,45}) \S{1,255} " + REST)
"""The client must be an address: otherwise a plain combined line would match with its client as the host."""


def combined(line: bytes) -> Line | None:
    """A line of the combined format."""
    match = COMBINED.match(line)
    return None if match is None else _read("", match.groups())


def common(line: bytes) -> Line | None:
    """A line of the Common Log Format, which names neither the client nor the page it came from."""
    match = COMMON.fullmatch(line)
    return None if match is None else _read("", (*match.groups(), b"-", b"-"))


def vhost(line: bytes) -> Line | None:
    """A line of vhost_combined: host and port, then as combined."""
    match = VHOST.match(line)
    return None if match is None else _read(host_of(match[1].decode("latin-1")), match.groups()[1:])


def _read(host: str, fields: tuple[bytes, ...]) -> Line | None:
    client, hour, minute, second, zone, request, status, size, referer, ua = fields
    ts = stamped(hour, minute, second, zone)
    if ts is None:
        return None
    method, path, query = parse_request_line(unescaped(request))
    sent = 0 if size == b"-" else min(int(size), MAX_LOGGED_BYTES)
    return Line(
        ts,
        client.decode("latin-1"),
        method,
        path,
        query,
        int(status),
        sent,
        header_value(unescaped(referer)),
        agent(unescaped(ua)),
        "",
        host,
    )
