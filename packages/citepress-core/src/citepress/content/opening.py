"""The heading and the paragraph that open a text, as the words that a page shows of them."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pyromark.event import Range

from citepress.content import raw_html
from citepress.content.commonmark import PARSER, formula
from citepress.content.heading_ids import without_id
from citepress.content.parsed_text import events_of

SALUTATION = 5
"""Words that a salutation has at most."""
APART = frozenset({"Image", "FootnoteDefinition"})
"""Blocks and spans whose words are none of the paragraph around them."""
WORDED = frozenset({"Paragraph", "Heading"})
COVERING = frozenset({"List", "BlockQuote", "CodeBlock", "Table", "DefinitionList"})
"""Blocks below which a heading is that of a section; HTML and rules may stand above a title."""


def opening(body: str, *, images: Collection[str] = ()) -> tuple[str, str, int]:
    """The title that a text gives itself, its first paragraph, and the character at which the text below it starts.

    A title is the first heading of level 1 above all that is read, or else a heading of any level that is the first
    block: a heading in mid-text names a section, and many notes have the same ones. A salutation is passed over, and so
    is a paragraph that is just the words of one of the ``images``, which are gone.
    """
    heading = ""
    start = 0
    is_first = is_above = True
    for sort, words, span in _blocks(body):
        if sort == "Paragraph":
            if words and words not in images and not _is_salutation(words):
                return heading, words, start
        elif sort in COVERING:
            is_above = False
        elif is_first or (is_above and sort == "H1"):
            heading, _ = without_id(words)
            start = len(body.encode()[: span[1]].decode()) if span[0] == 0 else 0
            is_above = sort != "H1"
        is_first = False
    return heading, "", start


def _is_salutation(words: str) -> bool:
    """Whether a paragraph only addresses its readers, such as "Hi all,"."""
    return words.endswith((",", "\uff0c", "\u3001", "\u060c")) and len(words.split()) <= SALUTATION


def _blocks(body: str) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Blocks by sort, a heading by its level (``H1``), with the words that a page shows of headings and paragraphs.

    There are no tags among the words, and nothing of what runs.
    """
    words: list[str] = []
    apart = 0
    """Images and notes below the text that are open: their words are none of the paragraph's."""
    removed = raw_html.removed_ranges(inline_html(body))[::-1]
    event: Any  # the parser's own union of dictionaries
    for event, span in PARSER.events_with_range(body):
        while removed and removed[-1][1] <= span["start"]:
            removed.pop()
        if event in ("SoftBreak", "HardBreak"):
            words.append(" ")
        elif isinstance(event, dict):
            start, end = event.get("Start"), event.get("End")
            name = _name(start or end or "")
            apart += (name in APART) * ((start is not None) - (end is not None))
            if apart:
                continue
            if name in WORDED and end:
                yield end["Heading"] if name == "Heading" else name, " ".join("".join(words).split()), _ends(span)
            elif name in WORDED:
                words = []
            elif name in COVERING and start:
                yield name, "", _ends(span)
            elif not removed or span["start"] < removed[-1][0]:
                words += _shown(event)


def _ends(span: Range) -> tuple[int, int]:
    return span["start"], span["end"]


def _shown(event: Mapping[str, Any]) -> Iterator[str]:
    """What a page shows of an event of the parser."""
    yield from (str(event[sort]) for sort in ("Text", "Code") if sort in event)
    yield formula(event)
    if "InlineHtml" in event:
        yield raw_html.without_tags(event["InlineHtml"])


def _name(sort: str | dict[str, Any]) -> str:
    """What begins or ends, without what the parser says of it."""
    return sort if isinstance(sort, str) else next(iter(sort), "")


def inline_html(body: str) -> list[tuple[str, int, int]]:
    """The raw HTML among the words of a text with its ranges in bytes; a block of HTML is an empty piece."""
    pieces: list[tuple[str, int, int]] = []
    for edge, name, data, start, end in events_of(body) if "<" in body else ():
        if name == "InlineHtml":
            pieces.append((data, start, end))
        elif name == "HtmlBlock" and edge == "Start":
            pieces.append(("", start, end))
    return pieces
