"""The age of evidence: days from the lower median of a record's source dates to the day of the question.

Neither a corrected comma nor one new source among many makes evidence fresh.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time


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
