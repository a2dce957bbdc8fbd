"""The anchors of headings: one scheme for pages, Markdown and the sections of tools.

An anchor is the heading's own words, in lower case and joined by hyphens, letters of every script kept; from its
second use on it has a number. An id that its author gives, as in ``## Words {#id}``, takes their place. Anchors
depend on the text alone, so that they stay when anything around the text changes.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from citepress.content.heading_ids import without_id
from citepress.content.parsed_text import LARGE, MAX_HELD_TEXTS, events_of

RESERVED = ("main", "top", "text")
"""Ids that the theme itself uses."""
MAX_ANCHOR_CHARS = 96
"""Characters of an anchor before its number."""
NAMELESS = "section"
"""The anchor of a heading without a letter or digit."""
_BETWEEN = re.compile(r"[\W_]+")
_LEVEL_1 = re.compile(r"\n {0,3}(?:#[ \t]|=+[ \t]*$)", re.MULTILINE)
"""Behind a line break, which is found without trying every character."""
_QUOTES = ("BlockQuote", "Item")
WORD_EVENTS = ("Text", "Code", "InlineMath", "DisplayMath")
"""Events that hold words of a heading."""
_UNSEEN = ("Image",)
_BREAKS = ("SoftBreak", "HardBreak")


class Heading(NamedTuple):
    """A heading of a text."""

    start: int
    """Where it begins, in bytes of the text."""
    level: int
    text: str
    anchor: str
    top: bool
    """Whether it is outside quotes and lists."""


class Anchors:
    """Hands out the anchors of one page, each once; as quick for the last of many equal headings as for the first."""

    def __init__(self, taken: Iterable[str] = RESERVED) -> None:
        """``taken`` are the ids that the page uses already."""
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def take(self, words: str) -> str:
        """An anchor for a heading of these words."""
        return self.claim(anchor_of(words))

    def claim(self, name: str) -> str:
        """The name itself, or the next free one with a number."""
        number = self._numbers.get(name, 1)
        free = name if number == 1 else f"{name}-{number}"
        while free in self._taken:
            number += 1
            free = f"{name}-{number}"
        self._numbers[name] = number
        self._taken.add(free)
        return free


def anchor_of(words: str) -> str:
    """The anchor of a heading before it is made unique."""
    joined = _BETWEEN.sub("-", unicodedata.normalize("NFC", words).lower()).strip("-")
    return joined[:MAX_ANCHOR_CHARS].strip("-") or NAMELESS


def headings(markdown: str) -> tuple[Heading, ...]:
    """Every heading of a published text, in order."""
    if "#" not in markdown and "\n=" not in markdown and "\n-" not in markdown and "\n " not in markdown:
        return ()
    return tuple(_anchored(markdown)) if len(markdown) > LARGE else _held(markdown)


def first_title(markdown: str) -> int:
    """Where the first heading of level 1 outside of quotes begins, in bytes; -1 where there is none."""
    if not _LEVEL_1.search(f"\n{markdown}"):
        return -1
    return next((heading.start for heading in headings(markdown) if heading.level == 1 and heading.top), -1)


@lru_cache(maxsize=MAX_HELD_TEXTS)
def _held(markdown: str) -> tuple[Heading, ...]:
    return tuple(_anchored(markdown))


def _anchored(markdown: str) -> Iterator[Heading]:
    anchors = Anchors()
    for start, level, words, top in _read(markdown):
        plain, id_ = without_id(words)
        yield Heading(start, level, plain, anchors.claim(id_) if id_ else anchors.take(plain), top)


def _read(markdown: str) -> Iterator[tuple[int, int, str, bool]]:
    """(byte offset, level, words, whether it is outside of quotes and lists) of each heading."""
    depth, unseen, start, level, words = 0, 0, -1, 0, list[str]()
    for edge, name, data, at, _ in events_of(markdown):
        if name == "Heading":
            if edge == "Start":
                start, level, words = at, int(str(data["level"])[-1]), []
            else:
                yield start, level, "".join(words).strip(), not depth
                start = -1
        elif edge:
            step = 1 if edge == "Start" else -1
            depth += step * (name in _QUOTES)
            unseen += step * (name in _UNSEEN)
        elif start >= 0 and name in _BREAKS:
            words.append("\n")
        elif start >= 0 and name in WORD_EVENTS and not unseen:
            words.append(str(data))
