"""Accepting a submission: the change to the content file, the credit in it, and the diff that shows both."""

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from typing import Any

from citepress.archive.assemble import check
from citepress.archive.history import history as record_history
from citepress.archive.model import Archive, Entry
from citepress.base.text import did_you_mean
from citepress.base.timestamps import as_moment, day
from citepress.base.urls import normalise
from citepress.content import note, schedule
from citepress.content import source_record as drafts
from citepress.content.files import ContentFile
from citepress.content.folder import Folder
from citepress.content.source_record import SourceRecord
from citepress.contract.fault import Fault, Level
from citepress.contract.record import Record, SourceInput
from citepress.inbox.change import PLAIN, AcceptError, ContentChange, Decision, change_of, choices, record_of, remembered
from citepress.inbox.passage import Passage, PassageError, changed
from citepress.inbox.patch import Item, Unpatchable, edited
from citepress.inbox.ports import InboxStore, Status, StatusChange, StatusConflict, StoredSubmission
from citepress.inbox.review import everything, history, move, submission_by_id
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES

SERVICE = "citepress"
"""Who a step is by that the service takes itself."""
NOTE = 4000
TEMPORARY = re.compile(r"\.accept-[a-z0-9_]{8}")
LEFT_S = 60
"""Seconds after which nobody writes a temporary file any more."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A change to one file of the content folder."""

    file: str
    """Path relative to the content folder."""
    before: bytes
    after: bytes
    diff: str
    """Unified diff; empty when the change stands already."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted submission and what it changed."""

    stored: StoredSubmission
    patch: Patch
    change: ContentChange


def accept(store: InboxStore, folder: Folder, id_: str, by: str, moment: datetime, decision: Decision = PLAIN) -> Accepted:
    """Accept a submission and write its change and credit into the content folder.

    The decision is recorded first and the file put in place whole, so that after a crash between the two, accepting the
    submission again writes the same change. Nothing is written or recorded when the folder would not pass its checks.
    Raises ``AcceptError``, ``ReviewError``, ``StatusConflict``.
    """
    stored = submission_by_id(store, id_)
    known = accepted_change(store, stored) if stored.status is Status.ACCEPTED else None
    change = known or _decided(folder, stored, moment, decision)
    patch = plan(folder, change)
    step = StatusChange(by, Status.ACCEPTED, decision.note[:NOTE], detail=change.detail)
    if stored.status is not Status.ACCEPTED:
        stored = move(store, stored, step, moment)
    elif known is None:  # accepted before changes of this kind were made
        stored = store.record(id_, stored.status, [replace(step, to=None)], moment)
    _clear_left((folder.root / patch.file).parent, moment)
    if patch.diff:
        write(folder.root, patch)
    return Accepted(stored, patch, change)


def located(folder: Folder, stored: StoredSubmission, decision: Decision) -> tuple[Passage, ...]:
    """Where the passage stands that a correction is about. Raises ``AcceptError``."""
    draft = _draft(folder, record_of(stored, decision))
    try:
        return choices(stored, decision, _text(folder, draft))
    except Unpatchable as error:
        raise AcceptError(f"{draft.file}: {error}") from None


def accepted_change(store: InboxStore, stored: StoredSubmission) -> ContentChange | None:
    """The change that was recorded when the submission was accepted."""
    details = [event.detail for event in history(store, stored.id) if "list" in event.detail]
    return remembered(details[-1]) if details else None


def _decided(folder: Folder, stored: StoredSubmission, moment: datetime, decision: Decision) -> ContentChange:
    draft = _draft(folder, record_of(stored, decision))
    try:
        return change_of(stored, moment, decision, _text(folder, draft))
    except Unpatchable as error:
        raise AcceptError(f"{draft.file}: {error}") from None


def _draft(folder: Folder, id_: str) -> SourceRecord:
    draft = next((one for one in folder.drafts if one.id == id_), None)
    if draft is None:
        hint = did_you_mean(id_, (one.id for one in folder.drafts))
        raise AcceptError(f"{id_!r} is no published record; {hint}".removesuffix("; "))
    return draft


def _text(folder: Folder, draft: SourceRecord) -> str:
    return (folder.root / draft.file).read_bytes().decode()


def plan(folder: Folder, change: ContentChange) -> Patch:
    """The patch that makes a change, after checking that the folder would still pass with it. Raises ``AcceptError``."""
    draft = _draft(folder, change.record)
    before = (folder.root / draft.file).read_bytes()
    if any(_is_of(one, change) for one in getattr(draft.front, change.list)):
        return Patch(draft.file, before, before, "")
    try:
        after = _patched(folder, draft, change, before.decode())
    except (Unpatchable, PassageError) as error:
        raise AcceptError(f"{draft.file}: {error}") from None
    _refuse_faults(folder, draft, after)
    return Patch(draft.file, before, after, _diff(draft.file, before, after))


def _patched(folder: Folder, draft: SourceRecord, change: ContentChange, text: str) -> bytes:
    """The file with the change: its edits, its sources, its dated note. Raises ``AcceptError``, ``PassageError``, ``Unpatchable``."""
    below, values = changed(text, change.edits)
    added = {name: items for name, items in _added(folder, draft, change) if items}
    return edited(text, added, _follows(draft, change), values, below).encode()


def _added(folder: Folder, draft: SourceRecord, change: ContentChange) -> Iterator[tuple[str, list[Item]]]:
    """What is added, list by list. A source was read on the day of its acceptance; evidence of a correction dates nothing."""
    cited = _cited(folder, draft)
    if change.source and normalise(change.source) in cited:
        raise AcceptError(f"{change.record} cites {change.source} already: decline the submission as already_covered")
    if change.source:
        yield "sources", [{"url": change.source, "accessed_at": change.date}]
    else:
        yield "sources", [{"url": url} for url in change.evidence if normalise(url) not in cited]
    yield change.list, [change.entry]


def _follows(draft: SourceRecord, change: ContentChange) -> dict[str, str | int]:
    """Single keys that have to follow a change; a ``lastmod`` that no note speaks of stays, for it is a change of its own."""
    front, replaced = draft.front, dict[str, str | int]()
    if change.list == "credits":
        return replaced
    bare = record_history(front).unexplained
    if front.lastmod and not bare and front.lastmod < as_moment(datetime.fromisoformat(change.date)):
        replaced["lastmod"] = change.date
    if front.revision:
        replaced["revision"] = front.revision + 1
    return replaced


def _is_of(one: Any, change: ContentChange) -> bool:  # noqa: ANN401  (an entry of any dated list)
    """Whether a dated entry is that of a change: by the submission's id; by its words where it was written without one."""
    if one.submission or change.submission:
        return bool(one.submission == change.submission)
    return (day(one.date), one.note, one.credit) == (change.date, change.note, change.credit)


def _cited(folder: Folder, draft: SourceRecord) -> set[str]:
    """The normal form of every address that the record cites, shared sources included."""
    given = (item.url if isinstance(item, SourceInput) else item for item in draft.front.sources)
    urls = (folder.shared.sources[one].url if one in folder.shared.sources else one for one in given)
    return {normalise(url) for url in urls if "://" in url}


def _refuse_faults(folder: Folder, draft: SourceRecord, after: bytes) -> None:
    """Read the file as it would be, among all the others, and refuse what the checks would not pass in it."""
    with tempfile.TemporaryDirectory(prefix="citepress-") as name:
        copy = Path(name) / draft.file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(after)
        stamp = (folder.root / draft.file).stat().st_mtime_ns
        parsed = (note.parse_note if folder.plain else drafts.parse)(Path(name), ContentFile(draft.file, len(after), stamp), draft.kind)
        if parsed.draft is None:
            raise AcceptError(_sentence(parsed.faults))
        shown = schedule.as_of(parsed.draft, folder.moment)
        others = tuple(shown if one is draft else one for one in folder.drafts)
        held = tuple(parsed.draft if one.file == draft.file else one for one in folder.held)
        faults = check(replace(folder, drafts=others, held=held), KINDS, REGISTRIES)[1]
        if wrong := tuple(one for one in faults if one.code.level is Level.ERROR and one.place.file == draft.file):
            raise AcceptError(_sentence(wrong))


def _sentence(faults: tuple[Fault, ...]) -> str:
    told = "; ".join(f"{fault.place.file}:{fault.place.line} {fault.code.id} {fault.message}" for fault in faults[:5])
    return f"the folder would not pass its checks: {told}"


def _diff(file: str, before: bytes, after: bytes) -> str:
    old, new = (data.decode().splitlines(keepends=True) for data in (before, after))
    return "".join(unified_diff(old, new, f"a/{file}", f"b/{file}"))


def write(root: Path, patch: Patch) -> None:
    """Put the patched file in place of the old one, whole or not at all. Raises ``AcceptError``."""
    path = root / patch.file
    try:
        if path.read_bytes() != patch.before:
            raise AcceptError(f"{patch.file} was changed meanwhile: accept the submission again")
        handle, name = tempfile.mkstemp(prefix=".accept-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as opened:
                opened.write(patch.after)
                opened.flush()
                os.fsync(opened.fileno())
            Path(name).chmod(path.stat().st_mode)
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise AcceptError(f"{patch.file} cannot be written ({error.strerror}): the submission is accepted, accept it again") from None


def _clear_left(where: Path, moment: datetime) -> None:
    """Take away what an acceptance left that was killed before it put its file in place."""
    for path in where.glob(".accept-*"):
        with contextlib.suppress(OSError):
            if TEMPORARY.fullmatch(path.name) and moment.timestamp() - path.lstat().st_mtime > LEFT_S:
                path.unlink()


def credit_published(store: InboxStore, archive: Archive, moment: datetime) -> tuple[StoredSubmission, ...]:
    """Mark every accepted submission as credited whose credit the published archive shows; call it after a build."""
    accepted = list(everything(store, (Status.ACCEPTED,)))
    credits_of = _credits(archive) if accepted else {}
    credited = []
    for stored in accepted:
        entry = credits_of.get(stored.id) or _shown(archive, accepted_change(store, stored))
        if entry:
            step = StatusChange(SERVICE, Status.CREDITED, credited_in=entry.record.canonical_url)
            with contextlib.suppress(StatusConflict):
                credited.append(move(store, stored, step, moment))
    return tuple(credited)


def _credits(archive: Archive) -> dict[str, Entry]:
    """The record that credits each submission, wherever an editor has moved it since."""
    return {one.submission: entry for entry in archive.entries.values() for one in _entries(entry.record) if one.submission}


def _entries(record: Record) -> Iterator[Any]:
    """Every dated entry that may credit a submission."""
    yield from record.updates
    yield from record.corrections
    yield from record.credits


def _shown(archive: Archive, change: ContentChange | None) -> Entry | None:
    """The record of a change from before submissions had their id in the credit, if it shows its words."""
    entry = archive.entry(change.record) if change and not change.submission else None
    return entry if entry and change and any(_is_of(one, change) for one in getattr(entry.record, change.list)) else None
