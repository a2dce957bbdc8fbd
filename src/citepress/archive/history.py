"""When and how a record changed: the one place that works it out, for every surface that tells of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any

from citepress.base.timestamps import day, later
from citepress.contract.record import RecordUpdate, Update

CHANGES = {"updates": "updated", "corrections": "corrected", "revisions": "revised"}
"""Members of the front matter that hold dated changes, and the sort of change that each holds."""
RESOLVED = "resolved_"
"""What the status of a forecast begins with once it came out."""


@dataclass(frozen=True, slots=True)
class DatedChange:
    """One change of one record."""

    id: str
    """Its name among the changes of the record; it stays when other changes are added before or after it."""
    moment: datetime
    change: str
    """updated, corrected, revised or resolved."""
    note: str | None
    """What changed; nothing where a later ``lastmod`` is all that is said."""
    credit: str | None = None
    submission: str | None = None
    """Id of the inbox submission that led to it."""


@dataclass(frozen=True, slots=True)
class RecordHistory:
    """Publication and changes of one record."""

    published: datetime
    updated: datetime
    """The newest of the publication and of every change."""
    revision: int
    """The author's own number, or one more than there are changes."""
    changes: tuple[DatedChange, ...]
    """Newest first; those of one day in the order of their author."""

    def of(self, change: str) -> list[RecordUpdate]:
        """The changes of one sort, as the record publishes them."""
        return [
            RecordUpdate(id=one.id, date=one.moment, note=one.note, credit=one.credit, submission=one.submission)
            for one in self.changes
            if one.change == change
        ]

    @property
    def unexplained(self) -> bool:
        """Whether ``lastmod`` names a day that no note speaks of."""
        return any(change.note is None for change in self.changes)


def history(front: Any) -> RecordHistory:  # noqa: ANN401  (the front matter of any kind)
    """The history that a front matter tells."""
    changes = [*_noted(front), *_resolved(front)]
    newest = max([front.date, *(change.moment for change in changes)])
    if _bare_lastmod(front, changes):
        changes.append(DatedChange(f"updated-{day(front.lastmod)}", front.lastmod, "updated", None))
        newest = max(newest, front.lastmod)
    ordered = sorted(changes, key=lambda change: change.moment, reverse=True)
    updated = max(newest, front.lastmod or newest)
    return RecordHistory(front.date, updated, front.revision or 1 + len(changes), tuple(_apart(ordered)))


def _bare_lastmod(front: Any, changes: Iterable[DatedChange]) -> bool:  # noqa: ANN401  (as above)
    """Whether ``lastmod`` is a change of its own: later than the author's other ones, on a day without any.

    What the inbox brought in later does not take it back: it has been published.
    """
    told = list(changes)
    newest = max([front.date, *(change.moment for change in told if not change.submission)])
    return bool(front.lastmod and later(front.lastmod, newest) and day(front.lastmod) not in {day(change.moment) for change in told})


def _noted(front: Any) -> Iterator[DatedChange]:  # noqa: ANN401  (as above)
    for member, change in CHANGES.items():
        written: list[Update] = getattr(front, member, [])
        for one in written:
            mark = blake2b((one.submission or one.note).encode(), digest_size=4).hexdigest()
            yield DatedChange(f"{change}-{day(one.date)}-{mark}", one.date, change, one.note, one.credit, one.submission)


def _resolved(front: Any) -> Iterator[DatedChange]:  # noqa: ANN401  (as above)
    """The resolution of a forecast; one that was published with its outcome did not change by it."""
    status, moment = str(getattr(front, "status", "")), getattr(front, "resolved_at", None)
    if status.startswith(RESOLVED) and moment and later(moment, front.date):
        note = front.resolution_note or f"It resolved: {status.removeprefix(RESOLVED)}."
        yield DatedChange(f"resolved-{day(moment)}", moment, "resolved", note)


def _apart(changes: Iterable[DatedChange]) -> Iterator[DatedChange]:
    """The changes with a number behind the ids of those that say the same on one day."""
    seen: dict[str, int] = {}
    for change in changes:
        seen[change.id] = number = seen.get(change.id, 0) + 1
        yield change if number == 1 else replace(change, id=f"{change.id}-{number}")
