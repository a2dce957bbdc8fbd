"""What changed in the archive and when, for feeds and tools."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from urllib.parse import quote

from citepress.archive.model import Change, Entry, Withdrawn
from citepress.base.memo import memoized
from citepress.base.timestamps import UNKNOWN, day
from citepress.content.source_record import SourceRecord
from citepress.contract.site import Deprecation
from citepress.history.dated_changes import RecordHistory

DEPRECATIONS = "/developers/"
"""The page that announces deprecations."""


def changes_of(draft: SourceRecord, entry: Entry, history: RecordHistory) -> tuple[Change, ...]:
    """Publication and dated changes of one record; computed once as long as its entry stays the same."""
    return memoized(draft.memo, "changes", entry, lambda: tuple(_of(entry, history)))


def _of(entry: Entry, history: RecordHistory) -> Iterator[Change]:
    id_, title, path, topics = entry.head.id, entry.head.title, entry.path, tuple(entry.head.topics)
    if history.published != UNKNOWN:
        yield Change(history.published, "published", id_, title, path, entry.head.summary, None, "published", topics)
    for dated in history.changes:
        if dated.minor:  # the feed is of significant changes; a reading that changed nothing would push them out
            continue
        yield Change(dated.moment, dated.change, id_, title, path, dated.note or "", dated.credit, dated.id, topics)


def beside_records(
    withdrawn: Sequence[Withdrawn],
    deprecations: Sequence[Deprecation],
    as_of: datetime,
) -> Iterator[Change]:
    """Withdrawals that have a date, and the rows of ``site.toml`` about paths on their way out.

    A row that is still to come and does not say when it was announced is dated ``as_of``: no announcement lies in
    the future.
    """
    for gone in withdrawn:
        if gone.date:
            note = gone.reason or "The record was withdrawn."
            yield Change(
                gone.date,
                "withdrawn",
                gone.id,
                gone.id,  # the title may be the reason; no page shows it any more
                gone.path,
                note,
                id=f"withdrawn-{day(gone.date)}",
            )
    for row in deprecations:
        title, name = f"{row.path} is deprecated", f"deprecated-{quote(row.path, safe='')}"
        yield Change(row.announced_on or as_of, "deprecated", "", title, DEPRECATIONS, _lifecycle(row), id=name)


def _lifecycle(row: Deprecation) -> str:
    """Why a path is deprecated, since when, until when it answers, and its replacement."""
    parts = [f"{row.reason.rstrip('.')}.", f"Deprecated on {day(row.deprecated_on)}."]
    if row.sunset_on:
        parts.append(f"Sunset on {day(row.sunset_on)}.")
    if row.urgent:
        parts.append(f"Urgent: {row.urgent.rstrip('.')}.")
    return " ".join([*parts, f"See {row.link}."] if row.link else parts)


def newest_first(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Newest first, then by record, then by sort of change."""
    return tuple(sorted(changes, key=change_order))


def change_order(change: Change) -> tuple[float, str, str, str]:
    """The order of ``newest_first``."""
    return -change.moment.timestamp(), change.record, change.change, change.path
