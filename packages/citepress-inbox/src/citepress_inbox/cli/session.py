"""What the inbox commands share: their options, the store they work on, and how they print."""

import getpass
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import orjson
from cyclopts import Parameter

from citepress.cli.console import say, unlogged, write
from citepress.cli.json_output import write_json
from citepress.settings import from_environment
from citepress_inbox.deployment import existing_inbox
from citepress_inbox.ports import InboxStore, StoredSubmission
from citepress_inbox.review import ReviewError, submission_by_id

StateOption = Annotated[Path | None, Parameter(help="Folder of the state; by default state/ in the content folder.")]
Content = Annotated[Path, Parameter(help="The content folder.")]
By = Annotated[str | None, Parameter(help="Name to record; by default the login name.")]
Json = Annotated[bool, Parameter(help="Print JSON.")]
NoteOption = Annotated[str, Parameter(help="A sentence on the decision, public if it accepts.")]


def _ids(typed: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The submissions that the inbox of the folder holds, for completion."""
    settings = from_environment(typed["content"].value or Path(), state=typed["state"].value or None)
    with unlogged(), existing_inbox(settings) as store:
        return [(each.id, f"{each.kind}, {each.status}") for each in store.listed()]


Id = Annotated[str, Parameter(help="Id of a submission, or how it begins.", completer=_ids)]


def with_inbox(content: Path, state: Path | None, step: Callable[[InboxStore], int | None]) -> int:
    """Run a step of the review on the state store; give its exit code, or 0.

    Raises ``CitepressError`` where it is not possible.
    """
    with unlogged(), existing_inbox(from_environment(content, state=state)) as store:
        return step(store) or 0


def moderator(name: str | None) -> str:
    """The name given, or else the login name."""
    try:
        return name or getpass.getuser()
    except (KeyError, OSError):
        return "moderator"


def print_submission(submission: StoredSubmission) -> None:
    """One line."""
    credited = f"  {submission.credited_in}" if submission.credited_in else ""
    say(f"{submission.id}  {submission.kind}  {submission.status}  {submission.record or '-'}{credited}")


def print_alike(documents: Sequence[Mapping[str, Any]]) -> None:
    """The document of one submission as it is, those of several as a list."""
    write_json(documents[0] if len(documents) == 1 else list(documents))


def by_ids(store: InboxStore, ids: Sequence[str]) -> list[StoredSubmission]:
    """The submissions of these ids, or of the beginnings of ids, each once.

    Raises ``ReviewError`` before anything is done where one of them is unknown, or where none is named.
    """
    if not ids:
        raise ReviewError("name a submission; `citepress inbox list` shows their ids")
    return list({(stored := submission_by_id(store, id_)).id: stored for id_ in ids}.values())


def print_lines(documents: Iterable[Mapping[str, Any]]) -> None:
    """One document a line."""
    for document in documents:
        write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))
