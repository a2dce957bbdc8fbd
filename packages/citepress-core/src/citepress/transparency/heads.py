"""The head of a log as it is carried beside an edition: the newest entry, its audit path, and the signed checkpoint."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from citepress.base.canonical import plain
from citepress.transparency.entries import LogEntry, entry_of

MEMBER = "log"
"""Member of the pointer to an edition that holds its head."""


@dataclass(frozen=True, slots=True)
class LogHead:
    """The head of a log whose newest entry is the edition beside it."""

    entry: str
    """The entry as it is hashed."""
    audit_path: tuple[str, ...]
    """From the entry to the root of the log, in hexadecimal."""
    root: str
    checkpoint: str
    keys: tuple[str, ...]
    """Public keys that signed the checkpoint, the present one first."""
    files: tuple[str, ...]
    """The files of the log, in order, as paths from the folder of the pointer."""

    @classmethod
    def of(cls, members: object) -> "LogHead | None":
        """The head that a pointer carries; ``None`` where it carries none that can be read."""
        if not isinstance(members, Mapping):
            return None
        try:
            lists = {name: tuple(members[name]) for name in ("audit_path", "keys", "files")}
            return cls(**{**members, **lists})
        except (KeyError, TypeError):
            return None

    @property
    def newest(self) -> LogEntry:
        """The entry of the edition. Raises ``EditionLogError``."""
        return entry_of(self.entry.encode())

    def members(self) -> dict[str, Any]:
        """As the pointer carries it."""
        return {name: plain(getattr(self, name)) for name in self.__slots__}


def origin_of(base_url: str) -> str:
    """The name of the log of the archive with this address."""
    return quote(base_url.partition("://")[2].rstrip("/"), safe="/:[]@!$&'()*,;=~%")
