"""Works out when and how a record changed, for every surface that shows it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b

from citepress.base.timestamps import as_moment, day, later
from citepress.base.values import value_type
from citepress.contract.record import Front, RecordUpdate, Update

CHANGES = {"updates": "updated", "corrections": "corrected", "revisions": "revised"}
"""Members of the front matter that hold dated changes, and the type of change that each holds."""


@value_type
class DatedChange:
    """One change of one record."""

    id: str
    """Its name among the changes of the record; it stays when other changes are added before or after it."""
    moment: datetime
    change: str
    """updated, corrected, revised or resolved."""
    note: str | None
    """What changed; ``None`` where only a later ``lastmod`` shows that something did."""
    credit: str | None = None
    submission: str | None = None
    """Id of the submission that led to it."""
    minor: bool = False
    """Whether the record says what it said before."""


@value_type
class RecordHistory:
    """Publication and changes of one record."""

    published: datetime
    updated: datetime
    """The newest of the publication and of every change of what the record says."""
    noted: datetime
    """The newest of the publication and of every change, minor ones included, such as sources that were read again."""
    revision: int
    """The number among those kept; else the author's own, or one more than there are changes."""
    changes: tuple[DatedChange, ...]
    """Newest first; those of one day in the order of their author."""

    def of(self, change: str) -> list[RecordUpdate]:
        """The changes of one sort, as the record publishes them."""
        return [
            RecordUpdate(
                id=dated.id,
                date=dated.moment,
                note=dated.note,
                credit=dated.credit,
                submission=dated.submission,
                minor=dated.minor,
            )
            for dated in self.changes
            if dated.change == change
        ]

    @property
    def unexplained(self) -> bool:
        """Whether ``lastmod`` is a change without a note."""
        return any(change.note is None for change in self.changes)


def record_history(front: Front) -> RecordHistory:
    """The history that a front matter gives."""
    changes = [*_noted(front), *_resolved(front)]
    newest = noted = front.date
    for change in changes:
        noted = max(noted, change.moment)
        newest = newest if change.minor else max(newest, change.moment)
    if bare := _bare_lastmod(front, changes):
        changes.append(DatedChange(f"updated-{day(as_moment(bare))}", bare, "updated", None))
    ordered = sorted(changes, key=lambda change: change.moment, reverse=True)
    updated = max(newest, front.lastmod or newest)
    revision = front.revision or 1 + len(changes)
    return RecordHistory(front.date, updated, max(updated, noted), revision, tuple(_apart(ordered)))


def _bare_lastmod(front: Front, changes: Iterable[DatedChange]) -> datetime | None:
    """``lastmod`` where it is a change of its own: after the publication, on a day without any other change.

    A change that is dated after it, by the author or by a review, does not take it back: it has been published.
    """
    if front.lastmod is None or not later(front.lastmod, front.date):
        return None
    return None if day(front.lastmod) in {day(change.moment) for change in changes} else front.lastmod


def _noted(front: Front) -> Iterator[DatedChange]:
    for member, change in CHANGES.items():
        written: list[Update] = getattr(front, member, [])
        for dated in written:
            # Its day and words, not its place: feed readers must not see old changes as new when one is added.
            # Decision "A change is named by its day and its note".
            mark = blake2b((dated.submission or dated.note).encode(), digest_size=4).hexdigest()
            yield DatedChange(
                f"{change}-{day(dated.date)}-{mark}",
                dated.date,
                change,
                dated.note,
                dated.credit,
                dated.submission,
                dated.minor and change == "updated",
            )


def _resolved(front: Front) -> Iterator[DatedChange]:
    """How it resolved; what was published with its outcome did not change by it."""
    moment, note = front.resolution() or (front.date, "")
    if later(moment, front.date):
        yield DatedChange(f"resolved-{day(moment)}", moment, "resolved", note)


def _apart(changes: Iterable[DatedChange]) -> Iterator[DatedChange]:
    """The changes, with a number at the end of an id that another of the same day has too."""
    counts: dict[str, int] = {}
    for change in changes:
        counts[change.id] = number = counts.get(change.id, 0) + 1
        yield change if number == 1 else replace(change, id=f"{change.id}-{number}")
