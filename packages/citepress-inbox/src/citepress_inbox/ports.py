"""What the inbox stores, and the port that stores implement."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from citepress.base.errors import CitepressError
from citepress.contract.limits import Limit, LimitState
from citepress_inbox.submissions import New


class AdvisedError(CitepressError, ValueError):
    """What was wanted cannot be done; the message says why, and ``way`` what to do on the command line.

    A sitting has letters of its own for the same.
    """

    def __init__(self, what: str, way: str = "") -> None:
        super().__init__(f"{what}: {way}" if way else what)
        self.what, self.way = what, way


class Status(StrEnum):
    """The status of a submission: queued → in_review → accepted → credited, or declined or duplicate."""

    QUEUED = "queued"
    IN_REVIEW = "in_review"
    ACCEPTED = "accepted"
    CREDITED = "credited"
    DECLINED = "declined"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class StoredSubmission:
    """A submission as it is stored."""

    id: str
    kind: str
    status: Status
    record: str
    """Id of the record it concerns, or empty."""
    body: Mapping[str, Any]
    submitted_at: datetime
    updated_at: datetime
    credited_in: str | None = None
    """URL of the record that credits it."""
    reason_code: str | None = None
    """Why it was declined."""
    duplicate_of: str | None = None
    """Id of the submission that it duplicates."""


@dataclass(frozen=True, slots=True)
class StatusChange:
    """One entry for the history: a change of status, or a note without one."""

    by: str
    """The moderator, or ``citepress`` for steps of the service itself."""
    to: Status | None = None
    note: str = ""
    credited_in: str | None = None
    reason_code: str | None = None
    duplicate_of: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    """Further data of the step: the change that an acceptance makes to the content."""


@dataclass(frozen=True, slots=True)
class SubmissionEvent:
    """An entry of the history; entries are only ever added."""

    number: int
    """Position in the whole history, ascending."""
    submission: str
    at: datetime
    by: str
    came_from: Status | None
    to: Status | None
    """The status it changed to; ``None`` for a note."""
    note: str
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SubmissionReceipt:
    """The outcome of handing in a submission."""

    stored: StoredSubmission
    repeated: bool
    """Whether it was handed in before; ``stored`` is then the earlier one."""
    spent: LimitState
    """What the client has left of its daily quota."""


class SubmissionQuotaExceeded(CitepressError):  # noqa: N818  (a state of the client)
    """The client has used up its submissions; ``spent.reset`` is the number of seconds until the next one."""

    def __init__(self, spent: LimitState) -> None:
        super().__init__("the client has used up its submissions")
        self.spent = spent


class StatusConflict(CitepressError):  # noqa: N818  (somebody else was faster)
    """The submission no longer has the status that the caller expected; ``now`` is its present state."""

    def __init__(self, now: StoredSubmission) -> None:
        super().__init__(f"another reviewer was faster: submission {now.id} is {now.status}")
        self.now = now


class InboxStore(Protocol):
    """Stores submissions and every step of theirs, and counts submissions per client.

    Every method may raise ``contract.store.StoreUnavailable``. Moments are UTC, to the second. Safe to share
    between threads.
    """

    def submit(self, new: New, client: str, limit: Limit, moment: datetime) -> SubmissionReceipt:
        """Queue a submission, durably, or return the earlier one of the same key within ``DAY`` seconds.

        A repeat is not counted and is answered even if the client has no quota left. Of two equal submissions at the
        same time, in any processes, one is queued and the other gets its receipt. ``client`` is stored only as a keyed
        hash. Raises ``SubmissionQuotaExceeded``; then nothing is stored.
        """
        ...

    def spent(self, client: str, limit: Limit, moment: datetime) -> LimitState:
        """What the client has left; ``allowed`` is whether one more would be queued."""
        ...

    def find(self, id_: str) -> StoredSubmission | None:
        """The submission of this id."""
        ...

    def listed(
        self, statuses: Collection[Status] = (), *, start: int = 0, most: int = 500
    ) -> Sequence[StoredSubmission]:
        """Submissions of these statuses (of any, when none are named), oldest first."""
        ...

    def record(self, id_: str, expected: Status, steps: Sequence[StatusChange], moment: datetime) -> StoredSubmission:
        """Add steps to the history of a submission that still has the status ``expected``, all or none of them.

        Raises ``KeyError`` for an unknown id, and ``StatusConflict`` when another reviewer was faster.
        """
        ...

    def history(self, id_: str | None = None, *, after: int = 0, most: int = 500) -> Sequence[SubmissionEvent]:
        """Events of one submission, or of all, in the order in which they happened."""
        ...


@dataclass(frozen=True, slots=True)
class Inbox:
    """Where submissions are queued, and how many of them a client may make."""

    store: InboxStore
    limit: Limit
