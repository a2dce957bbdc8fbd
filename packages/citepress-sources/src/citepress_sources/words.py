"""How much of a text changed, apart from lines that change by themselves."""

import re
from collections.abc import Iterator

from rapidfuzz.distance import Indel

from citepress.base.quotation import plain_words

_AGO = r"(?:just\s+now|yesterday|today|(?:an?|\d{1,9})\s+(?:second|minute|hour|day|week|month|year)s?\s+ago)"
_COUNTED = r"(?:comment|view|like|share|reply|replie|read|reader|visitor|follower|point|vote|download|star|reaction)s?"
_VOLATILE = re.compile(
    rf"""(?ix)
    .{{0,60}}\b{_AGO}\W*
    | \W{{0,20}}[\d.,]{{1,20}}[km]?\s+{_COUNTED}\W{{0,20}}(?:[\d.,]{{1,20}}[km]?\s+{_COUNTED}\W{{0,20}})*
    | {_COUNTED}\W{{0,20}}[\d.,]{{1,20}}[km]?\W{{0,20}}
    | \W{{0,20}}(?:\d{{1,9}}\s*(?:min(?:ute)?s?)\.?\s*(?:to\s+)?read|reading\s+time\b.{{0,30}})\W*
    | (?:\W{{0,20}}(?:\u00a9|\(c\)|copyright)).{{0,120}}
    | (?:page\s+)?(?:generated|rendered|retrieved|accessed|printed)\s+(?:at|on|in|by)\b.{{0,80}}
    | (?:today\s+is|current\s+time)\b.{{0,60}}
    | (?:advertisement|sponsored|share\s+this.{{0,60}}|accept\s+(?:all\s+)?cookies|we\s+use\s+cookies.{{0,400}})\W*
    """
)
"""Lines that say when a page was looked at, by how many, or what it advertises: they differ without a change."""
MAX_VOLATILE_CHARS = 450
"""Characters of a line that may be volatile; a longer one is text."""
MAX_COMPARED_WORDS = 100_000
"""Words of a text that are compared."""
MIN_CHANGED_SHARE = 0.001
"""What a change of less is rounded to."""


def lasting_words(text: str) -> list[str]:
    """The words of a text without lines that change by themselves."""
    return [word for line in _lasting_lines(text) for word in line.split()][:MAX_COMPARED_WORDS]


def _lasting_lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        plain = plain_words(line)
        if plain and not (len(plain) <= MAX_VOLATILE_CHARS and _VOLATILE.fullmatch(plain.lstrip("-*|# "))):
            yield plain


def changed_share(before: str, after: str) -> float:
    """Share of the words of two texts that stand in one of them alone: 0 where they are alike, 1 where nothing is."""
    former, now = lasting_words(before), lasting_words(after)
    if former == now:
        return 0.0
    return max(round(Indel.normalized_distance(former, now), 3), MIN_CHANGED_SHARE)
