"""Dates as other tools write them."""

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

_SPACED = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"
    r"(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d))?(?:[.,]\d+)? *(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?",
    re.IGNORECASE,
)
_WORDS = (
    "%b %d %Y",
    "%B %d %Y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%d %B %Y",
    "%d %b %Y",
    "%Y%m%d",
    "%d.%m.%Y",
    "%B %d, %Y %H:%M:%S",
)


def moment_of(value: object) -> datetime | None:
    """The moment that a value names; without a zone it is UTC. ``None`` where it names none."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not text or len(text) > 80:  # noqa: PLR2004
        return None
    moment = _spaced(text) or _in_words(text)
    return moment if moment and moment.year >= 1000 else None  # noqa: PLR2004


def _spaced(text: str) -> datetime | None:
    match = _SPACED.match(text)
    if match is None:
        return None
    zone = (match[7] or "Z").upper()
    offset = "+00:00" if zone in ("Z", "UTC", "GMT") else f"{zone[:3]}:{zone[-2:]}"
    clock = f"{int(match[4] or 0):02}:{match[5] or '00'}:{match[6] or '00'}"
    try:
        return datetime.fromisoformat(f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}T{clock}{offset}")
    except ValueError:
        return None


def _in_words(text: str) -> datetime | None:
    for form in _WORDS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def write_moment(moment: datetime) -> date | str:
    """A moment as front matter has it: a day, or the hour with its offset."""
    if moment.utcoffset() == UTC.utcoffset(None) and (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return moment.date()
    return moment.replace(microsecond=0).isoformat().replace("+00:00", "Z")
