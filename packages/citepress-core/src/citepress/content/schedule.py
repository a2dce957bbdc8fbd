"""What is dated ahead of now waits: a whole record by its date, or single changes of a record that is out already."""

from datetime import datetime

from citepress.base.memo import memoized
from citepress.content.source_content import CHANGE_LISTS
from citepress.content.source_record import SourceRecord
from citepress.contract.record import Front


def begins(draft: SourceRecord) -> datetime:
    """The moment from which a record is shown: its date, or ``publishDate`` where that is later."""
    first = draft.head.date
    return max(first, draft.head.publish_date or first)


def waiting(draft: SourceRecord, moment: datetime) -> tuple[datetime, ...]:
    """Moments at which future changes of a record will be shown."""
    return tuple(date for date in draft.head.changed if date > moment)


def as_of(draft: SourceRecord, moment: datetime) -> SourceRecord:
    """The record without the changes after a moment; the same object as long as the same ones are left out."""
    ahead = waiting(draft, moment)
    if not ahead:
        return draft
    return memoized(draft.memo, "as_of", ahead, lambda: draft.with_front(front_as_of(draft.front, moment)))


def front_as_of(front: Front, moment: datetime) -> Front:
    """A front matter without the changes after a moment."""
    changed: dict[str, object] = {}
    for name in CHANGE_LISTS:
        changes = getattr(front, name, ())
        shown = [change for change in changes if change.date <= moment]
        if len(shown) < len(changes):
            changed[name] = shown
    if front.lastmod and front.lastmod > moment:
        changed["lastmod"] = None
    return front.model_copy(update=changed) if changed else front
