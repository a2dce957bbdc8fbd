"""The inbox commands that read the archive: show where a correction applies, accept it, and take a decision back."""

from collections.abc import Iterable, Mapping
from dataclasses import replace as replaced
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from citepress.admin.content import read_content
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.base.invisible import CONTROL
from citepress.base.text import bounded
from citepress.cli.console import complain, say, write
from citepress.content.folder import Folder
from citepress.content.settings_file import SETTINGS_FILE as SITE_FILE
from citepress.settings import from_environment
from citepress_inbox import review
from citepress_inbox.accept import Accepted, carry_out, locate_passage, prepare_acceptance
from citepress_inbox.change import Decision
from citepress_inbox.cli.editor import edited
from citepress_inbox.cli.session import (
    By,
    Content,
    Id,
    Json,
    NoteOption,
    StateOption,
    by_ids,
    moderator,
    print_alike,
    print_submission,
    with_inbox,
)
from citepress_inbox.commit import commit as commit_file
from citepress_inbox.commit import refuse_uncommitted
from citepress_inbox.passage import TEXT_PLACE, Passage, misfits
from citepress_inbox.ports import InboxStore, StoredSubmission
from citepress_inbox.review import ReviewError
from citepress_inbox.undo import Undone, planned_undo
from citepress_inbox.undo import undo as take_back


def _records(typed: Mapping[str, Any]) -> list[str]:
    """The records of the folder by the names of their files, for completion."""
    files = (typed["content"].value or Path()) / "content"
    return sorted(
        str(file.relative_to(files).with_suffix("")) for file in files.glob("*/*.md") if file.parent.name != "pages"
    )


RecordOption = Annotated[
    str, Parameter(help="The record to change, where the submission names none.", completer=_records)
]
CreditOption = Annotated[str, Parameter(help="The name to credit, instead of the agent's name.")]
Replace = Annotated[str | None, Parameter(help="Text that replaces the passage.")]
EditOption = Annotated[bool, Parameter(help="Write the replacement in $EDITOR.")]
AsProposed = Annotated[bool, Parameter(help="Use the words that the submission proposes.")]
NoteOnly = Annotated[bool, Parameter(help="Leave the text unchanged; needs a note.")]
QuoteOption = Annotated[str, Parameter(help="The passage, where the submission does not quote it.")]
At = Annotated[
    tuple[str, ...],
    Parameter(help="Where to change it: an occurrence as show prints it, every for all of them, or a field."),
]
WithoutEvidence = Annotated[bool, Parameter(help="Add no evidence to the record's sources.")]
Commit = Annotated[bool, Parameter(help="Commit the file of each decision, and nothing else, with Git.")]
AsPatch = Annotated[bool, Parameter(name="--patch", help="Print the change as a diff; write and record nothing.")]
MAX_QUOTED_CHARS = 160
"""Characters of a quote that a warning repeats."""
UNCHANGED = "The text of the record is unchanged: only the note, the credit and the evidence were added."


class CreditError(CitepressError):
    """The credit is not one line of text."""

    exit_code = 2


def show(*submissions: Id, state: StateOption = None, content: Content = Path(), json: Json = False) -> int:
    """Show submissions, their history and their passages in the content."""

    def step(store: InboxStore) -> None:
        shown = [(stored, events_of(store, stored)) for stored in by_ids(store, submissions)]
        if json:
            print_alike([{**review.submission_json(stored), "history": events} for stored, events in shown])
            return
        for stored, events in shown:
            print_whole(stored, events, _places(content, state, stored))

    return with_inbox(content, state, step)


def events_of(store: InboxStore, stored: StoredSubmission) -> list[dict[str, Any]]:
    """The history of a submission."""
    return [review.event_json(event) for event in review.history(store, stored.id)]


def print_whole(stored: StoredSubmission, events: Iterable[dict[str, Any]], places: Iterable[object]) -> None:
    """A submission with its history and the places of its passage."""
    print_submission(stored)
    for line in review.members_text(stored):
        say(f"  {line}")
    for place in places:
        say(f"  found at: {place}")
    for event in events:
        note = f" · {event['note']}" if event["note"] else ""
        say(f"  {event['at']}  {event['by']}: {event['to'] or 'note'}{note}")


def accept(  # noqa: PLR0913  (everything a moderator may say)
    *submissions: Id,
    note: NoteOption = "",
    record: RecordOption = "",
    credit: CreditOption = "",
    replace: Replace = None,
    edit: EditOption = False,
    as_proposed: AsProposed = False,
    note_only: NoteOnly = False,
    passage: QuoteOption = "",
    at: At = (),
    without_evidence: WithoutEvidence = False,
    commit: Commit = False,
    patch: AsPatch = False,
    by: By = None,
    state: StateOption = None,
    content: Content = Path(),
    json: Json = False,
) -> int:
    """Accept submissions: write each change and its credit into the content."""
    if CONTROL.search(credit):
        raise CreditError("--credit takes one line of text, without control characters")
    given = Decision(note, record, credit, replace, passage, at, as_proposed, note_only, not without_evidence)

    def step(store: InboxStore) -> int:
        stored = by_ids(store, submissions)
        if len(stored) > 1 and (edit or replace is not None or passage or at):
            raise ReviewError("--edit, --replace, --passage and --at decide on one submission: accept it by itself")
        failed, printed = 0, []
        for waiting in stored:
            try:
                folder = folder_of(content, state)
                decision = edited_decision(folder, waiting, given) if edit else given
                accepted = decided(store, folder, waiting.id, decision, moderator(by), commit=commit, patch=patch)
            except CitepressError as error:
                failed = error.exit_code
                complain(str(error))
                continue
            printed.append(_document(accepted))
            if not json:
                _print_accepted(accepted, note_only=note_only, patch=patch)
        if json and printed:
            print_alike(printed)
        return failed

    return with_inbox(content, state, step)


def decided(
    store: InboxStore, folder: Folder, id_: str, decision: Decision, name: str, *, commit: bool, patch: bool
) -> Accepted:
    """An acceptance that was carried out and committed, or only planned. Raises ``CitepressError``."""
    accepted = prepare_acceptance(store, folder, id_, clock.now(), decision)
    if patch:
        return accepted
    if commit:
        refuse_uncommitted(folder.root, accepted.patch.file)
    accepted = carry_out(store, folder, accepted, name, clock.now(), decision)
    if commit and accepted.patch.diff:
        commit_file(folder.root, accepted.patch.file, "Accept", accepted.stored, accepted.change.credit)
    return accepted


def _document(accepted: Accepted) -> dict[str, Any]:
    return {**review.submission_json(accepted.stored), "file": accepted.patch.file, "diff": accepted.patch.diff}


def _print_accepted(accepted: Accepted, *, note_only: bool, patch: bool) -> None:
    if patch:
        write(accepted.patch.diff.encode())
        return
    print_submission(accepted.stored)
    say(accepted.patch.diff.rstrip() or "The content has this change already.")
    say_misfits(accepted)
    if note_only:
        say(UNCHANGED)


def say_misfits(accepted: Accepted) -> None:
    """Warn of the quotes of claims that may no longer carry what the corrected record says."""
    for name, quote in misfits(accepted.patch.after.decode(), accepted.change.edits):
        complain(f"check {name}: it still says \u201c{bounded(quote, MAX_QUOTED_CHARS)}\u201d")


def undo(
    *submissions: Id,
    note: Annotated[str, Parameter(help="Why; only reviewers see it.")] = "",
    commit: Commit = False,
    patch: AsPatch = False,
    by: By = None,
    state: StateOption = None,
    content: Content = Path(),
    json: Json = False,
) -> int:
    """Take back the last decision on submissions, and what it wrote; they are in review again."""

    def step(store: InboxStore) -> None:
        documents: list[dict[str, Any]] = []
        for stored in by_ids(store, submissions):
            folder = folder_of(content, state)
            undone = _undone(store, folder, stored, moderator(by), note, commit=commit, patch=patch)
            diff = undone.patch.diff if undone.patch else ""
            documents.append({**review.submission_json(undone.stored), "diff": diff})
            if not json:
                _print_undone(undone.stored, diff, patch=patch)
        if json:
            print_alike(documents)

    return with_inbox(content, state, step)


def _undone(
    store: InboxStore, folder: Folder, stored: StoredSubmission, name: str, note: str, *, commit: bool, patch: bool
) -> Undone:
    """A decision that was taken back and committed, or only the patch that would. Raises ``CitepressError``."""
    planned = planned_undo(store, folder, stored)
    if patch:
        return Undone(stored, planned)
    if commit and planned:
        refuse_uncommitted(folder.root, planned.file)
    undone = take_back(store, folder, stored.id, name, clock.now(), note)
    if commit and undone.patch and undone.patch.diff:
        commit_file(folder.root, undone.patch.file, "Take back the acceptance of", stored)
    return undone


def _print_undone(stored: StoredSubmission, diff: str, *, patch: bool) -> None:
    if patch:
        write(diff.encode())
        return
    print_submission(stored)
    say(diff.rstrip() or "The content is as it was.")


def folder_of(content: Path, state: Path | None) -> Folder:
    """The content folder as it is now."""
    return read_content(from_environment(content, state=state), clock.now())


def _places(content: Path, state: Path | None, submission: StoredSubmission) -> Iterable[Passage]:
    """Where the passage of a correction is now; nothing where this is not a content folder or the record is gone.

    The current folder, which nobody named, is one where it has settings or the state of a plain folder.
    """
    is_content = content != Path() or (content / SITE_FILE).is_file() or (content / "state").is_dir()
    if submission.kind != "correction" or not is_content:
        return ()
    return passages_of(folder_of(content, state), submission)


def passages_of(folder: Folder, submission: StoredSubmission, record: str = "") -> tuple[Passage, ...]:
    """Where the passage of a correction is now; nothing for other submissions, and where the record is gone."""
    try:
        return locate_passage(folder, submission, Decision(record=record)) if submission.kind == "correction" else ()
    except ReviewError:
        return ()


def edited_decision(folder: Folder, submission: StoredSubmission, decision: Decision) -> Decision:
    """The decision with what the moderator wrote in the editor in place of the passage's paragraph.

    Raises ``ReviewError``.
    """
    if decision.replace is not None or decision.as_proposed or decision.note_only:
        raise ReviewError("--edit cannot be combined with --replace, --as-proposed or --note-only")
    places = [
        place
        for place in locate_passage(folder, submission, decision)
        if not decision.at or place.at.startswith(decision.at)
    ]
    if len(places) != 1:
        listed = "\n  ".join(map(str, places)) or "nowhere; quote it with --passage, or name a field with --at"
        raise ReviewError("the editor changes one passage", f"choose it with --at. It was found at:\n  {listed}")
    (place,) = places
    in_text = place.at.startswith(f"{TEXT_PLACE}:")
    return replaced(
        decision, replace=edited(place.around), passage=place.around, at=(TEXT_PLACE,) if in_text else (place.at,)
    )
