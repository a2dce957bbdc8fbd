"""An entry of the log: one edition, as the canonical JSON (RFC 8785) that is hashed."""

from dataclasses import asdict, dataclass

from citepress.base import fast_json
from citepress.base.canonical import canonical_bytes
from citepress.base.errors import CitepressError

ENTRY_BYTES = 1024
"""Bytes of the longest entry that is read."""


class EditionLogError(CitepressError, ValueError):
    """A log cannot be read or written; the sentence says why."""


@dataclass(frozen=True, slots=True)
class EditionTree:
    """What the tree of an edition comes to."""

    digest: str
    """Its root in hexadecimal."""
    entries: int
    """How many files it covers."""
    shards: int
    """A power of sixteen."""

    @property
    def digits(self) -> int:
        """How many hexadecimal digits name a shard."""
        return (self.shards.bit_length() - 1) // 4


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An edition in the log."""

    number: int
    """From 1, without gaps."""
    previous: str | None
    """Digest of the edition before; ``None`` for the first."""
    digest: str
    entries: int
    shards: int
    published_at: str
    """RFC 3339, in UTC."""

    @classmethod
    def after(cls, former: "LogEntry | None", tree: EditionTree, published_at: str) -> "LogEntry":
        """The entry of an edition that follows another one."""
        number, previous = (former.number + 1, former.digest) if former else (1, None)
        return cls(number, previous, tree.digest, tree.entries, tree.shards, published_at)

    @property
    def line(self) -> bytes:
        """The bytes that are hashed."""
        return canonical_bytes(asdict(self))

    @property
    def tree(self) -> EditionTree:
        """The edition's own tree."""
        return EditionTree(self.digest, self.entries, self.shards)


def entry_of(line: bytes) -> LogEntry:
    """The entry with these bytes. Raises ``EditionLogError``."""
    try:
        return LogEntry(**fast_json.loads(line))
    except (ValueError, TypeError):
        raise EditionLogError("an entry of the log of editions cannot be read") from None
