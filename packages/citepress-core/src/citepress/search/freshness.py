"""The days that date the evidence of a record: when it was published, and when its sources were published or last read.

Dates after the record's last change are ignored, because a text cannot rest on what came later.
"""

from collections.abc import Iterable
from datetime import date, datetime

from citepress.contract.record import Record, Source

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
