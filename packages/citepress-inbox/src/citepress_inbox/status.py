"""The public status of a submission, without anything that identifies its sender."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from citepress.contract.limits import LimitState
from citepress.contract.model import Model, Moment
from citepress.contract.version import SCHEMA_VERSION
from citepress_inbox.ports import Status, StoredSubmission

STATUS_PATH = "/agent-inbox/submissions/{id}.json"
"""The path of a submission's status; ``{id}`` matches ``submissions.ID_PATTERN``."""
WAITING = frozenset({Status.QUEUED, Status.IN_REVIEW, Status.ACCEPTED})
"""Statuses that a review may still change."""


class Review(Model):
    """The next review by a person."""

    cadence: Literal["weekly"] = "weekly"
    """How often submissions are reviewed."""
    day: Literal["Monday"] = "Monday"
    """The day of the review."""
    next_review_at: Moment | None
    """The Monday on which the next review begins, UTC; null when the submission needs no further review."""


class StatusDocument(Model):
    """The status of a submission."""

    schema_version: int = SCHEMA_VERSION
    """Version of this document's schema."""
    id: str
    """The id of the submission; it cannot be guessed."""
    kind: Literal["source", "correction", "usage_receipt"]
    """What was submitted."""
    status: Status
    """queued, in_review, accepted, credited, declined or duplicate."""
    submitted_at: Moment
    """When it was queued."""
    updated_at: Moment
    """When its status last changed."""
    review: Review
    """The next review by a person."""
    duplicate: bool
    """Whether this answers a repeat within 24 hours, or a reviewer marked it as a duplicate of another submission."""
    duplicate_of: str | None
    """Id of the submission that it repeats."""
    credited_in: str | None
    """URL of the record that credits it."""
    reason_code: str | None
    """Why it was declined."""
    status_url: str
    """URL of this document."""
    quota: SkipJsonSchema[LimitState | None] = Field(default=None, exclude=True)
    """For the handlers: the client's remaining quota, if it has just handed in a submission."""


def document(
    stored: StoredSubmission,
    moment: datetime,
    url: Callable[[str], str],
    *,
    repeated: bool = False,
    quota: LimitState | None = None,
) -> StatusDocument:
    """The status document of a submission; ``url`` makes a public URL of a path (``Site.url``)."""
    return StatusDocument(
        id=stored.id,
        kind=stored.kind,
        status=stored.status,
        submitted_at=stored.submitted_at,
        updated_at=stored.updated_at,
        review=Review(next_review_at=next_review(moment) if stored.status in WAITING else None),
        duplicate=repeated or stored.status is Status.DUPLICATE,
        duplicate_of=stored.duplicate_of,
        credited_in=stored.credited_in,
        reason_code=stored.reason_code,
        status_url=url(STATUS_PATH.replace("{id}", stored.id)),
        quota=quota,
    )


def next_review(moment: datetime) -> datetime:
    """The first midnight, UTC, that begins a Monday after this moment."""
    today = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today + timedelta(days=7 - today.weekday())
