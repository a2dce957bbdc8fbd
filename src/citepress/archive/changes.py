"""What changed in the archive and when, as feeds and tools tell it."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from citepress.archive.model import Change, Entry, Withdrawn
from citepress.base.moments import day
from citepress.content.draft import Draft, Taken
from citepress.contract.record import Update
from citepress.contract.site import Deprecation

RESOLVED = "resolved_"
DEPRECATIONS = "/developers/"
"""The page that announces deprecations."""


def changes_of(draft: Draft, entry: Entry) -> tuple[Change, ...]:
    """The dated changes of one record; worked out once as long as its entry stays."""
    known = draft.memo.get("changes")
    if known is None or known[0] is not entry:
        known = draft.memo["changes"] = (entry, tuple(_of(entry)))
    made: tuple[Change, ...] = known[1]
    return made


def _of(entry: Entry) -> Iterator[Change]:
    record: Any = entry.record
    yield Change(record.published_at, "published", record.id, record.title, entry.path, record.summary)
    yield from _told(entry, "updated", record.updates)
    yield from _told(entry, "corrected", record.corrections)
    yield from _told(entry, "revised", getattr(record, "revisions", ()))
    if str(getattr(record, "status", "")).startswith(RESOLVED) and record.resolved_at:
        outcome = record.status.removeprefix(RESOLVED)
        note = record.resolution_note or f"It resolved: {outcome}."
        yield Change(record.resolved_at, "resolved", record.id, record.title, entry.path, note)


def _told(entry: Entry, change: str, dated: Iterable[Update]) -> Iterator[Change]:
    for one in dated:
        yield Change(one.date, change, entry.record.id, entry.record.title, entry.path, one.note, one.credit)


def beside_records(
    taken: Sequence[Taken], withdrawn: Sequence[Withdrawn], deprecations: Sequence[Deprecation], as_of: datetime
) -> Iterator[Change]:
    """Withdrawals that have a date, and the rows of ``site.toml`` about paths on their way out.

    A row that is still to come and does not say when it was announced is dated ``as_of``: no announcement lies in the future.
    """
    titles = {one.id: one.title for one in taken}
    for gone in withdrawn:
        if gone.date:
            note = gone.reason or "The record was withdrawn."
            yield Change(gone.date, "withdrawn", gone.id, titles[gone.id] or gone.id, gone.path, note)
    for row in deprecations:
        yield Change(row.announced_on or as_of, "deprecated", "", f"{row.path} is deprecated", DEPRECATIONS, _lifecycle(row))


def _lifecycle(row: Deprecation) -> str:
    """Why a path goes, since when it is deprecated, until when it answers, and what stands in its place."""
    parts = [f"{row.reason.rstrip('.')}.", f"Deprecated on {day(row.deprecated_on)}."]
    if row.sunset_on:
        parts.append(f"Sunset on {day(row.sunset_on)}.")
    if row.urgent:
        parts.append(f"Urgent: {row.urgent.rstrip('.')}.")
    return " ".join([*parts, f"See {row.link}."] if row.link else parts)


def newest_first(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Newest first, then by record, then by sort of change."""
    return tuple(sorted(changes, key=lambda one: (-one.moment.timestamp(), one.record, one.change, one.path)))
