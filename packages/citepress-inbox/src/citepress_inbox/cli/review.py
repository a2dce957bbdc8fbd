"""The inbox commands that need no archive: list, decide, annotate, export."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from citepress.base import clock
from citepress.base.text import sentence_list
from citepress.base.timestamps import day
from citepress.cli import console
from citepress.cli.console import say
from citepress.cli.json_output import write_json
from citepress_inbox import review
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
    print_lines,
    print_submission,
    with_inbox,
)
from citepress_inbox.ports import InboxStore, Status, StoredSubmission
from citepress_inbox.review import ReviewError

Statuses = Annotated[
    tuple[Status, ...],
    Parameter(help="Only these statuses.", name_transform=lambda name: name.lower().replace("-", "_")),
]
Reason = Annotated[str, Parameter(help=f"Why, for the public status: {sentence_list(review.REASONS, 'or')}.")]
FormatOption = Annotated[Literal["text", "json", "markdown"], Parameter(help="Output format.")]
Repeats = Annotated[str, Parameter(help="Ids of the repeats, then that of the original.")]
Noted = Annotated[str, Parameter(help="Ids of submissions, then the note.")]
PAIR = 2
"""The fewest words of a command that takes ids and one word more."""


def list_(content: Content = Path(), *, status: Statuses = (), state: StateOption = None, json: Json = False) -> int:
    """List submissions, oldest first."""

    def step(store: InboxStore) -> None:
        submissions = list(review.everything(store, status))
        if json:
            write_json([review.submission_json(submission) for submission in submissions])
            return
        if not submissions:
            console.note(
                f"Nothing is {sentence_list(status, 'or')} yet." if status else "There are no submissions yet."
            )
        for row in submissions:
            say(f"{row.id}  {day(row.submitted_at)}  {row.status:<10}  {row.kind:<13}  {row.record or '-'}")

    return with_inbox(content, state, step)


def decline(
    *submissions: Id,
    reason: Reason = "other",
    note: NoteOption = "",
    by: By = None,
    state: StateOption = None,
    content: Content = Path(),
    json: Json = False,
) -> int:
    """Decline submissions."""

    def step(store: InboxStore) -> None:
        name, moment = moderator(by), clock.now()
        declined = [
            review.decline(store, stored.id, name, moment, reason=reason, note=note)
            for stored in by_ids(store, submissions)
        ]
        if json:
            print_alike([review.submission_json(stored) for stored in declined])
            return
        for stored in declined:
            print_submission(stored)

    return with_inbox(content, state, step)


def duplicate(
    *submissions: Repeats,
    note: NoteOption = "",
    by: By = None,
    state: StateOption = None,
    content: Content = Path(),
    json: Json = False,
) -> int:
    """Mark submissions as repeats of another one."""
    if len(submissions) < PAIR:
        raise ReviewError("name the repeats, then the submission that they repeat")
    *repeats, of = submissions
    return _each_decided(
        content,
        state,
        json,
        repeats,
        lambda store, id_: review.duplicate(store, id_, of, moderator(by), clock.now(), note=note),
    )


def note(
    *submissions: Noted, by: By = None, state: StateOption = None, content: Content = Path(), json: Json = False
) -> int:
    """Add a note that only reviewers see."""
    if len(submissions) < PAIR:
        raise ReviewError("name submissions, then write the note")
    *ids, text = submissions
    return _each_decided(
        content, state, json, ids, lambda store, id_: review.annotate(store, id_, moderator(by), clock.now(), text)
    )


def digest(
    content: Content = Path(),
    *,
    by: By = None,
    state: StateOption = None,
    format: FormatOption = "text",  # noqa: A002
    json: Json = False,
) -> int:
    """Show everything that waits by record, and mark it in review."""

    def step(store: InboxStore) -> None:
        waiting = review.digest(store, moderator(by), clock.now())
        if not json and format != "json":
            text = review.digest_markdown(waiting) if format == "markdown" else review.digest_text(waiting)
            say(text.rstrip())
            return
        groups = [
            {
                "record": group.record or None,
                "submissions": [review.submission_json(submission) for submission in group.submissions],
            }
            for group in waiting.groups
        ]
        write_json({"count": waiting.count, "groups": groups})

    return with_inbox(content, state, step)


def export(content: Content = Path(), *, state: StateOption = None) -> int:
    """Write every submission and every event as JSON lines."""

    def step(store: InboxStore) -> None:
        print_lines({"submission": review.submission_json(submission)} for submission in review.everything(store))
        print_lines({"event": review.event_json(event)} for event in review.history(store))

    return with_inbox(content, state, step)


def _each_decided(
    content: Path,
    state: Path | None,
    json: bool,
    ids: Sequence[str],
    decide: Callable[[InboxStore, str], StoredSubmission],
) -> int:
    def step(store: InboxStore) -> None:
        submissions = [decide(store, stored.id) for stored in by_ids(store, ids)]
        if json:
            print_alike([review.submission_json(submission) for submission in submissions])
            return
        for submission in submissions:
            print_submission(submission)

    return with_inbox(content, state, step)
