"""The inbox commands that read the archive: show where a correction applies, and accept it."""

from collections.abc import Iterable
from dataclasses import replace as replaced
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from citepress.admin.content import read_content
from citepress.base import clock
from citepress.cli.console import say
from citepress.cli.editor import edited
from citepress.cli.inbox.session import (
    By,
    Content,
    Id,
    Json,
    Note,
    State,
    by_ids,
    moderator,
    print_alike,
    print_json,
    print_submission,
    with_inbox,
)
from citepress.content.folder import Folder
from citepress.content.settings_file import NAME as SITE_FILE
from citepress.inbox import review
from citepress.inbox.accept import accept as accept_into
from citepress.inbox.accept import located
from citepress.inbox.change import Decision
from citepress.inbox.passage import TEXT, Passage
from citepress.inbox.ports import InboxStore, StoredSubmission
from citepress.inbox.review import ReviewError
from citepress.settings import from_environment

Record = Annotated[str, Parameter(help="The record to change, where the submission names none.")]
Credit = Annotated[str, Parameter(help="The name to credit, instead of the agent's name.")]
Replace = Annotated[str | None, Parameter(help="The text that replaces the passage.")]
Edit = Annotated[bool, Parameter(negative=(), help="Write the replacement in the editor that VISUAL or EDITOR names.")]
AsProposed = Annotated[bool, Parameter(negative=(), help="Use the replacement that the submission proposes.")]
NoteOnly = Annotated[bool, Parameter(negative=(), help="Leave the text unchanged; give the reason in the note.")]
Quote = Annotated[str, Parameter(help="The passage as the record has it, where the submission does not quote it.")]
At = Annotated[
    tuple[str, ...],
    Parameter(help="Which occurrence to change where the passage occurs more than once, or a field; every for all."),
]
WithoutEvidence = Annotated[bool, Parameter(negative=(), help="Leave the evidence out of the record's sources.")]


def show(*submissions: Id, state: State = None, content: Content = Path(), json: Json = False) -> int:
    """Show submissions, their history and where their passages are in the content."""

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
    submission: Id,
    /,
    *,
    note: Note = "",
    record: Record = "",
    credit: Credit = "",
    replace: Replace = None,
    edit: Edit = False,
    as_proposed: AsProposed = False,
    note_only: NoteOnly = False,
    passage: Quote = "",
    at: At = (),
    without_evidence: WithoutEvidence = False,
    by: By = None,
    state: State = None,
    content: Content = Path(),
    json: Json = False,
) -> int:
    """Accept a submission: write the change and the credit into the content, and show the diff."""
    given = Decision(note, record, credit, replace, passage, at, as_proposed, note_only, not without_evidence)

    def step(store: InboxStore) -> None:
        folder = read_content(from_environment(content, state=state), clock.now())
        decision = edited_decision(folder, review.submission_by_id(store, submission), given) if edit else given
        accepted = accept_into(store, folder, submission, moderator(by), clock.now(), decision)
        patch = accepted.patch
        if json:
            print_json({**review.submission_json(accepted.stored), "file": patch.file, "diff": patch.diff})
            return
        print_submission(accepted.stored)
        say(patch.diff.rstrip() or "The content has this change already.")
        if note_only:
            say("The text of the record is unchanged: only the note, the credit and the evidence were added.")

    return with_inbox(content, state, step)


def _places(content: Path, state: Path | None, submission: StoredSubmission) -> Iterable[Passage]:
    """Where the passage of a correction is now; nothing where this is not a content folder or the record is gone."""
    if submission.kind != "correction" or not (content / SITE_FILE).is_file():
        return ()
    return passages_of(read_content(from_environment(content, state=state), clock.now()), submission)


def passages_of(folder: Folder, submission: StoredSubmission) -> tuple[Passage, ...]:
    """Where the passage of a correction is now; nothing for other submissions, and where the record is gone."""
    try:
        return located(folder, submission, Decision()) if submission.kind == "correction" else ()
    except ReviewError:
        return ()


def edited_decision(folder: Folder, submission: StoredSubmission, decision: Decision) -> Decision:
    """The decision with what the moderator wrote in the editor in place of the passage's paragraph.

    Raises ``ReviewError``.
    """
    if decision.replace is not None or decision.as_proposed or decision.note_only:
        raise ReviewError("--edit cannot be combined with --replace, --as-proposed or --note-only")
    places = [
        place for place in located(folder, submission, decision) if not decision.at or place.at.startswith(decision.at)
    ]
    if len(places) != 1:
        listed = "\n  ".join(map(str, places)) or "nowhere; quote it with --passage, or name a field with --at"
        raise ReviewError(f"--edit changes one passage; choose it with --at. It was found at:\n  {listed}")
    (place,) = places
    in_text = place.at.startswith(f"{TEXT}:")
    return replaced(
        decision, replace=edited(place.around), passage=place.around, at=(TEXT,) if in_text else (place.at,)
    )
