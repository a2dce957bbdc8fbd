"""Accepting a submission: the change to the content file, the credit in it, and the diff that shows both."""

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher, unified_diff
from functools import partial
from pathlib import Path
from typing import Any

from citepress.archive.assemble import check
from citepress.archive.model import Archive, Entry
from citepress.base.text import did_you_mean
from citepress.base.timestamps import as_moment, day
from citepress.base.urls import normalise
from citepress.content import schedule
from citepress.content.files import ContentFile
from citepress.content.folder import Folder
from citepress.content.parsed import parsed
from citepress.content.source_record import SourceRecord
from citepress.contract.fault import Fault, Level
from citepress.contract.record import Record, SourceInput
from citepress.history.dated_changes import record_history
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress_inbox.change import (
    PLAIN_DECISION,
    AcceptError,
    ContentChange,
    Decision,
    change_of,
    choices,
    record_of,
    restore_change,
)
from citepress_inbox.passage import Passage, PassageError, apply_change
from citepress_inbox.patch import PatchItem, Unpatchable, apart, edit_file
from citepress_inbox.ports import InboxStore, Status, StatusChange, StatusConflict, StoredSubmission
from citepress_inbox.review import everything, history, move, steps_to, submission_by_id

SERVICE = "citepress"
"""The author of steps that the service takes by itself."""
MAX_NOTE_CHARS = 4000
TEMPORARY = re.compile(r"\.accept-[a-z0-9_]{8}")
LEFT_S = 60
"""Seconds after which a temporary file is considered abandoned."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A change to one file of the content folder."""

    file: str
    """Path relative to the content folder."""
    before: bytes
    after: bytes
    diff: str
    """Unified diff; empty when the file already has the change."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted submission and what it changed."""

    stored: StoredSubmission
    patch: Patch
    change: ContentChange


def accept(
    store: InboxStore, folder: Folder, id_: str, by: str, moment: datetime, decision: Decision = PLAIN_DECISION
) -> Accepted:
    """Accept a submission and write its change and credit into the content folder.

    Nothing is written or recorded when the folder would not pass its checks.
    Raises ``AcceptError``, ``ReviewError``, ``StatusConflict``.
    """
    return carry_out(store, folder, prepare_acceptance(store, folder, id_, moment, decision), by, moment, decision)


def prepare_acceptance(
    store: InboxStore, folder: Folder, id_: str, moment: datetime, decision: Decision = PLAIN_DECISION
) -> Accepted:
    """What accepting a submission would write; nothing is recorded. Raises ``AcceptError``, ``ReviewError``."""
    stored = submission_by_id(store, id_)
    recorded = accepted_change(store, stored) if stored.status is Status.ACCEPTED else None
    if stored.status is not Status.ACCEPTED:
        steps_to(stored, Status.ACCEPTED)
    change = recorded or _decided(folder, stored, moment, decision)
    return Accepted(stored, plan(folder, change), change)


def carry_out(
    store: InboxStore, folder: Folder, accepted: Accepted, by: str, moment: datetime, decision: Decision
) -> Accepted:
    """Record an acceptance and write its change. Raises ``AcceptError``, ``StatusConflict``."""
    stored, patch, change = accepted.stored, accepted.patch, accepted.change
    detail = {**change.detail, "hunks": hunks(patch.before, patch.after)}
    step = StatusChange(by, Status.ACCEPTED, decision.note[:MAX_NOTE_CHARS], detail=detail)
    # The decision is recorded before the file is replaced: after a crash between the two, accepting the submission
    # again writes the same change.
    if stored.status is not Status.ACCEPTED:
        stored = move(store, stored, step, moment)
    elif accepted_change(store, stored) is None:  # accepted by a version that did not record changes
        stored = store.record(stored.id, stored.status, [replace(step, to=None)], moment)
    _clear_left((folder.root / patch.file).parent, moment)
    if patch.diff:
        write(folder.root, patch)
    return Accepted(stored, patch, change)


def locate_passage(folder: Folder, stored: StoredSubmission, decision: Decision) -> tuple[Passage, ...]:
    """The places of the passage that a correction is about. Raises ``AcceptError``."""
    draft = draft_of(folder, record_of(stored, decision))
    try:
        return choices(stored, decision, _text(folder, draft))
    except Unpatchable as error:
        raise AcceptError(f"{draft.file}: {error}") from None


def accepted_change(store: InboxStore, stored: StoredSubmission) -> ContentChange | None:
    """The change that was recorded when the submission was accepted."""
    details = [event.detail for event in history(store, stored.id) if "list" in event.detail]
    return restore_change(details[-1]) if details else None


def _decided(folder: Folder, stored: StoredSubmission, moment: datetime, decision: Decision) -> ContentChange:
    draft = draft_of(folder, record_of(stored, decision))
    try:
        return change_of(stored, moment, decision, _text(folder, draft))
    except Unpatchable as error:
        raise AcceptError(f"{draft.file}: {error}") from None


def draft_of(folder: Folder, id_: str) -> SourceRecord:
    """The record of this id as it is written. Raises ``AcceptError``."""
    draft = next((record for record in folder.drafts if record.id == id_), None)
    if draft is None:
        hint = did_you_mean(id_, (record.id for record in folder.drafts))
        raise AcceptError(f"{id_!r} is not a published record; {hint}".removesuffix("; "))
    return draft


def _text(folder: Folder, draft: SourceRecord) -> str:
    return (folder.root / draft.file).read_bytes().decode()


def plan(folder: Folder, change: ContentChange) -> Patch:
    """The patch that makes a change, after checking that the folder still passes its checks with it.

    Raises ``AcceptError``.
    """
    draft = draft_of(folder, change.record)
    before = (folder.root / draft.file).read_bytes()
    if any(_is_of(entry, change) for entry in getattr(draft.front, change.list)):
        return Patch(draft.file, before, before, "")
    try:
        after = _patched(folder, draft, change, before.decode())
    except (Unpatchable, PassageError) as error:
        raise AcceptError(f"{draft.file}: {error}") from None
    refuse_faults(folder, draft, after)
    return Patch(draft.file, before, after, diff(draft.file, before, after))


def _patched(folder: Folder, draft: SourceRecord, change: ContentChange, text: str) -> bytes:
    """The file with the change applied: its edits, its sources and its dated note.

    Raises ``AcceptError``, ``PassageError``, ``Unpatchable``.
    """
    below, values = apply_change(text, change.edits)
    added = {name: items for name, items in _added(folder, draft, change) if items}
    written = apart(text).values
    # A plain note may have its last change from Git, or under the key of another tool: there is nothing to replace.
    replaced = {key: value for key, value in _follows(draft, change).items() if key in written}
    return edit_file(text, added, replaced, values, below).encode()


def _added(folder: Folder, draft: SourceRecord, change: ContentChange) -> Iterator[tuple[str, list[PatchItem]]]:
    """The items to add to each list of the front matter."""
    cited = _cited(folder, draft)
    if change.source and normalise(change.source) in cited:
        raise AcceptError(f"{change.record} already cites {change.source}: decline the submission as already_covered")
    if change.source:
        # The moderator read a submitted source on the day of acceptance; nobody vouches for a date of the evidence.
        yield "sources", [{"url": change.source, "accessed_at": change.date}]
    else:
        yield "sources", [{"url": url} for url in change.evidence if normalise(url) not in cited]
    yield change.list, [change.entry]


def _follows(draft: SourceRecord, change: ContentChange) -> dict[str, str | int]:
    """Single keys of the front matter that a change updates."""
    front, replaced = draft.front, dict[str, str | int]()
    if change.list == "credits":
        return replaced
    bare = record_history(front).unexplained  # such a ``lastmod`` is a change of its own, so it is not overwritten
    if front.lastmod and not bare and front.lastmod < as_moment(datetime.fromisoformat(change.date)):
        replaced["lastmod"] = change.date
    if front.revision:
        replaced["revision"] = front.revision + 1
    return replaced


def _is_of(entry: Any, change: ContentChange) -> bool:  # noqa: ANN401  (an entry of any dated list)
    """Whether a dated entry belongs to a change: by the submission's id, or by its text if it has no id."""
    if entry.submission or change.submission:
        return bool(entry.submission == change.submission)
    return (day(entry.date), entry.note, entry.credit) == (change.date, change.note, change.credit)


def _cited(folder: Folder, draft: SourceRecord) -> set[str]:
    """The normal form of every address that the record cites, shared sources included."""
    given = (item.url if isinstance(item, SourceInput) else item for item in draft.front.sources)
    urls = (
        folder.shared.sources[reference].url if reference in folder.shared.sources else reference for reference in given
    )
    return {normalise(url) for url in urls if "://" in url}


def refuse_faults(folder: Folder, draft: SourceRecord, after: bytes) -> None:
    """Check the changed file together with all others; raise ``AcceptError`` if it has errors."""
    with tempfile.TemporaryDirectory(prefix="citepress-") as name:
        copy = Path(name) / draft.file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(after)
        stamp = (folder.root / draft.file).stat().st_mtime_ns
        file = ContentFile(draft.file, len(after), stamp)
        outcome = parsed(partial(folder.parse_record, Path(name), file, draft.kind))
        record = outcome.content
        if not isinstance(record, SourceRecord):
            raise AcceptError(_sentence(outcome.faults))
        shown = schedule.as_of(record, folder.moment)
        others = tuple(shown if neighbour is draft else neighbour for neighbour in folder.drafts)
        held = tuple(record if neighbour.file == draft.file else neighbour for neighbour in folder.held)
        faults = check(replace(folder, drafts=others, held=held), KINDS, REGISTRIES)[1]
        if wrong := tuple(
            fault for fault in faults if fault.code.level is Level.ERROR and fault.place.file == draft.file
        ):
            raise AcceptError(_sentence(wrong))


def _sentence(faults: tuple[Fault, ...]) -> str:
    listing = "; ".join(
        f"{fault.place.file}:{fault.place.line} {fault.code.id} {fault.message}" for fault in faults[:5]
    )
    return f"the folder would not pass its checks: {listing}"


def diff(file: str, before: bytes, after: bytes) -> str:
    """The change of a file as a unified diff, which ``git apply`` takes; empty where there is none."""
    old, new = (data.decode().splitlines(keepends=True) for data in (before, after))
    lines = unified_diff(old, new, f"a/{file}", f"b/{file}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def hunks(before: bytes, after: bytes) -> list[list[str]]:
    """What a change replaced, and by what, each with the three lines around it."""
    old, new = (data.decode().splitlines(keepends=True) for data in (before, after))
    groups = SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes()
    return [["".join(old[group[0][1] : group[-1][2]]), "".join(new[group[0][3] : group[-1][4]])] for group in groups]


def write(root: Path, patch: Patch) -> None:
    """Replace the old file with the patched one, atomically. Raises ``AcceptError``."""
    path = root / patch.file
    try:
        if path.read_bytes() != patch.before:
            raise AcceptError(f"{patch.file} has changed in the meantime: accept the submission again")
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
        raise AcceptError(
            f"{patch.file} cannot be written ({error.strerror}): the submission is accepted, accept it again"
        ) from None


def _clear_left(where: Path, moment: datetime) -> None:
    """Delete temporary files of acceptances that were killed before they replaced the file."""
    for path in where.glob(".accept-*"):
        with contextlib.suppress(OSError):
            if TEMPORARY.fullmatch(path.name) and moment.timestamp() - path.lstat().st_mtime > LEFT_S:
                path.unlink()


def credit_published(store: InboxStore, archive: Archive, moment: datetime) -> tuple[StoredSubmission, ...]:
    """Mark accepted submissions as credited if the published archive shows the credit; call it after a build."""
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
    """The record that credits each submission, even if an editor has moved the credit since."""
    return {
        dated.submission: entry
        for entry in archive.entries.values()
        for dated in _entries(entry.record)
        if dated.submission
    }


def _entries(record: Record) -> Iterator[Any]:
    """Every dated entry that may credit a submission."""
    yield from record.updates
    yield from record.corrections
    yield from record.credits


def _shown(archive: Archive, change: ContentChange | None) -> Entry | None:
    """The record that shows a change made before credits carried the submission's id, matched by its text."""
    entry = archive.entry(change.record) if change and not change.submission else None
    return (
        entry
        if entry and change and any(_is_of(dated, change) for dated in getattr(entry.record, change.list))
        else None
    )
