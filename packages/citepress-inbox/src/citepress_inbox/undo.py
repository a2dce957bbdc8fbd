"""Taking a decision back: the file as it was, and the submission in review again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from citepress.content.folder import Folder
from citepress_inbox.accept import Patch, diff, draft_of, refuse_faults, write
from citepress_inbox.change import MAX_NOTE_CHARS, AcceptError
from citepress_inbox.ports import InboxStore, Status, StatusChange, StoredSubmission
from citepress_inbox.review import ReviewError, history, submission_by_id

DECIDED = (Status.ACCEPTED, Status.CREDITED, Status.DECLINED, Status.DUPLICATE)
WRITTEN = (Status.ACCEPTED, Status.CREDITED)
BY_HAND = "take its change out of the file by hand, or with Git, and undo it then"


@dataclass(frozen=True, slots=True)
class Undone:
    """A submission that is in review again, and what was taken out of the content."""

    stored: StoredSubmission
    patch: Patch | None
    """``None`` where the decision had written nothing."""


def undo(store: InboxStore, folder: Folder, id_: str, by: str, moment: datetime, note: str = "") -> Undone:
    """Take the last decision on a submission back; what others wrote into the file since stays.

    Nothing is written where the change cannot be told from later ones, or the folder would not pass its checks.
    Raises ``ReviewError``, ``StatusConflict``.
    """
    stored = submission_by_id(store, id_)
    if stored.status not in DECIDED:
        raise ReviewError(f"submission {stored.id} is {stored.status}: there is no decision to undo")
    patch = planned_undo(store, folder, stored)
    if patch and patch.diff:
        write(folder.root, patch)
    step = StatusChange(by, Status.IN_REVIEW, note[:MAX_NOTE_CHARS])
    return Undone(store.record(stored.id, stored.status, [step], moment), patch)


def planned_undo(store: InboxStore, folder: Folder, stored: StoredSubmission) -> Patch | None:
    """The patch that takes an acceptance out of its file; empty where it is out already. Raises ``AcceptError``."""
    if stored.status not in WRITTEN:
        return None
    change = next((event.detail for event in reversed([*history(store, stored.id)]) if "list" in event.detail), None)
    if change is None or "hunks" not in change:
        raise AcceptError(f"it is not known what the acceptance of {stored.id} wrote", BY_HAND)
    draft = draft_of(folder, str(change["record"]))
    before = (folder.root / draft.file).read_bytes()
    after = _without(before.decode(), change, draft.file).encode()
    if after != before:
        refuse_faults(folder, draft, after)
    return Patch(draft.file, before, after, diff(draft.file, before, after))


def _without(text: str, change: Mapping[str, Any], file: str) -> str:
    """The text with every hunk of a change taken back. Raises ``AcceptError``."""
    pairs: Sequence[Sequence[str]] = change["hunks"]
    if all(_is_out(text, old, new) for old, new in pairs):
        return text
    for old, new in pairs:
        if text.count(new) != 1:
            raise AcceptError(f"{file} has changed since at the places of this change", BY_HAND)
        text = text.replace(new, old)
    return text


def _is_out(text: str, old: str, new: str) -> bool:
    return old in text and new not in text
