"""``citepress inbox``: what agents proposed, reviewed by a person while the server runs."""

import getpass
from collections.abc import Callable, Iterable
from dataclasses import replace as replaced
from pathlib import Path
from typing import Annotated, Any

import orjson
from cyclopts import App, Parameter

from citepress.app import Builder, existing_stores
from citepress.base import clock
from citepress.base.text import sentence_list
from citepress.base.timestamps import day
from citepress.cli.console import complain, say, unlogged, write
from citepress.cli.editor import edited
from citepress.content.folder import Folder
from citepress.content.settings_file import NAME as SITE_FILE
from citepress.contract.store import StoreUnavailable
from citepress.inbox import review
from citepress.inbox.accept import accept as accept_into
from citepress.inbox.accept import located
from citepress.inbox.change import Decision
from citepress.inbox.passage import TEXT
from citepress.inbox.ports import InboxStore, Status, StatusConflict, StoredSubmission
from citepress.inbox.review import ReviewError
from citepress.settings import from_environment

inbox = App(name="inbox", help="Review what agents proposed; works while the server runs.", help_format="plaintext")
State = Annotated[Path | None, Parameter(help="Folder of the state store; state/ in the content folder when left out.")]
Content = Annotated[Path, Parameter(help="The content folder.")]
By = Annotated[str | None, Parameter(help="Name of the moderator; the login name when left out.")]
Json = Annotated[bool, Parameter(negative=(), help="As JSON.")]
Note = Annotated[str, Parameter(help="A sentence about the decision; of an accepted submission readers see it.")]
Id = Annotated[str, Parameter(help="Id of the submission.")]
Statuses = Annotated[tuple[Status, ...], Parameter(help="Only these statuses.")]
Record = Annotated[str, Parameter(help="The record that takes it, where the submission names none.")]
Credit = Annotated[str, Parameter(help="Who is credited, instead of the agent's name.")]
Replace = Annotated[str | None, Parameter(help="The words that stand in place of the passage from now on.")]
Edit = Annotated[bool, Parameter(negative=(), help="Write them in the editor that VISUAL or EDITOR names.")]
AsProposed = Annotated[bool, Parameter(negative=(), help="Take the submission's own words as they are.")]
NoteOnly = Annotated[bool, Parameter(negative=(), help="Leave the text as it is; the note says why.")]
PassageWords = Annotated[str, Parameter(help="The passage as the record has it, where the submission does not quote it.")]
At = Annotated[tuple[str, ...], Parameter(help="Which places, where the words stand at several, or a field; every for all.")]
WithoutEvidence = Annotated[bool, Parameter(negative=(), help="Leave the evidence out of the record's sources.")]
Reason = Annotated[str, Parameter(help="Code of the reason, shown in the public status.")]
Words = Annotated[str, Parameter(help="The note.")]


@inbox.command(name="list")
def list_(*, status: Statuses = (), state: State = None, content: Content = Path(), json: Json = False) -> int:
    """List submissions, oldest first."""

    def run(store: InboxStore) -> None:
        found = list(review.everything(store, status))
        if json:
            _document([review.submission_json(one) for one in found])
            return
        if not found:
            say(f"Nothing is {sentence_list(status, 'or')} yet." if status else "Nothing came in yet.")
        for one in found:
            say(f"{one.id}  {day(one.submitted_at)}  {one.status:<10}  {one.kind:<13}  {one.record or '-'}")

    return _reviewed(content, state, run)


@inbox.command
def show(submission: Id, /, *, state: State = None, content: Content = Path(), json: Json = False) -> int:
    """Show a submission and its history."""

    def run(store: InboxStore) -> None:
        one, events = review.submission_by_id(store, submission), [review.event_json(event) for event in review.history(store, submission)]
        if json:
            _document({**review.submission_json(one), "history": events})
            return
        _tell(one)
        for line in review.members_text(one):
            say(f"  {line}")
        for place in _places(content, state, one):
            say(f"  it stands there: {place}")
        for event in events:
            say(f"  {event['at']}  {event['by']}: {event['to'] or 'note'}{' · ' + event['note'] if event['note'] else ''}")

    return _reviewed(content, state, run)


@inbox.command
def accept(  # noqa: PLR0913  (everything a moderator may say)
    submission: Id, /, *, note: Note = "", record: Record = "", credit: Credit = "", replace: Replace = None, edit: Edit = False,
    as_proposed: AsProposed = False, note_only: NoteOnly = False, passage: PassageWords = "", at: At = (), without_evidence: WithoutEvidence = False,
    by: By = None, state: State = None, content: Content = Path(), json: Json = False,
) -> int:  # fmt: skip
    """Accept a submission: edit the passage of a correction, write the change and the credit into the content, and show the diff."""
    decision = Decision(note, record, credit, replace, passage, at, as_proposed, note_only, not without_evidence)

    def run(store: InboxStore) -> None:
        folder = Builder(from_environment(content, state=state)).folder(clock.now())
        decided = _written(folder, review.submission_by_id(store, submission), decision) if edit else decision
        done = accept_into(store, folder, submission, by or _login(), clock.now(), decided)
        if json:
            _document({**review.submission_json(done.stored), "file": done.patch.file, "diff": done.patch.diff})
            return
        _tell(done.stored)
        say(done.patch.diff.rstrip() or "The content has it already.")
        if note_only:
            say("The text of the record stays as it is: only the note, the credit and the evidence were added.")

    return _reviewed(content, state, run)


@inbox.command
def reject(
    submission: Id,
    /,
    *,
    reason: Reason = "other",
    note: Note = "",
    by: By = None,
    state: State = None,
    content: Content = Path(),
    json: Json = False,
) -> int:
    """Decline a submission."""
    return _decided(
        content, state, json, lambda store: review.decline(store, submission, by or _login(), clock.now(), reason=reason, note=note)
    )


@inbox.command
def duplicate(
    submission: Id, of: Id, /, *, note: Note = "", by: By = None, state: State = None, content: Content = Path(), json: Json = False
) -> int:
    """Mark a submission as a repeat of another one."""
    return _decided(content, state, json, lambda store: review.duplicate(store, submission, of, by or _login(), clock.now(), note=note))


@inbox.command
def note(submission: Id, text: Words, /, *, by: By = None, state: State = None, content: Content = Path(), json: Json = False) -> int:
    """Add a note that only reviewers see."""
    return _decided(content, state, json, lambda store: review.annotate(store, submission, by or _login(), clock.now(), text))


@inbox.command
def digest(*, by: By = None, state: State = None, content: Content = Path(), json: Json = False) -> int:
    """The Monday review: what waits, grouped by record, oldest first; it is in review from now on."""

    def run(store: InboxStore) -> None:
        found = review.digest(store, by or _login(), clock.now())
        if json:
            groups = [
                {"record": g.record or None, "submissions": [review.submission_json(one) for one in g.submissions]} for g in found.groups
            ]
            _document({"count": found.count, "groups": groups})
            return
        say(review.digest_text(found).rstrip())

    return _reviewed(content, state, run)


@inbox.command
def export(*, state: State = None, content: Content = Path()) -> int:
    """Write every submission and every event as JSON lines."""

    def run(store: InboxStore) -> None:
        _lines({"submission": review.submission_json(one)} for one in review.everything(store))
        _lines({"event": review.event_json(event)} for event in review.history(store))

    return _reviewed(content, state, run)


def _decided(content: Path, state: Path | None, json: bool, decide: Callable[[InboxStore], StoredSubmission]) -> int:
    def run(store: InboxStore) -> None:
        one = decide(store)
        if json:
            _document(review.submission_json(one))
        else:
            _tell(one)

    return _reviewed(content, state, run)


def _reviewed(content: Path, state: Path | None, run: Callable[[InboxStore], None]) -> int:
    """Run a step of the review on the state store; what cannot be done is one sentence and exit code 1."""
    opened = None
    try:
        with unlogged():
            opened = existing_stores(from_environment(content, state=state))
            run(opened.inbox)
    except StatusConflict as moved:
        complain(f"another reviewer was faster: submission {moved.now.id} is {moved.now.status}")
        return 1
    except (ReviewError, StoreUnavailable) as error:
        complain(str(error))
        return 1
    finally:
        if opened:
            opened.database.close()
    return 0


def _places(content: Path, state: Path | None, one: StoredSubmission) -> Iterable[object]:
    """Where the passage of a correction stands now; nothing where this is no content folder or the record is gone."""
    if one.kind != "correction" or not (content / SITE_FILE).is_file():
        return ()
    try:
        return located(Builder(from_environment(content, state=state)).folder(clock.now()), one, Decision())
    except ReviewError:
        return ()


def _written(folder: Folder, one: StoredSubmission, decision: Decision) -> Decision:
    """The decision with what the moderator wrote in the editor in place of the passage's paragraph. Raises ``ReviewError``."""
    if decision.replace is not None or decision.as_proposed or decision.note_only:
        raise ReviewError("--edit goes with neither --replace nor --as-proposed nor --note-only")
    found = [place for place in located(folder, one, decision) if not decision.at or place.at.startswith(decision.at)]
    if len(found) != 1:
        listed = "\n  ".join(map(str, found)) or "none; quote it with --passage, or name a field with --at"
        raise ReviewError(f"--edit takes one passage, chosen with --at; the words stand at:\n  {listed}")
    (place,) = found
    in_text = place.at.startswith(f"{TEXT}:")
    return replaced(decision, replace=edited(place.around), passage=place.around, at=(TEXT,) if in_text else (place.at,))


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "moderator"


def _tell(one: StoredSubmission) -> None:
    say(f"{one.id}  {one.kind}  {one.status}  {one.record or '-'}{'  ' + one.credited_in if one.credited_in else ''}")


def _document(value: Any) -> None:  # noqa: ANN401  (JSON is any shape)
    write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _lines(values: Iterable[Any]) -> None:
    for value in values:
        write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))
