"""From a log line to the event that the tap would have recorded, as far as the log shows it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from citepress_telemetry.access_logs.line import Line
from citepress_telemetry.capture.enrich import FILE_TYPE
from citepress_telemetry.capture.event import Event, HeaderFields, ServedLeaf
from citepress_telemetry.capture.hashing import readable

MS_NS = 1_000_000
MAX_REMEMBERED_TARGETS = 65_536
"""Targets whose leaf is cached."""
PUBLISHED_STATUS = 200
SENT_STATUSES = frozenset({200, 206, 304, 412})
"""Statuses with which this service sends a leaf."""
MOVED_STATUSES = frozenset({301, 302, 303, 307, 308, 410})
"""Statuses of another server for what is a redirect or a removed page here."""
TYPES = {
    "html": b"text/html",
    "markdown": b"text/markdown",
    "json": b"application/json",
    "xml": b"application/xml",
    "text": b"text/plain",
    "file": FILE_TYPE,
    "other": b"application/octet-stream",
}
_FILES = {
    "html": ("html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cgi"),
    "markdown": ("md",),
    "json": ("json",),
    "xml": ("xml", "rss", "atom"),
    "text": ("txt",),
}
SUFFIXES = {suffix: form for form, suffixes in _FILES.items() for suffix in suffixes}
"""Representations by file extension, if a log does not have the Content-Type."""


@dataclass(frozen=True, slots=True)
class LoggedPage:
    """What the edition has at a path, as far as it is counted; fills ``event.ServedLeaf``."""

    route: str
    canonical: str
    kind: str
    status: int


_Target = tuple[ServedLeaf | None, ServedLeaf | None, HeaderFields]
"""What is sent, what has moved, and the fields of the answer if neither is true."""


class Events:
    """Makes events; caches a bounded number of targets."""

    def __init__(self, page: Callable[[str], LoggedPage | None]) -> None:
        """``page`` looks up a path in the edition."""
        self._page = page
        self._targets: dict[tuple[bytes, str], _Target] = {}

    def event(self, line: Line) -> Event:
        """The event of a line."""
        sent, moved, fields = self._targets.get((line.target, line.form)) or self._looked_up(line)
        leaf = sent if line.status in SENT_STATUSES else moved if line.status in MOVED_STATUSES else None
        if leaf is None and line.status not in SENT_STATUSES and not line.form:
            fields = ()
        return (
            line.ts * MS_NS,
            line.client,
            line.agent,
            b"",
            line.referer,
            b"",
            None,
            line.method,
            b"" if leaf else line.target,
            line.query,
            leaf,
            None if leaf else fields,
            line.status,
            line.size,
            (),
        )

    def _looked_up(self, line: Line) -> _Target:
        if len(self._targets) >= MAX_REMEMBERED_TARGETS:
            self._targets.clear()
        path = readable(line.target)
        page = self._page(path) if path is not None else None
        form = line.form or _guessed(path or "")
        fields: HeaderFields = ((b"content-type", TYPES[form]),)
        sent = moved = None
        if page is not None and page.status == PUBLISHED_STATUS:
            negotiated = page.kind != "asset" and line.form in TYPES and line.form not in (page.kind, "file", "other")
            sent = replace(page, kind=line.form) if negotiated else page
        else:
            moved = page
        target = self._targets[line.target, line.form] = (sent, moved, fields)
        return target


def _guessed(path: str) -> str:
    """The representation in which a path without a page was probably sent."""
    name = path.rpartition("/")[2]
    return SUFFIXES.get(name.rpartition(".")[2].lower(), "other") if "." in name else "html"
