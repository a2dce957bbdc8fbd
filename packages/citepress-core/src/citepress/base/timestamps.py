"""Moments as the wire writes them: RFC 3339 in JSON, IMF-fixdate in HTTP, plain dates on pages."""

import re
from datetime import UTC, date, datetime, time
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache

MIDNIGHT = time.min
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""By their places: the names of ``calendar`` follow the language of the machine."""
UNKNOWN = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands for a moment that nobody knows, in the members that have to hold one; readers see the word for it."""
UNDATED = "undated"
MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86_400
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def as_moment(value: date | datetime) -> datetime:
    """Midnight UTC of a plain date; a time without zone is read as UTC."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return datetime.combine(value, time.min, UTC)


def later(moment: datetime, other: datetime) -> bool:
    """Whether one moment comes after another; midnight UTC means the whole day, as authors write it."""
    moment = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    other = other if other.tzinfo is UTC else other.astimezone(UTC)
    if MIDNIGHT in (moment.time(), other.time()):
        return moment.date() > other.date()
    return moment > other


@lru_cache(maxsize=65_536)  # an archive writes the same days again and again
def rfc3339(moment: datetime) -> str:
    """``2026-11-21T05:00:00Z``: the form of every time in a public JSON document."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def if_known(moment: datetime) -> datetime | None:
    """The moment; ``None`` where it stands for one that nobody knows."""
    return moment if moment != UNKNOWN else None


def http_date(moment: datetime) -> str:
    """``Sat, 21 Nov 2026 05:00:00 GMT``: the form of ``Last-Modified`` (RFC 9110 section 5.6.7)."""
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0), usegmt=True)


def parse_http_date(text: bytes) -> datetime | None:
    """The moment of an HTTP date in UTC, which one without a zone is in too (RFC 9110 section 5.6.7); else ``None``."""
    try:
        return as_moment(parsedate_to_datetime(text.decode("ascii")))
    except (ValueError, TypeError, OverflowError):
        return None


def as_local(value: date | datetime) -> datetime:
    """As ``as_moment``, with the offset that the author wrote: the day of a moment is that of its author."""
    return value if isinstance(value, datetime) and value.utcoffset() else as_moment(value)


def at_offset(moment: datetime, offset: str | None) -> datetime:
    """The moment in the zone of an offset such as ``+13:00``; unchanged where there is none."""
    return moment.astimezone(datetime.strptime(offset, "%z").tzinfo) if offset else moment


def offset_of(moment: datetime) -> str | None:
    """The offset of a moment from UTC, such as ``+13:00``; ``None`` where it is in UTC."""
    return moment.isoformat()[-6:] if moment.utcoffset() else None


def utc_year(moment: datetime) -> int:
    """The year that documents sort a moment under, as its UTC form in JSON says."""
    return moment.year if moment.tzinfo is UTC else moment.astimezone(UTC).year


def day(moment: datetime) -> str:
    """``2026-11-21``: the form of a date in Markdown, in feeds and in what machines read."""
    return str(moment.date()) if moment != UNKNOWN else UNDATED  # three times as fast as with its time


def spoken_day(moment: datetime) -> str:
    """``21 November 2026``: the form of a date on pages."""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}" if moment != UNKNOWN else UNDATED


def is_day(text: str) -> bool:
    """Whether a text is a day and nothing else: ``2026-11-21``."""
    if not _DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:  # a thirtieth of February
        return False
    return True


def spoken_moment(moment: datetime) -> str:
    """``21 November 2026, 05:00 UTC``: the form of a time on pages."""
    moment = moment.astimezone(UTC)
    return f"{spoken_day(moment)}, {moment:%H:%M} UTC"
