"""The events of a running text, parsed once for all that reads the same text: headings, paragraphs, links and forms.

The forms of a page are written one after the other, so the last few texts are all that is worth holding.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from citepress.content.commonmark import PARSER

MAX_HELD_TEXTS = 8
"""Texts of which what was read is held."""
LARGE = 65_536
"""Characters of a text that is parsed anew each time: its events take many times the memory of the text."""
Event: TypeAlias = tuple[str, str, Any, int, int]
"""``(edge, name, data, start, end)`` of what begins (``Start``), ends (``End``) or, where the edge is empty, occurs in
a text: what the parser says of it, and its range in bytes. Others read the same data, so nobody changes it."""
ParsedEvents: TypeAlias = Iterable[Event]


def events_of(markdown: str) -> ParsedEvents:
    """The events of a text, in order."""
    return _read(markdown) if len(markdown) > LARGE else _held(markdown)


def _read(markdown: str) -> Sequence[Event]:
    events: list[Event] = []  # added to without a call for each: every text of an archive comes here
    event: Any  # the parser's own union: a name, or a dictionary of one member, which may hold another one
    for event, span in PARSER.events_with_range(markdown):
        start, end = span["start"], span["end"]
        if type(event) is str:
            events += (("", event, None, start, end),)
            continue
        ((edge, data),) = event.items()
        if edge not in ("Start", "End"):
            events += (("", edge, data, start, end),)
        elif type(data) is str:
            events += ((edge, data, None, start, end),)
        else:
            ((name, inside),) = data.items()
            events += ((edge, name, inside, start, end),)
    return events


_held = lru_cache(maxsize=MAX_HELD_TEXTS)(_read)
