"""Revisions of records in the state folder, for content without a history of its own: they are only ever added to."""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import orjson

from citepress.base import fast_json
from citepress.history.append_log import AppendLog
from citepress.history.state_files import PACK_FILE

LEVEL = 1


@dataclass(frozen=True, slots=True)
class PackedRevision:
    """A revision as it was published."""

    id: str
    """Id of its record."""
    number: int
    moment: datetime
    title: str
    notes: tuple[str, ...]
    credits: tuple[str, ...]
    changes: tuple[str, ...]
    """Names of the dated changes that the record had then."""
    digest: str
    """SHA-256 of what it said."""
    former: str = ""
    """The id that the record had before; empty unless this is its first revision under another."""


class _Placed(NamedTuple):
    """A revision, and where its entry is."""

    revision: PackedRevision
    at: int


class RevisionPack:
    """The revisions in one state folder."""

    def __init__(self, folder: Path) -> None:
        self._log = AppendLog(folder / PACK_FILE, measured=True)
        self._chains: dict[str, list[_Placed]] = {}

    def refresh(self) -> None:
        """Read what was added since. Raises ``DamagedLogError``."""
        for at, entry in self._log.more():
            head, _, _ = entry.partition(b"\n")
            members = fast_json.loads(head)
            members["moment"] = datetime.fromtimestamp(members["moment"], UTC)
            members |= {name: tuple(members[name]) for name in ("notes", "credits", "changes")}
            revision = PackedRevision(**members)
            chain = self._chains.setdefault(revision.id, list(self._chains.get(revision.former, ())))
            chain.append(_Placed(revision, at))

    def last(self) -> dict[str, PackedRevision]:
        """The newest revision of each record, by id; of one that moved under every id that it had."""
        return {id_: chain[-1].revision for id_, chain in self._chains.items()}

    def chain(self, id_: str) -> Sequence[PackedRevision]:
        """The revisions of a record, oldest first."""
        return [placed.revision for placed in self._chains.get(id_, ())]

    def document(self, id_: str, number: int) -> bytes:
        """What a revision said. Raises ``LookupError``."""
        at = next((placed.at for placed in self._chains.get(id_, ()) if placed.revision.number == number), None)
        if at is None:
            raise LookupError(f"{id_} has no revision {number}")
        return zlib.decompress(self._log.read(at).partition(b"\n")[2])

    def add(self, revisions: Iterable[tuple[PackedRevision, bytes]]) -> None:
        """Add revisions with what they said, and wait until they are on the disk. Raises ``OSError``.

        Only one process at a time may add.
        """
        self.refresh()
        self._log.add(_entry(revision) + b"\n" + zlib.compress(document, LEVEL) for revision, document in revisions)


def _entry(revision: PackedRevision) -> bytes:
    members = asdict(revision)
    return orjson.dumps({**members, "moment": int(revision.moment.timestamp())})
