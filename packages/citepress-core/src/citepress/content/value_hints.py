"""What to write in place of a value that does not fit; what there is to choose where a guess would decide something."""

import re
from calendar import month_name, monthrange
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from citepress.base.text import nearest, sentence_list
from citepress.content.written_dates import moment_of

TYPOGRAPHIC_QUOTES = "\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb"
_YEAR_FIRST = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ].*)?")
_EITHER = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")
_NUMBER = re.compile(r"([0-9]+)(?:[.,]([0-9]+))?\s*(%?)")
_PLAIN_ITEM = re.compile(r"[\w./ -]+(?:, *[\w./ -]+)*")
"""What can be put between brackets as it is."""
_FENCE_SLIP = re.compile("[-\u2010-\u2015\u2212=~_*+]+")
PERCENT = 100


def fence_hint(first: str) -> str:
    """What to write where front matter should begin; ``first`` is the first line with words."""
    if first.rstrip() == "---":
        return "take away what is above it: front matter begins on the first line"
    if _FENCE_SLIP.fullmatch(first.rstrip()):
        return "write three hyphens: ---"
    return "begin the file with a line ---, then `title: …`, then a line --- (TOML goes between lines of +++)"


def sources_hint(ids: Sequence[str]) -> str:
    """What a reference to a source of a record may name."""
    return f"its sources are {', '.join(ids)}"[:200] if ids else "the record has no sources: list them under `sources:`"


def date_hint(written: object) -> str:
    """How to write a date, or why there is no such day."""
    text = " ".join(str(written).split())
    quoted = text.strip(TYPOGRAPHIC_QUOTES)
    if match := _YEAR_FIRST.fullmatch(quoted):
        year, month, day = (int(part) for part in match.groups())
        if not 1 <= month <= 12:  # noqa: PLR2004  (months of a year)
            return f"there is no month {month}"
        if year and not 1 <= day <= (last := monthrange(year, month)[1]):
            return f"{month_name[month]} {year} has {last} days"
    if moment := moment_of(quoted):
        rest = moment.timetz() if any((moment.hour, moment.minute, moment.second)) else ""
        return f"write {moment.date()}{f'T{rest}' if rest else ''}" + (", without quotes" if quoted != text else "")
    if match := _EITHER.fullmatch(text):
        first, second, year = (int(part) for part in match.groups())
        if max(first, second) <= 12:  # noqa: PLR2004  (either may be the month)
            return f"write {date(year, first, second)} or {date(year, second, first)}, whichever is meant"
    return "write the year, the month and the day, as in 2026-11-10"


def value_hint(error: str, written: object, context: Mapping[str, Any], keys: Sequence[str]) -> str:
    """What to write in place of a value at fault; ``keys`` are those of the mapping that may be there."""
    if written is None:
        return "write a value after the colon, or take the key out"
    if error == "literal_error":
        return _choice(str(written), re.findall(r"'([^']*)'", str(context["expected"])))
    if error == "list_type":
        return _list_hint(written)
    if isinstance(written, str):
        length = context.get("max_length", 0) if error == "string_too_long" else 0
        in_mapping = f"write {{{keys[0]}: {written[:80]}}}" if error.startswith("model_") and keys else ""
        too_long = f"shorten it by {len(written) - length:,} characters" if length else ""
        return too_long or in_mapping or (_number_hint(written) if error.startswith("float_") else "")
    is_number = isinstance(written, int | float) and not isinstance(written, bool)
    if error == "less_than_equal" and context["le"] == 1 and is_number and 1 < float(str(written)) <= PERCENT:
        return f"write {float(str(written)) / PERCENT:g} for {written} %"
    return "put it in quotes" if error == "string_type" and is_number else ""


def _number_hint(written: str) -> str:
    match = _NUMBER.fullmatch(written.strip())
    number = float(f"{match[1]}.{match[2] or 0}") if match else 0
    return f"write {number / PERCENT if match[3] else number:g}" if match else ""


def _choice(written: str, names: Sequence[str]) -> str:
    """The one word that is alike; where several are, all of them, because one may say the opposite of another."""
    alike = nearest(written, names, len(names) or 1)
    if len(alike) == 1:
        return f'did you mean "{alike[0]}"?'
    return f"write {sentence_list(sorted(alike or names, key=names.index), 'or')}, whichever is true"


def _list_hint(written: object) -> str:
    if isinstance(written, Mapping):
        return "begin each item of the list with `- `"
    text = str(written)
    return f"write [{text}]" if _PLAIN_ITEM.fullmatch(text) else "put it in brackets: [\u2026]"
