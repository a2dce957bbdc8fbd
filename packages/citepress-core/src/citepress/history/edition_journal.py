"""Remembers what each edition of an output changed, so that it can be told later which addresses changed since when."""

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import orjson

from citepress.base import fast_json
from citepress.base.timestamps import rfc3339
from citepress.history.append_log import MAX_ENTRY_BYTES, AppendLog, DamagedLogError
from citepress.history.state_files import JOURNAL_FILE

MAX_JOURNAL_BYTES = 16_777_216
"""Bytes beyond which the older half of the entries is forgotten."""


@dataclass(frozen=True, slots=True)
class JournaledEdition:
    """An edition, and what was at the addresses that it changed."""

    at: datetime
    digest: str
    former: str = ""
    """The digest of the edition before; empty where none is remembered."""
    replaced: Mapping[str, str] | None = None
    """For each changed path the digest of what was there before; empty where nothing was."""
    listed: tuple[str, ...] = ()
    """Paths that sitemaps list since this edition."""
    unlisted: tuple[str, ...] = ()
    """Paths that sitemaps no longer list since this edition."""
    numbers: frozenset[int] = frozenset()
    """The numbers under which it was published to object stores."""


class EditionJournal:
    """The editions of one output in their order. Whoever builds there is the only one who adds."""

    def __init__(self, output: Path) -> None:
        self._file = output / JOURNAL_FILE

    def exists(self) -> bool:
        """Whether any edition is remembered."""
        return self._file.exists()

    def editions(self) -> list[JournaledEdition]:
        """The editions that follow on each other, oldest first. Raises ``DamagedLogError``."""
        return _chained(_read(AppendLog(self._file)))

    def note(self, edition: JournaledEdition) -> None:
        """Remember an edition. A journal that is damaged begins anew. Raises ``OSError``."""
        self._add(_entry(edition))

    def note_number(self, digest: str, number: int, at: datetime) -> None:
        """Remember the number under which an edition was published. Raises ``OSError``."""
        try:
            newest = next((each for each in reversed(self.editions()) if each.digest == digest), None)
        except DamagedLogError:
            newest = None
        if newest is None or number not in newest.numbers:
            self._add(_packed({"digest": digest, "number": number, "at": rfc3339(at)}))

    def _add(self, entry: bytes) -> None:
        log = AppendLog(self._file)
        try:
            entries = [stored for _, stored in log.more()]
        except DamagedLogError:
            # Only `citepress diff` reads it, so it begins anew instead of keeping an edition from being published.
            self._file.unlink()
            log, entries = AppendLog(self._file), []
        size = sum(map(len, entries)) + len(entry)
        if size <= MAX_JOURNAL_BYTES:
            log.add([entry])
            return
        while entries and size > MAX_JOURNAL_BYTES // 2:
            size -= len(entries.pop(0))
        part = self._file.with_name(f"{self._file.name}.part")
        part.unlink(missing_ok=True)
        AppendLog(part).add([*entries, entry])
        part.replace(self._file)


def _read(log: AppendLog) -> list[JournaledEdition]:
    """The editions as they were noted, each with its numbers."""
    editions: list[JournaledEdition] = []
    for _, entry in log.more():
        members = fast_json.loads(zlib.decompress(entry))
        at = datetime.fromisoformat(members["at"])
        if (number := members.get("number")) is None:
            listed, unlisted = tuple(members["listed"]), tuple(members["unlisted"])
            editions.append(
                JournaledEdition(at, members["digest"], members["former"], members["replaced"], listed, unlisted)
            )
            continue
        # An edition that was made before there was a journal is remembered from the moment of its publication on.
        if not editions or editions[-1].digest != members["digest"]:
            editions.append(JournaledEdition(at, members["digest"]))
        editions[-1] = replace(editions[-1], numbers=editions[-1].numbers | {number})
    return editions


def _chained(editions: Iterable[JournaledEdition]) -> list[JournaledEdition]:
    """The editions behind the last place where one is missing."""
    chain: list[JournaledEdition] = []
    for edition in editions:
        # Across a gap, what was there before would be told wrong.
        if chain and (edition.former != chain[-1].digest or edition.replaced is None):
            chain = []
        chain.append(edition)
    return chain


def _entry(edition: JournaledEdition) -> bytes:
    members = {
        "at": rfc3339(edition.at),
        "digest": edition.digest,
        "former": edition.former,
        "replaced": edition.replaced,
        "listed": edition.listed,
        "unlisted": edition.unlisted,
    }
    entry = _packed(members)
    if len(entry) <= MAX_ENTRY_BYTES:
        return entry
    return _packed({**members, "replaced": None, "listed": (), "unlisted": ()})  # the memory begins anew here


def _packed(members: Mapping[str, object]) -> bytes:
    return zlib.compress(orjson.dumps(members))
