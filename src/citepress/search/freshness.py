"""How old evidence is: from the day of the question back to the day that at least half of a record's sources reach.

A changed comma makes no evidence fresh, and neither does one new source among many. What counts is when a record was published, when the
sources it stands on were published, and when they were last read for it; and none of these after the record's last change, because a text
cannot stand on what came later.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time

from citepress.contract.record import Record, Source

DATES = 100
"""Days kept of one record, the newest of them."""


def evidence_days(record: Record) -> tuple[date, ...]:
    """The day of each source of a record, newest first: its newest one, or the record's publication where it has none since.

    The last day is that of the publication, for a record without sources and for a question that was asked before they were read.
    """
    published, last = record.published_at.date(), record.updated_at.date()
    days = [
        max((moment.date() for moment in _dates(source) if published <= moment.date() <= last), default=published)
        for source in record.sources
    ]
    return (*sorted(days, reverse=True)[:DATES], published)


def _dates(source: Source) -> Iterable[datetime]:
    return (moment for moment in (source.published_at, source.accessed_at) if moment)


def evidence_at(days: Sequence[str], asked_at: datetime) -> datetime:
    """The lower median of the sources' days (ISO, newest first) that are not after the question; the last one where all of them are.

    The median, because whoever gets one source into a record must not decide how old all of its evidence is.
    """
    asked = asked_at.date().isoformat()
    *sources, published = days
    past = [day for day in sources if day <= asked]
    middle = past[len(past) // 2] if past else published
    return datetime.combine(date.fromisoformat(middle), time.min, UTC)


def age_days(moment: datetime, asked_at: datetime) -> int:
    """Whole days from a day of evidence to the day of the question; never below 0."""
    return max((asked_at.date() - moment.date()).days, 0)


def day_of(moment: datetime) -> datetime:
    """The day of a question: midnight UTC. Ages count days, so that a question gives the same bytes all day."""
    return datetime.combine(moment.astimezone(UTC).date(), time.min, UTC)
