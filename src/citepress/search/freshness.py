"""How old evidence is: from the day of the question back to the newest day that the evidence itself carries.

A changed comma makes no evidence fresh. What counts is when a record was published, when the sources it stands on were published, and when
they were last read for it; and none of these after the record's last change, because a text cannot stand on what came later.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time

from citepress.contract.record import Record

DATES = 16
"""Days kept of one record, the newest of them."""


def evidence_days(record: Record) -> tuple[date, ...]:
    """The days that date the evidence of a record, newest first; the day of its publication is always the last resort."""
    published, last = record.published_at.date(), record.updated_at.date()
    days = {moment.date() for moment in _source_dates(record) if published <= moment.date() <= last}
    return tuple(sorted({published, *days}, reverse=True)[:DATES])


def _source_dates(record: Record) -> Iterable[datetime]:
    for source in record.sources:
        yield from (moment for moment in (source.published_at, source.accessed_at) if moment)


def evidence_at(days: Sequence[str], asked_at: datetime) -> datetime:
    """The newest of these days (ISO, newest first) that is not after the question; the oldest where all of them are."""
    asked = asked_at.date().isoformat()
    found = next((day for day in days if day <= asked), days[-1])
    return datetime.combine(date.fromisoformat(found), time.min, UTC)


def age_days(moment: datetime, asked_at: datetime) -> int:
    """Whole days from a day of evidence to the day of the question; never below 0."""
    return max((asked_at.date() - moment.date()).days, 0)


def day_of(moment: datetime) -> datetime:
    """The day of a question: midnight UTC. Ages count days, so that a question gives the same bytes all day."""
    return datetime.combine(moment.astimezone(UTC).date(), time.min, UTC)
