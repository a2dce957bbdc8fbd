"""What is dated ahead of now waits: a whole record by its date, or single changes of a record that is out already."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from citepress.content.source_record import SourceRecord

CHANGES = ("updates", "corrections", "revisions")
"""Members that hold dated changes."""


def begins(draft: SourceRecord) -> datetime:
    """The moment from which a record is shown: its date, or ``publishDate`` where that is later."""
    first: datetime = draft.front.date
    return max(first, draft.front.publish_date or first)


def waiting(draft: SourceRecord, moment: datetime) -> tuple[datetime, ...]:
    """Moments at which the changes of a record that lie ahead will be shown."""
    front = draft.front
    dated = [one.date for name in CHANGES for one in getattr(front, name, ())]
    return tuple(date for date in (*dated, *([front.lastmod] if front.lastmod else [])) if date > moment)


def as_of(draft: SourceRecord, moment: datetime) -> SourceRecord:
    """The draft without the changes that lie ahead of a moment; the same object while the same ones do."""
    ahead = waiting(draft, moment)
    if not ahead:
        return draft
    known = draft.memo.get("as_of")
    if known is None or known[0] != ahead:
        known = draft.memo["as_of"] = (ahead, replace(draft, front=_without(draft.front, moment), memo={}))
    found: SourceRecord = known[1]
    return found


def _without(front: Any, moment: datetime) -> Any:  # noqa: ANN401  (the front matter of any kind)
    """The front matter without the changes that lie ahead."""
    kept: dict[str, Any] = {name: [one for one in getattr(front, name) if one.date <= moment] for name in CHANGES if hasattr(front, name)}
    if front.lastmod and front.lastmod > moment:
        kept["lastmod"] = None
    return front.model_copy(update=kept)
