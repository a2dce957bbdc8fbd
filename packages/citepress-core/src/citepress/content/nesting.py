"""How deep the elements of a text are nested, which is bounded: cleaning HTML takes the square of its depth."""

import re
from typing import Any

from citepress.content import raw_html
from citepress.content.commonmark import PARSER

MAX_DEPTH = 100
"""Elements inside each other in one text; a list and its item are two."""
_VOID = frozenset({"br", "hr", "img", "wbr"})
_PARTS_OF_TABLE = frozenset({"caption", "tbody", "td", "tfoot", "th", "thead", "tr"})
"""These close each other: only another table goes deeper."""
_COUNTED = {*raw_html.PASSED, *raw_html.HEADINGS, "span"} - _VOID - _PARTS_OF_TABLE
_BLOCKS = frozenset(
    {
        *raw_html.HEADINGS,
        *("blockquote", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "li", "ol", "p", "pre"),
        *("summary", "table", "ul"),
    }
)
"""Elements that an inline end tag does not reach through, as the standard of HTML has it."""
_ENDED_BY = {"li": {"li"}, "dd": {"dd", "dt"}, "dt": {"dd", "dt"}}
"""Elements whose start tag ends one that is open."""
_REOPENED = frozenset({"a", "b", "code", "em", "i", "s", "small", "strong"})
"""Elements that browsers open again in every block until an end tag of theirs comes."""
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)")
_OPENING = re.compile(r"<[A-Za-z]")
_LEAF = re.compile(r'<(p|li|h[1-6]|a|code|em|strong|del|td|th)(?: [a-z]+="[^"<>]*")*>[^<]*</\1>')
LEAVES = 2
"""Elements that are written in the innermost one of the parser's: those of code, of a formula, of a mark of a note."""


class DepthBound:
    """At most how deep the elements of a text are nested, from the events of its parser."""

    def __init__(self) -> None:
        self._open = self._html = self._deepest = 0

    def add(self, edge: str, data: Any) -> None:  # noqa: ANN401  (the parser's own union)
        """Count an event; HTML of the text's own counts as if nothing in it were ever closed."""
        if edge == "End":
            self._open -= 1
            return
        if edge == "Start":
            self._open += 1
        elif edge in ("InlineHtml", "Html"):
            self._html += len(_OPENING.findall(data))
        self._deepest = max(self._deepest, self._open + self._html)

    @property
    def value(self) -> int:
        """The bound: no element is inside so many others."""
        return self._deepest + LEAVES if self._deepest else 0


def too_deep(html: str) -> bool:
    """Whether elements of HTML, closed or not, are nested deeper than ``MAX_DEPTH``, in time that grows with the HTML.

    Tags are matched as browsers match them, or so that the HTML counts as deeper than it is.
    """
    bare = html
    for level in range(3):
        # Each element that stays open has its bracket left; one that holds text alone is closed where it stands.
        if bare.count("<") + level <= MAX_DEPTH:
            return False
        bare = _LEAF.sub("", bare)
    open_: list[str] = []
    reopened = 0
    for closing, written in _TAG.findall(html):
        name = written.lower()
        if name not in _COUNTED:
            continue
        if name in _REOPENED:
            reopened = max(0, reopened - 1) if closing else reopened + 1
        if closing:
            _close(open_, {name}, {"table"} if name in _BLOCKS else _BLOCKS)
            continue
        if name in _BLOCKS:
            _close(open_, {"p"}, {"table"})
        if name in _ENDED_BY:
            _close(open_, _ENDED_BY[name], _BLOCKS - {"div", "p"})
        open_.append(name)
        if max(len(open_), reopened) > MAX_DEPTH:
            return True
    return False


def _close(open_: list[str], names: set[str], barriers: set[str] | frozenset[str]) -> None:
    """End the innermost element of these names and all inside it, unless a barrier is in between."""
    for place in range(len(open_) - 1, -1, -1):
        if open_[place] in names:
            del open_[place:]
            return
        if open_[place] in barriers:
            return


def depth_passed_at(markdown: str) -> int:
    """The character with which a Markdown text becomes too deep; -1 for a text that does not."""
    if not too_deep(PARSER.html(markdown)):
        return -1
    shallow, deep = 0, len(markdown)
    while deep - shallow > 1:
        middle = (shallow + deep) // 2
        if too_deep(PARSER.html(markdown[:middle])):
            deep = middle
        else:
            shallow = middle
    return shallow
