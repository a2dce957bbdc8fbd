"""From a line of a log to the event that the door would have handed over, as far as the log tells it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from citepress.telemetry.access_logs.line import Line
from citepress.telemetry.capture.event import Event, Fields, ServedLeaf
from citepress.telemetry.capture.hashing import readable

MS_NS = 1_000_000
REMEMBERED = 65_536
"""Targets whose leaf is remembered."""
PUBLISHED = 200
SENT = frozenset({200, 206, 304, 412})
"""Statuses with which the door sends a leaf."""
MOVED = frozenset({301, 302, 303, 307, 308, 410})
"""Statuses with which another server sent what is a redirect or a removed page here."""
TYPES = {
    "html": b"text/html", "markdown": b"text/markdown", "json": b"application/json", "xml": b"application/xml", "text": b"text/plain",
    "other": b"application/octet-stream",
}  # fmt: skip
SUFFIXES = {
    "html": "html", "htm": "html", "xhtml": "html", "shtml": "html", "php": "html", "asp": "html", "aspx": "html", "jsp": "html", "cgi": "html", "md": "markdown", "json": "json", "xml": "xml", "rss": "xml", "atom": "xml", "txt": "text",
}  # fmt: skip
"""Representations by the end of a path, where a log does not tell the Content-Type."""


@dataclass(frozen=True, slots=True)
class LoggedPage:
    """What the edition has at a path, as far as it is counted; fills ``event.Leaf``."""

    route: str
    canonical: str
    kind: str
    status: int


_Known = tuple[ServedLeaf | None, ServedLeaf | None, Fields]
"""What is sent, what has moved, and the answer's fields where neither."""


class Events:
    """Makes events; remembers targets, bounded."""

    def __init__(self, page: Callable[[str], LoggedPage | None]) -> None:
        """``page`` looks a path up in the edition."""
        self._page = page
        self._known: dict[tuple[bytes, str], _Known] = {}

    def event(self, line: Line) -> Event:
        """The event of a line."""
        sent, moved, fields = self._known.get((line.target, line.form)) or self._looked_up(line)
        leaf = sent if line.status in SENT else moved if line.status in MOVED else None
        if leaf is None and line.status not in SENT and not line.form:
            fields = ()
        return (
            line.ts * MS_NS, line.client, line.agent, b"", line.referer, b"", None, line.method, b"" if leaf else line.target, line.query,
            leaf, None if leaf else fields, line.status, line.size, (),
        )  # fmt: skip

    def _looked_up(self, line: Line) -> _Known:
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        path = readable(line.target)
        page = self._page(path) if path is not None else None
        form = line.form or _guessed(path or "")
        fields: Fields = ((b"content-type", TYPES[form]),)
        sent = moved = None
        if page is not None and page.status == PUBLISHED:
            negotiated = page.kind != "asset" and line.form in TYPES and line.form not in (page.kind, "other")
            sent = replace(page, kind=line.form) if negotiated else page
        else:
            moved = page
        found = self._known[line.target, line.form] = (sent, moved, fields)
        return found


def _guessed(path: str) -> str:
    """The representation that a path without a known page was probably sent as."""
    name = path.rpartition("/")[2]
    return SUFFIXES.get(name.rpartition(".")[2].lower(), "other") if "." in name else "html"
