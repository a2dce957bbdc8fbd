"""What changed in the archive and when, as feeds and tools tell it."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from urllib.parse import quote

from citepress.archive.history import RecordHistory
from citepress.archive.model import Change, Entry, Withdrawn
from citepress.base.timestamps import day
from citepress.content.source_record import SourceRecord, Tombstone
from citepress.contract.site import Deprecation

DEPRECATIONS = "/developers/"
"""The page that announces deprecations."""


def changes_of(draft: SourceRecord, entry: Entry, told: RecordHistory) -> tuple[Change, ...]:
    """Publication and dated changes of one record; worked out once as long as its entry stays."""
    known = draft.memo.get("changes")
    if known is None or known[0] is not entry:
        known = draft.memo["changes"] = (entry, tuple(_of(entry, told)))
    made: tuple[Change, ...] = known[1]
    return made


def _of(entry: Entry, told: RecordHistory) -> Iterator[Change]:
    id_, title, path = entry.record.id, entry.record.title, entry.path
    yield Change(told.published, "published", id_, title, path, entry.record.summary, id="published")
    for one in told.changes:
        yield Change(one.moment, one.change, id_, title, path, one.note or "", one.credit, one.id)


def beside_records(
    taken: Sequence[Tombstone], withdrawn: Sequence[Withdrawn], deprecations: Sequence[Deprecation], as_of: datetime
) -> Iterator[Change]:
    """Withdrawals that have a date, and the rows of ``site.toml`` about paths on their way out.

    A row that is still to come and does not say when it was announced is dated ``as_of``: no announcement lies in the future.
    """
    titles = {one.id: one.title for one in taken}
    for gone in withdrawn:
        if gone.date:
            note = gone.reason or "The record was withdrawn."
            yield Change(gone.date, "withdrawn", gone.id, titles[gone.id] or gone.id, gone.path, note, id=f"withdrawn-{day(gone.date)}")
    for row in deprecations:
        title, name = f"{row.path} is deprecated", f"deprecated-{quote(row.path, safe='')}"
        yield Change(row.announced_on or as_of, "deprecated", "", title, DEPRECATIONS, _lifecycle(row), id=name)


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
