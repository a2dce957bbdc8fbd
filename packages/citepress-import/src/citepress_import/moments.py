"""Dates of other tools as front matter writes them."""

from datetime import UTC, date, datetime


def write_moment(moment: datetime) -> date | str:
    """A moment as front matter has it: a day, or the hour with its offset."""
    if moment.utcoffset() == UTC.utcoffset(None) and (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return moment.date()
    return moment.replace(microsecond=0).isoformat().replace("+00:00", "Z")
