"""Emphasis beside Chinese, Japanese and Korean, which CommonMark does not see where a mark follows punctuation.

The rule is that of the "CJK-friendly" amendments to CommonMark: such a character counts as a letter beside asterisks,
because these scripts put no space between words.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_WIDE = r"\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3100-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
CJK = rf"{_WIDE}\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff\u2018-\u201d\u2026\u2014"
"""Letters and punctuation of these scripts, and the quotation marks and dashes that they share with others."""
_LETTER = re.compile(rf"[{_WIDE}\uff00-\uffef\U00020000-\U0003ffff]")
_WORTH = re.compile(rf"\*\*?[{CJK}]|[{CJK}]\*\*?")
_RUN = re.compile(r"(?<![\\*])\*{1,2}(?!\*)")
_OUT_OF_REACH = re.compile(r"\]\([^()\n]{0,2000}\)|<[^<>\n]{1,2000}>")
_SEGMENT = re.compile(r"\n[ \t]*(?=\n|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|>|:[ \t])|(?<=\|)|(?=\|)")
"""Where a block of text ends: no emphasis reaches further."""
MAX_WAITING = 20
"""Openings of a block that may wait for their ends."""
TAGS = {1: "em", 2: "strong"}


class Replacement(NamedTuple):
    """Characters to put in place of a range of a text."""

    start: int
    end: int
    put: str


class _AsteriskRun(NamedTuple):
    start: int
    length: int
    opens: bool
    closes: bool
    is_plain: bool
    """Whether CommonMark reads it in the same way."""


def cjk_emphasis(text: str) -> Iterator[Replacement]:
    """Tags in place of asterisks that only the rule for these scripts reads; ``text`` has its code blanked out."""
    if "*" not in text or not _WORTH.search(text):
        return
    masked = _OUT_OF_REACH.sub(lambda match: "\0" * len(match[0]), text)
    start = 0
    for match in _SEGMENT.finditer(masked):
        yield from _in_block(masked, start, match.start())
        start = match.start()
    yield from _in_block(masked, start, len(masked))


def _in_block(text: str, start: int, end: int) -> Iterator[Replacement]:
    if "*" not in text[start:end] or not _WORTH.search(text, start, end):
        return
    runs = [_run(text, match, start, end) for match in _RUN.finditer(text, start, end)]
    if all(run.is_plain for run in runs):
        return
    waiting: list[_AsteriskRun] = []
    for run in runs:
        place = next((n for n in range(len(waiting) - 1, -1, -1) if waiting[n].length == run.length), -1)
        if run.closes and place >= 0:
            tag = TAGS[run.length]
            yield Replacement(waiting[place].start, waiting[place].start + run.length, f"<{tag}>")
            yield Replacement(run.start, run.start + run.length, f"</{tag}>")
            del waiting[place:]
        elif run.opens:
            waiting = [*waiting[-MAX_WAITING:], run]


def _run(text: str, match: re.Match[str], start: int, end: int) -> _AsteriskRun:
    before = text[match.start() - 1] if match.start() > start else " "
    after = text[match.end()] if match.end() < end else " "
    friendly, plain = (_flanks(before, after, friendly=rule) for rule in (True, False))
    return _AsteriskRun(match.start(), len(match[0]), *friendly, is_plain=friendly == plain)


def _flanks(before: str, after: str, *, friendly: bool) -> tuple[bool, bool]:
    """Whether a run of asterisks between two characters may open emphasis, and whether it may close it."""
    space_before, space_after = before.isspace(), after.isspace()
    mark_before, mark_after = _is_mark(before), _is_mark(after)
    if friendly:
        wide_before, wide_after = bool(_LETTER.match(before)), bool(_LETTER.match(after))
        mark_before, mark_after = mark_before and not wide_before, mark_after and not wide_after
    else:
        wide_before = wide_after = False
    opens = not space_after and (not mark_after or space_before or mark_before or wide_before)
    closes = not space_before and (not mark_before or space_after or mark_after or wide_after)
    return opens, closes


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
