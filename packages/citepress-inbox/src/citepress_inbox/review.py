"""The weekly review: which steps a submission may take, the Monday digest, and the history as it is exported."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from citepress.base.invisible import visible
from citepress.base.text import bounded, sentence_list
from citepress.base.timestamps import day, rfc3339
from citepress.base.urls import international_host
from citepress_inbox.ports import (
    AdvisedError,
    InboxStore,
    Status,
    StatusChange,
    StatusConflict,
    StoredSubmission,
    SubmissionEvent,
)
from citepress_inbox.submissions import URL_NAMES

ReasonCode = Literal["out_of_scope", "already_covered", "not_supported", "not_a_source", "unclear", "spam", "other"]
REASONS: tuple[str, ...] = get_args(ReasonCode)
"""Why a submission may be declined; the word is public, the moderator's note is not."""
AHEAD = {
    Status.QUEUED: (Status.IN_REVIEW,),
    Status.IN_REVIEW: (Status.ACCEPTED, Status.DECLINED, Status.DUPLICATE),
    Status.ACCEPTED: (Status.CREDITED,),
}
"""The statuses that may follow each; a status without an entry is final."""
OPEN_STATUSES = (Status.QUEUED, Status.IN_REVIEW)
PAGE_ROWS = 500
MAX_NOTE_CHARS = 4000
"""Characters of a moderator's note."""
BEGINNING = 4
"""Characters of an id that may stand for all of it."""
MAX_DIGEST_CHARS = 240
"""Characters of a member in the digest."""


class ReviewError(AdvisedError):
    """The step is not possible; the message says why and what is possible."""


def steps_to(stored: StoredSubmission, to: Status) -> tuple[Status, ...]:
    """The statuses on the way to another one. Raises ``ReviewError`` if it cannot be reached."""
    if to in (following := AHEAD.get(stored.status, ())):
        return (to,)
    if stored.status is Status.QUEUED and to in AHEAD[Status.IN_REVIEW]:
        return (Status.IN_REVIEW, to)
    possible = f"it can become {sentence_list(following, 'or')}" if following else "that is final"
    raise ReviewError(f"submission {stored.id} is {stored.status}: {possible}")


def move(store: InboxStore, stored: StoredSubmission, last: StatusChange, moment: datetime) -> StoredSubmission:
    """Take a submission to the status of the last step, through those between.

    Raises ``ReviewError`` and ``StatusConflict``.
    """
    if last.to is None:
        raise ReviewError("a step to no status is a note")
    between = [StatusChange(last.by, to) for to in steps_to(stored, last.to)[:-1]]
    return store.record(stored.id, stored.status, [*between, last], moment)


def submission_by_id(store: InboxStore, id_: str) -> StoredSubmission:
    """The submission of this id, or the only one whose id begins so. Raises ``ReviewError`` when there is none."""
    if stored := store.find(id_):
        return stored
    if len(id_) < BEGINNING:
        raise ReviewError(f"there is no submission {id_!r}; write {BEGINNING} characters of its id or more")
    alike = [stored for stored in everything(store) if stored.id.startswith(id_)]
    if not alike:
        raise ReviewError(f"there is no submission {bounded(id_, 80)!r}")
    if len(alike) > 1:
        ids = sentence_list([stored.id for stored in alike[:5]])
        raise ReviewError(f"{id_!r} begins the ids of {len(alike)} submissions: {ids}")
    return alike[0]


def decline(
    store: InboxStore, id_: str, by: str, moment: datetime, *, reason: str = "other", note: str = ""
) -> StoredSubmission:
    """Decline a submission; ``reason`` is one of ``REASONS``."""
    if reason not in REASONS:
        raise ReviewError(f"{reason!r} is not a reason: write {sentence_list(REASONS, 'or')}")
    return move(
        store,
        submission_by_id(store, id_),
        StatusChange(by, Status.DECLINED, note[:MAX_NOTE_CHARS], reason_code=reason),
        moment,
    )


def duplicate(store: InboxStore, id_: str, of: str, by: str, moment: datetime, *, note: str = "") -> StoredSubmission:
    """Mark a submission as a duplicate of another one."""
    stored, other = submission_by_id(store, id_), submission_by_id(store, of)
    if other.id == stored.id:
        raise ReviewError("a submission cannot be a duplicate of itself")
    return move(store, stored, StatusChange(by, Status.DUPLICATE, note[:MAX_NOTE_CHARS], duplicate_of=other.id), moment)


def annotate(store: InboxStore, id_: str, by: str, moment: datetime, note: str) -> StoredSubmission:
    """Add a note that only reviewers see; the status does not change."""
    stored = submission_by_id(store, id_)
    return store.record(stored.id, stored.status, [StatusChange(by, note=note[:MAX_NOTE_CHARS])], moment)


def everything(store: InboxStore, statuses: Sequence[Status] = ()) -> Iterator[StoredSubmission]:
    """Every submission of these statuses, oldest first, page by page."""
    start = 0
    while page := store.listed(statuses, start=start, most=PAGE_ROWS):
        yield from page
        start += len(page)


def history(store: InboxStore, id_: str | None = None) -> Iterator[SubmissionEvent]:
    """Every event of one submission or of all, in order, page by page."""
    after = 0
    while page := store.history(id_, after=after, most=PAGE_ROWS):
        yield from page
        after = page[-1].number


@dataclass(frozen=True, slots=True)
class Group:
    """The submissions about one record."""

    record: str
    """The record's id, or empty for submissions that name none."""
    submissions: tuple[StoredSubmission, ...]
    """Oldest first."""


@dataclass(frozen=True, slots=True)
class Digest:
    """The Monday review: every submission that waits for a decision."""

    at: datetime
    groups: tuple[Group, ...]
    """The record that has waited longest comes first."""

    @property
    def count(self) -> int:
        """Submissions that wait."""
        return sum(len(group.submissions) for group in self.groups)


def digest(store: InboxStore, by: str, moment: datetime) -> Digest:
    """Every waiting submission, grouped by record, oldest first; queued ones are moved to in_review."""
    waiting: dict[str, list[StoredSubmission]] = {}
    for stored in list(everything(store, OPEN_STATUSES)):
        if (in_review := _taken_up(store, stored, by, moment)).status in OPEN_STATUSES:
            waiting.setdefault(in_review.record, []).append(in_review)
    return Digest(moment, tuple(Group(record, tuple(group)) for record, group in waiting.items()))


def _taken_up(store: InboxStore, stored: StoredSubmission, by: str, moment: datetime) -> StoredSubmission:
    if stored.status is not Status.QUEUED:
        return stored
    try:
        return store.record(stored.id, Status.QUEUED, [StatusChange(by, Status.IN_REVIEW)], moment)
    except StatusConflict as error:  # another reviewer took it up
        return error.now


def submission_json(stored: StoredSubmission) -> dict[str, Any]:
    """A submission as reviewers see it, JSON-ready; its sender is known only by the name given in it."""
    return {
        "id": stored.id,
        "kind": stored.kind,
        "status": str(stored.status),
        "record": stored.record or None,
        "body": dict(stored.body),
        "submitted_at": rfc3339(stored.submitted_at),
        "updated_at": rfc3339(stored.updated_at),
        "credited_in": stored.credited_in,
        "reason_code": stored.reason_code,
        "duplicate_of": stored.duplicate_of,
    }


def event_json(event: SubmissionEvent) -> dict[str, Any]:
    """An event as it is exported, JSON-ready."""
    return {
        "number": event.number,
        "submission": event.submission,
        "at": rfc3339(event.at),
        "by": event.by,
        "from": event.came_from and str(event.came_from),
        "to": event.to and str(event.to),
        "note": event.note,
        "detail": dict(event.detail),
    }


def digest_text(review_digest: Digest) -> str:
    """The digest as a reviewer reads it."""
    lines = [f"Review of {day(review_digest.at)}: {review_digest.count} waiting"]
    for group in review_digest.groups:
        lines += ["", group.record or "(no record named)"]
        for stored in group.submissions:
            lines.append(f"  {stored.id}  {stored.kind}  {day(stored.submitted_at)}")
            lines += [f"    {line}" for line in members_text(stored)]
    return "\n".join(lines) + "\n"


def digest_markdown(review_digest: Digest) -> str:
    """The digest as Markdown; what agents wrote is code, which no reader of Markdown renders."""
    lines = [f"# Review of {day(review_digest.at)}: {review_digest.count} waiting"]
    for group in review_digest.groups:
        lines += ["", f"## {_code(group.record) if group.record else '(no record named)'}", ""]
        for stored in group.submissions:
            lines.append(f"- `{stored.id}` {stored.kind.replace('_', ' ')}, {day(stored.submitted_at)}")
            lines += [f"  - {_code(line)}" for line in members_text(stored)]
    return "\n".join(lines) + "\n"


def _code(words: str) -> str:
    """Words as a code span, fenced by more backticks than they hold."""
    fence = "`" * (max((len(run) for run in re.findall("`+", words)), default=0) + 1)
    return f"{fence} {words} {fence}" if "`" in words else f"{fence}{words}{fence}"


def members_text(stored: StoredSubmission) -> Iterator[str]:
    """``name: value`` for each member of a submission, each on one bounded line.

    Invisible characters are written out, and an internationalised host is repeated in its ASCII form: letters of
    another script may look like those of a well-known name.
    """
    for name, member in stored.body.items():
        texts = member if isinstance(member, list) else [member.get("name", "") if isinstance(member, dict) else member]
        for text in map(str, texts):
            host = international_host(text) if name in URL_NAMES else ""
            yield f"{name}: {visible(bounded(text, MAX_DIGEST_CHARS))}{f' (host {host})' if host else ''}"
