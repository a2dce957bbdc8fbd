"""Shortcodes and template tags of a text: parsed with their arguments, nested by their ends, and replaced."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

NESTED = 50
"""Shortcodes inside one another."""
MAX_OPEN_CALLS = 10_000
"""Shortcodes whose end has not come yet."""
_ARGUMENT = re.compile(r"""(?:([\w-]+)\s*[=:]\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[^\s,="'`]+)""")


class ShortcodeCall(NamedTuple):
    """A shortcode with its arguments and, where it has an end of its own, its inside."""

    name: str
    named: dict[str, str]
    placed: list[str]
    """Arguments without a name, in order."""
    inner: str | None
    text: str = ""
    """What stands between its name and its end, as it was written."""

    def argument(self, *names: str, place: int = -1) -> str:
        """The first argument of these names, else the one at a place, else nothing."""
        for name in names:
            if self.named.get(name):
                return self.named[name]
        return self.placed[place] if 0 <= place < len(self.placed) else ""


class ShortcodeMark(NamedTuple):
    """A beginning or an end of a shortcode in a text."""

    start: int
    end: int
    name: str
    arguments: str
    closing: bool
    alone: bool = False
    """Whether it has no end, whatever follows."""


Handler: TypeAlias = Callable[[ShortcodeCall], str]


def arguments(text: str) -> tuple[dict[str, str], list[str]]:
    """Arguments with names and without."""
    named: dict[str, str] = {}
    placed: list[str] = []
    for name, value in _ARGUMENT.findall(text[:4_000]):
        bare = re.sub(r"\\(.)", r"\1", value[1:-1]) if value[:1] in ("'", '"') else value.strip("`")
        if name:
            named.setdefault(name.lower(), bare)
        else:
            placed.append(bare)
    return named, placed


def replace_shortcodes(text: str, marks: Iterable[ShortcodeMark], handler: Handler, show: Callable[[str], str]) -> str:
    """The text with every shortcode replaced by what the handler makes of it, the inner ones first.

    A closing mark ends the nearest shortcode of its name, or the nearest of all where it has no name; one that ends
    nothing goes. ``show`` gives arguments their hidden pieces back.
    """
    in_order = list(marks)
    ends = _ends(in_order)
    closings = set(ends.values())
    parts: list[list[str]] = [[]]
    opened: list[ShortcodeMark] = []
    at = 0
    for place, mark in enumerate(in_order):
        parts[-1].append(text[at : mark.start])
        at = mark.end
        if place in closings:
            inner = "".join(parts.pop())
            parts[-1].append(handler(_call(opened.pop(), inner, show)))
        elif place in ends:
            opened.append(mark)
            parts.append([])
        elif not mark.closing:
            parts[-1].append(handler(_call(mark, None, show)))
    return "".join((*parts[0], text[at:]))


def outermost_marks(marks: Sequence[ShortcodeMark]) -> Iterator[list[ShortcodeMark]]:
    """The marks in groups: each a shortcode with an end and all that is between, or one that stands alone."""
    ends, place = _ends(list(marks)), 0
    while place < len(marks):
        last = ends.get(place, place)
        if not (marks[place].closing and last == place):
            yield list(marks[place : last + 1])
        place = last + 1


def _call(mark: ShortcodeMark, inner: str | None, show: Callable[[str], str]) -> ShortcodeCall:
    written = show(mark.arguments)
    return ShortcodeCall(mark.name, *arguments(written), inner, written)


def _ends(marks: list[ShortcodeMark]) -> dict[int, int]:
    """The end of each shortcode that has one, by their places; no more than ``NESTED`` inside one another."""
    ends: dict[int, int] = {}
    opened: list[tuple[str, int]] = []
    waiting: Counter[str] = Counter()
    for place, mark in enumerate(marks):
        if not mark.closing:
            if not mark.alone and len(opened) < MAX_OPEN_CALLS:
                opened.append((mark.name, place))
                waiting[mark.name] += 1
            continue
        if not (waiting[mark.name] if mark.name else opened):
            continue
        while True:
            name, start = opened.pop()
            waiting[name] -= 1
            if name == mark.name or not mark.name:
                ends[start] = place
                break
    return _shallow(ends)


def _shallow(ends: dict[int, int]) -> dict[int, int]:
    """The pairs that are inside no more than ``NESTED`` others."""
    pairs: dict[int, int] = {}
    around: list[int] = []
    for start in sorted(ends):
        while around and around[-1] < start:
            around.pop()
        if len(around) < NESTED:
            pairs[start] = ends[start]
            around.append(ends[start])
    return pairs
