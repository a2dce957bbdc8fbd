"""Revisions of records that are kept in the state folder, from the first build on: for content without a history."""

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import orjson

from citepress.base import fast_json
from citepress.base.memo import memoized
from citepress.base.packed_values import FiledFrame, Frame
from citepress.content.folder import Folder
from citepress.content.source_record import SourceRecord, Tombstone
from citepress.contract.fault import Fault
from citepress.history.append_log import AppendLog, DamagedLogError
from citepress.history.revision_content import Wording, news, wording
from citepress.history.revision_numbers import GivenNumbers
from citepress.history.revisions import PublishedRevision, RecordRevisions
from citepress.history.state_files import PACK_FILE, REVISIONS
from citepress.history.vanished_records import vanished_faults

ZLIB_LEVEL = 1
MAX_HELD_BYTES = 64 * 1024 * 1024
"""Bytes of new revisions that are held until they are kept; what is beyond is worked out again."""


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


_MEMBERS = tuple(member.name for member in fields(PackedRevision))
_members = attrgetter(*_MEMBERS)


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

    def first_digests(self) -> dict[str, str]:
        """The digest of the first revision of each record, by id."""
        return {id_: chain[0].revision.digest for id_, chain in self._chains.items()}

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
        """Add revisions with what they said, compressed, and wait until they are on the disk. Raises ``OSError``.

        Only one process at a time may add, after ``refresh``.
        """
        self._log.add(_entry(revision) + b"\n" + packed for revision, packed in revisions)
        self.refresh()


def _entry(revision: PackedRevision) -> bytes:
    members = dict(zip(_MEMBERS, _members(revision), strict=True))
    return orjson.dumps({**members, "moment": int(revision.moment.timestamp())})


class KeptRevisions:
    """The revisions of the records of one content folder in a state folder."""

    def __init__(self, state: Path) -> None:
        """``state`` is the state folder."""
        self._folder = state / REVISIONS
        self._pack = RevisionPack(self._folder)
        self._new: dict[str, _NewRevision] = {}
        self._held_bytes = 0
        self.above = 0
        """The highest number that nothing new may have."""

    def of(self, drafts: Iterable[SourceRecord], moment: datetime) -> dict[str, RecordRevisions]:
        """The revisions of records by id, with those that ``keep`` is going to add. Raises ``DamagedLogError``."""
        self._pack.refresh()
        return {draft.id: self._of(draft, moment) for draft in drafts}

    def work_out(self, draft: SourceRecord, moment: datetime) -> None:
        """Note with a record what it says, and compressed the document of that, where it may be a first revision."""
        if self._pack.chain(draft.id):
            return
        said = _said(draft, moment)
        memoized(draft.memo, "wording", None, lambda: replace(said, document=b""))
        draft.memo["document"] = zlib.compress(said.document, ZLIB_LEVEL)

    def of_withdrawn(self, withdrawn: Iterable[Tombstone]) -> dict[str, RecordRevisions]:
        """The revisions that records had before they were taken back, by id. Raises ``DamagedLogError``."""
        self._pack.refresh()
        chains = {
            gone.id: self._pack.chain(gone.id) or self._pack.chain(self._former(gone.aliases)) for gone in withdrawn
        }
        return {
            id_: RecordRevisions(chain[-1].number, tuple(map(self._as_kept, chain)))
            for id_, chain in chains.items()
            if chain
        }

    def vanished(self, folder: Folder) -> tuple[Fault, ...]:
        """Warnings about records of the folder that were published and are not any more."""
        return tuple(vanished_faults(folder, self._pack.last(), partial(self._renamed, folder)))

    def _renamed(self, folder: Folder) -> dict[str, str]:
        """The ids of records whose last text is the first one of another record, and what that is called."""
        first = self._pack.first_digests()
        digests = {first[draft.id]: draft.id for draft in folder.drafts if draft.id in first}
        digests |= {new.revision.digest: id_ for id_, new in self._new.items() if id_ not in first}
        last = self._pack.last().items()
        return {id_: digests[revision.digest] for id_, revision in last if revision.digest in digests}

    def begin(self, given: GivenNumbers) -> None:
        """Read what was added since, and add nothing of what was new: it was not published.

        Raises ``DamagedLogError`` and ``OSError``; what was read is then read again the next time.
        """
        self._new, self._held_bytes = {}, 0
        try:
            self._pack.refresh()
        except (DamagedLogError, OSError):
            # A server that goes on must not compare with the half that was read.
            self._pack = RevisionPack(self._folder)
            raise
        # A pack that is empty though numbers were given was removed: what they were given to is not known any more.
        # Decision "A history that cannot be read stops the edition".
        self.above = given.above if self._pack.last() else max(given.above, given.highest)

    def keep(self) -> None:
        """Add what is new, while the folder is locked. Raises ``OSError`` and ``DamagedLogError``."""
        if not self._new:
            return
        self._pack.refresh()
        # Another process may have kept the same revision, or a later one, since this one was numbered.
        ahead = {id_: chain[-1].number for id_ in self._new if (chain := self._pack.chain(id_))}
        new = [new for id_, new in self._new.items() if new.revision.number > ahead.get(id_, 0)]
        self._pack.add((added.revision, added.packed()) for added in new)
        self._new, self._held_bytes = {}, 0

    def has_new(self) -> bool:
        """Whether ``keep`` has anything to add."""
        return bool(self._new)

    def _of(self, draft: SourceRecord, moment: datetime) -> RecordRevisions:
        fresh: list[bytes] = []

        def read() -> Wording:
            # Without the document, which is as long as the text: a build of 100,000 records holds only their digests.
            said = _said(draft, moment)
            fresh.append(said.document)
            return replace(said, document=b"")

        said = memoized(draft.memo, "wording", None, read)
        ahead: Frame = draft.memo.pop("document", b"")
        former = "" if self._pack.chain(draft.id) else self._former(draft.head.aliases)
        chain = self._pack.chain(former or draft.id)
        self._new.pop(draft.id, None)
        published = [self._as_kept(revision) for revision in chain]
        if not chain or chain[-1].digest != said.digest or former or chain[-1].number <= self.above:
            added = _added(draft.id, said, chain[-1] if chain else None, moment, former, self.above)
            self._new[draft.id] = _NewRevision(added, draft, moment, self._held(fresh, ahead))
            published.append(_as_kept(added, partial(self._document, draft.id, added.number)))
        return RecordRevisions(published[-1].number, tuple(published))

    def _former(self, aliases: Iterable[str]) -> str:
        """The id under which a record that has another name now was kept before; empty for a new record."""
        ids = (alias.strip("/") for alias in aliases)
        return next((id_ for id_ in ids if self._pack.chain(id_)), "")

    def _held(self, fresh: Sequence[bytes], ahead: Frame) -> Frame:
        """A document that was just worked out, compressed, which was done ``ahead`` of others.

        Nothing where there is none, or no more can be held.
        """
        if isinstance(ahead, FiledFrame):
            return ahead
        if not (fresh or ahead) or self._held_bytes > MAX_HELD_BYTES:
            return b""
        packed = ahead or zlib.compress(fresh[0], ZLIB_LEVEL)
        self._held_bytes += len(packed)
        return packed

    def _document(self, id_: str, number: int) -> bytes:
        """What a revision that was new said: from its record, or once ``keep`` was called, from the pack.

        So that a record is not held until its revision is rendered.
        """
        added = self._new.get(id_)
        if added and added.revision.number == number:
            return zlib.decompress(added.packed())
        return self._pack.document(id_, number)

    def _as_kept(self, revision: PackedRevision) -> PublishedRevision:
        return _as_kept(revision, partial(self._pack.document, revision.id, revision.number))


class _NewRevision(NamedTuple):
    """A revision that is not kept yet."""

    revision: PackedRevision
    draft: SourceRecord
    moment: datetime
    held: Frame
    """What it said, compressed; empty where it is worked out when it is asked for."""

    def packed(self) -> bytes:
        """What it said, compressed."""
        held = self.held.read() if isinstance(self.held, FiledFrame) else self.held
        return held or zlib.compress(_said(self.draft, self.moment).document, ZLIB_LEVEL)


def _said(draft: SourceRecord, moment: datetime) -> Wording:
    return wording(draft.kind, draft.front, draft.body, moment)


def _as_kept(revision: PackedRevision, document: Callable[[], bytes]) -> PublishedRevision:
    since, news_of = (revision.number, revision.moment, revision.title), (revision.notes, revision.credits)
    return PublishedRevision(*since, *news_of, revision.digest, document)


def _added(
    id_: str, said: Wording, before: PackedRevision | None, moment: datetime, former: str, above: int
) -> PackedRevision:
    """The revision of a record that was not kept so far: the first is dated by its author, each further one by now."""
    names_before = set(before.changes) if before else {change.id for change in said.changes}
    notes, credits_ = news((change for change in said.changes if change.id in names_before), said.changes)
    number = max(said.declared, (before.number if before else 0) + 1, above + 1)
    # A clock that was ahead must not make a later revision the earlier one.
    since = max(moment, before.moment) if before else min(said.updated, moment)
    names = tuple(change.id for change in said.changes)
    return PackedRevision(id_, number, since, said.title, notes, credits_, names, said.digest, former)
