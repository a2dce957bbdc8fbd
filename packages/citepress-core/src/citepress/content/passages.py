"""The sentences of a text that hold its links, shortened, as other records quote them."""

import re
from collections.abc import Collection, Iterator
from typing import Any

from citepress.base.text import bounded
from citepress.content import raw_html
from citepress.content.commonmark import formula
from citepress.content.opening import inline_html
from citepress.content.parsed_text import Event, ParsedEvents, events_of

MAX_PASSAGE_CHARS, MAX_LINK_CHARS = 240, 100
"""Characters of a passage, and of the words of its link."""
_WINDOW = 4 * MAX_PASSAGE_CHARS
"""Characters on either side of a link that are searched for the ends of its sentence."""
_INLINE = frozenset({"Emphasis", "Strong", "Strikethrough", "Superscript", "Subscript", "Link", "Image"})
_CLOSING = "\"'\u201d\u2019\u00bb)\\]\u300d\u300f\uff09"
_END = re.compile(f"[.!?\u2026][{_CLOSING}]*(\\s+)|[\u3002\uff01\uff1f][{_CLOSING}]*")
"""The end of a sentence and the spaces after it; scripts with wide full stops write none."""
_OPENING = "(\"'\u201c\u2018\u00ab"
_WORD = 20
"""Characters in which an abbreviation is looked for."""
LinkPassage = tuple[str, str, str]
"""What stands before the words of a link, these words, and what stands after them; together a passage."""


def passages(body: str, offsets: Collection[int]) -> dict[int, LinkPassage]:
    """The passages of links that have words, those at these bytes among them, by the bytes at which they begin."""
    reader = _PassageReader()
    removed = raw_html.removed_ranges(inline_html(body))[::-1] if "<" in body else []
    for edge, name, data, at, _ in _blocks_at(offsets, events_of(body)) if offsets else ():
        while removed and removed[-1][1] <= at:
            removed.pop()
        if not removed or at < removed[-1][0]:
            reader.take(edge, name, data, at)
    reader.end_block()
    return reader.passages


def _blocks_at(offsets: Collection[int], events: ParsedEvents) -> Iterator[Event]:
    """The events of the blocks that hold anything at these bytes: of a long text they are few."""
    block, wanted = list[Event](), False
    for event in events:
        block += (event,)
        wanted = wanted or event[3] in offsets
        if event[0] and event[1] not in _INLINE:
            yield from block if wanted else ()
            block, wanted = [], False
    yield from block if wanted else ()


class _PassageReader:
    """Gathers the words of one block after the other, and the links among them."""

    def __init__(self) -> None:
        self.passages: dict[int, LinkPassage] = {}
        self._words: list[str] = []
        self._length = 0
        self._links: list[tuple[int, int, int]] = []
        """(byte of the text, first and last character among the words) of each link of the block."""
        self._open: tuple[int, int] | None = None
        self._images = 0

    def take(self, edge: str, name: str, data: Any, at: int) -> None:  # noqa: ANN401  (the parser's own union)
        """Take the next event, which begins at this byte."""
        if edge:
            self._edge(name, at, begins=edge == "Start")
        elif name in ("SoftBreak", "HardBreak"):
            self._add(" ")
        elif name in ("Text", "Code"):
            self._add(str(data))
        elif name in ("InlineMath", "DisplayMath"):
            self._add(formula({name: data}))

    def _edge(self, name: str, at: int, *, begins: bool) -> None:
        if name not in _INLINE:
            self.end_block()
        elif name == "Image":
            self._images += 1 if begins else -1
        elif name == "Link" and begins:
            self._open = at, self._length
        elif name == "Link" and self._open:
            self._links.append((*self._open, self._length))
            self._open = None

    def _add(self, words: str) -> None:
        if not self._images:
            self._words.append(words)
            self._length += len(words)

    def end_block(self) -> None:
        """Note the passages of the links of the block."""
        text = "".join(self._words) if self._links else ""
        for at, start, end in self._links:
            if text[start:end].strip():
                before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
                self.passages[at] = _shortened(_last_sentence(before), text[start:end], _first_sentence(after))
        self._words, self._length, self._links, self._open = [], 0, [], None


def _ends(text: str) -> list[int]:
    """Where the sentences of a text end, with the spaces behind them; not at an abbreviation."""
    ends = []
    for match in _END.finditer(text):
        word = text[max(0, match.start() - _WORD) : match.start()].rpartition(" ")[2].strip(_OPENING)
        following = text[match.end() : match.end() + 1]
        short = match[1] is not None and (len(word) == 1 or "." in word)
        if not short and not following.islower() and not following.isdigit():
            ends.append(match.end())
    return ends


def _last_sentence(before: str) -> str:
    ends = _ends(before)
    return before[ends[-1] :] if ends else before


def _first_sentence(after: str) -> str:
    # The space stands for that between two sentences: a text that ends here ends its last one.
    ends = _ends(f"{after} X")
    return after[: ends[0]].rstrip() if ends else after


def _shortened(before: str, words: str, after: str) -> LinkPassage:
    before, after = _one_line(before).lstrip(), _one_line(after).rstrip()
    words = bounded(words, MAX_LINK_CHARS)
    room = MAX_PASSAGE_CHARS - len(words)
    left = max(room // 2, room - len(after))
    if len(before) > left:
        cut = before[len(before) - left + 1 :]
        before = f"…{cut[cut.find(' ') + 1 :]}" if " " in cut.rstrip() else f"…{cut}"
    right = room - len(before)
    if len(after) > right:
        cut = after[: right - 1]
        after = f"{cut[: cut.rfind(' ')] if ' ' in cut.lstrip() else cut}…"
    return before, words, after


def _one_line(text: str) -> str:
    """The text on one line, with a space at an end that has any."""
    return re.sub(r"\s+", " ", text)
