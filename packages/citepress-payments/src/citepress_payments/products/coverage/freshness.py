"""The age of evidence: days from the lower median of a record's source dates to the day of the question.

Neither a corrected comma nor one new source among many makes evidence fresh. What counts is when the record was
published, when its sources were published, and when they were last read for it. Dates after the record's last change
are ignored, because a text cannot rest on what came later.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time

from citepress.contract.record import Record, Source
from citepress.search.stored_document import StoredDocument

DATED = "dated"
"""The detail of a record with the days of its evidence, newest first."""
DATES = 100
"""Upper limit of the days stored for one record; the newest are kept."""


def evidence_days(record: Record) -> tuple[date, ...]:
    """The newest day of each source of a record, newest first; without a usable date, the record's publication counts.

    The last day is that of the publication, for a record without sources and for questions older than all of them.
    """
    published, last = record.published_at.date(), record.updated_at.date()
    days = [
        max((moment.date() for moment in _dates(source) if published <= moment.date() <= last), default=published)
        for source in record.sources
    ]
    return (*sorted(days, reverse=True)[:DATES], published)


def _dates(source: Source) -> Iterable[datetime]:
    return (moment for moment in (source.published_at, source.accessed_at) if moment)


def dated_at(stored: StoredDocument, asked_at: datetime) -> datetime:
    """The day that dates the evidence of a record in the index."""
    return evidence_at(stored.detail.get(DATED) or [stored.shown["published"][:10]], asked_at)


def evidence_at(days: Sequence[str], asked_at: datetime) -> datetime:
    """The lower median of the sources' days (ISO, newest first) that are not after the question.

    Without such a day, the day of publication, which is the last one.
    """
    asked = asked_at.date().isoformat()
    *sources, published = days
    past = [day for day in sources if day <= asked]
    # The median, so that one added source cannot decide how old all the evidence of a record is.
    middle = past[len(past) // 2] if past else published
    return datetime.combine(date.fromisoformat(middle), time.min, UTC)


def age_days(moment: datetime, asked_at: datetime) -> int:
    """Whole days from a day of evidence to the day of the question; never below 0."""
    return max((asked_at.date() - moment.date()).days, 0)


def day_of(moment: datetime) -> datetime:
    """The day of a question, as midnight UTC. Ages are counted in days, so a question gives the same bytes all day."""
    return datetime.combine(moment.astimezone(UTC).date(), time.min, UTC)
