"""Dates as authors and other tools write them: the one reader for plain folders and for imports."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

MAX_DATE_CHARS = 80
MIN_YEAR = 1000
"""Documents write years with four digits."""
_CLOCK = (
    r"(?:(?:T|,|\s+at\b|\s+@|\s)\s*(\d{1,2}):(\d\d)(?::(\d\d))?(?:[.,]\d+)?\s*([AaPp])?\.?(?:[Mm]\.?)?"
    r"\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?"
)
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/._])(\d{{1,2}})\2(\d{{1,2}})(?!\d){_CLOCK}", re.IGNORECASE)
"""Words may follow, such as the name of a zone beside its offset."""
_ON_THE_RUN = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)?(Z)?)?")
_DAY_FIRST = re.compile(rf"(\d{{1,2}})\.\s?(\d{{1,2}})\.\s?(\d{{4}}){_CLOCK}")
_EITHER = re.compile(rf"(\d{{1,2}})([/-])(\d{{1,2}})\2(\d{{4}}){_CLOCK}")
"""``13/02/2024``: the day is the number that no month can be; where both can be, nobody knows."""
_CJK = re.compile(rf"(\d{{4}})\s?[年년]\s?(\d{{1,2}})\s?[月월]\s?(\d{{1,2}})\s?[日일]{_CLOCK}")
_WEEKDAY = r"(?:[A-Za-z]{3,9}\.?,?\s+)?"
_MONTH_FIRST = re.compile(rf"{_WEEKDAY}([A-Za-z]{{3,9}})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}}){_CLOCK}")
_MONTH_AMID = re.compile(rf"{_WEEKDAY}(\d{{1,2}})(?:st|nd|rd|th)?[\s-]+([A-Za-z]{{3,9}})\.?,?[\s-]+(\d{{4}}){_CLOCK}")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905  (one line)
_NAMES = ("january february march april may june july august september october november december sept").split()  # noqa: SIM905
_MS_FROM, _MS_TO = 10**12, 4 * 10**12
"""Milliseconds since 1970, as some note-taking tools write them: 2001 to 2096."""


def moment_of(value: object) -> datetime | None:
    """The moment that a value names, with the offset that its author wrote; UTC where there is none.

    ``None`` where it names none, or may name two: ``03/04/2024`` is a day in March or in April.
    """
    if isinstance(value, datetime):
        moment: datetime | None = value if value.tzinfo else value.replace(tzinfo=UTC)
    elif isinstance(value, date):
        moment = datetime(value.year, value.month, value.day, tzinfo=UTC)
    elif isinstance(value, bool) or not isinstance(value, str | int):
        return None
    else:
        moment = _read(" ".join(str(value).split()))
    with suppress(OverflowError):
        return moment if moment and min(moment.year, moment.astimezone(UTC).year) >= MIN_YEAR else None
    return None


def _read(text: str) -> datetime | None:
    if not text or len(text) > MAX_DATE_CHARS:
        return None
    for parts in _parts(text):
        with suppress(ValueError, OverflowError):
            return _built(*parts)
    return _of_epoch(text) or _of_mail(text)


def _parts(text: str) -> Iterator[tuple[tuple[int, int, int], tuple[str | None, ...]]]:
    """Year, month and day, and the clock, of each notation that fits."""
    if match := _YEAR_FIRST.match(text):
        yield (int(match[1]), int(match[3]), int(match[4])), match.groups()[4:]
    if match := _ON_THE_RUN.fullmatch(text):
        yield (int(match[1]), int(match[2]), int(match[3])), (match[4], match[5], match[6], None, match[7])
    if match := _DAY_FIRST.fullmatch(text):
        yield (int(match[3]), int(match[2]), int(match[1])), match.groups()[3:]
    if match := _EITHER.fullmatch(text):
        first, second = int(match[1]), int(match[3])
        if first == second or second > len(_MONTHS):
            yield (int(match[4]), first, second), match.groups()[4:]
        elif first > len(_MONTHS):
            yield (int(match[4]), second, first), match.groups()[4:]
    if match := _CJK.fullmatch(text):
        yield (int(match[1]), int(match[2]), int(match[3])), match.groups()[3:]
    if (match := _MONTH_FIRST.fullmatch(text)) and (month := _month(match[1])):
        yield (int(match[3]), month, int(match[2])), match.groups()[3:]
    if (match := _MONTH_AMID.fullmatch(text)) and (month := _month(match[2])):
        yield (int(match[3]), month, int(match[1])), match.groups()[3:]


def _month(word: str) -> int:
    """A month by its English name; 0 for any other word."""
    word = word.lower()
    return _MONTHS.index(word[:3]) + 1 if word in _NAMES or word in _MONTHS else 0


def _built(day: tuple[int, int, int], clock: tuple[str | None, ...]) -> datetime:
    """Raises ``ValueError`` for what is in no calendar and on no clock."""
    hour, minute, second, half, zone = clock
    hours = int(hour or 0)
    if half:
        hours = hours % 12 + 12 * (half in "pP") if 1 <= hours <= 12 else 24  # noqa: PLR2004  (no such hour)
    zone = (zone or "Z").upper()
    offset = "+00:00" if zone in ("Z", "UTC", "GMT") else f"{zone[:3]}:{zone[-2:]}"
    written = f"{day[0]:04}-{day[1]:02}-{day[2]:02}T{hours:02}:{minute or '00'}:{second or '00'}{offset}"
    moment = datetime.fromisoformat(written)
    return moment if moment.utcoffset() else moment.replace(tzinfo=UTC)


def _of_epoch(text: str) -> datetime | None:
    milliseconds = int(text) if re.fullmatch(r"[0-9]{13}", text) else 0
    return datetime.fromtimestamp(milliseconds // 1000, UTC) if _MS_FROM <= milliseconds < _MS_TO else None


def _of_mail(text: str) -> datetime | None:
    """``Tue, 02 Jan 2024 10:00:00 +0100``, as mail and feeds write it."""
    if not re.search(r"\d:\d\d", text) or not re.search(r"[A-Za-z]{3}", text):
        return None
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        moment = parsedate_to_datetime(text)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None
