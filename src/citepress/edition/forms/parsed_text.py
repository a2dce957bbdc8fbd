"""The events of a running text, parsed once for all that reads the same text: headings, paragraphs, links and forms.

The forms of a page are written one after the other, so the last few texts are all that is worth holding.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeAlias

from citepress.content.commonmark import PARSER

HELD = 8
"""Texts of which what was read is held."""
LARGE = 65_536
"""Characters of a text that is parsed anew each time: its events take many times the memory of the text."""
Events: TypeAlias = Iterable[tuple[Any, Any]]
"""Events and their ranges in bytes, both as the parser gives them; others read the same ones, so nobody changes one."""


def events_of(markdown: str) -> Events:
    """The events of a text, in order."""
    return PARSER.events_with_range(markdown) if len(markdown) > LARGE else _held(markdown)


@lru_cache(maxsize=HELD)
def _held(markdown: str) -> Events:
    return tuple(PARSER.events_with_range(markdown))
