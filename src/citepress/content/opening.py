"""The heading and the paragraph that open a text, as the words that a page shows of them."""

from collections.abc import Collection, Iterator
from typing import Any

from citepress.content import raw_html
from citepress.content.commonmark import PARSER, formula
from citepress.content.heading_ids import without_id

SALUTATION = 5
"""Words that a salutation has at most."""


def opening(body: str, *, anywhere: bool = True, images: Collection[str] = ()) -> tuple[str, str, int]:
    """The first heading, the first paragraph, and the character at which the text below an opening heading starts.

    Unless ``anywhere``, a heading below the first paragraph is not looked for. A salutation is passed over, and so is
    a paragraph that is just the words of one of the ``images``, which are gone.
    """
    heading = paragraph = ""
    start = 0
    for sort, words, span in _blocks(body):
        if sort == "Heading" and not heading:
            heading, _ = without_id(words)
            if span[0] == 0 and not paragraph:
                start = len(body.encode()[: span[1]].decode())
        elif sort == "Paragraph" and not paragraph and words not in images and not _is_salutation(words):
            paragraph = words
        if paragraph and (heading or not anywhere):
            break
    return heading, paragraph, start


def _is_salutation(words: str) -> bool:
    """Whether a paragraph only addresses its readers, such as "Hi all,"."""
    return words.endswith((",", "\uff0c", "\u3001", "\u060c")) and len(words.split()) <= SALUTATION


def _blocks(body: str) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Headings and paragraphs with the words that a page shows of them: no tags, and nothing of what runs."""
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
            apart += _is_apart(start) - _is_apart(end)
            if apart:
                continue
            if start == "Paragraph" or (isinstance(start, dict) and "Heading" in start):
                words = []
            elif end == "Paragraph" or (isinstance(end, dict) and "Heading" in end):
                yield (
                    "Paragraph" if end == "Paragraph" else "Heading",
                    " ".join("".join(words).split()),
                    (span["start"], span["end"]),
                )
            elif not removed or span["start"] < removed[-1][0]:
                words += [str(event[sort]) for sort in ("Text", "Code") if sort in event]
                words.append(formula(event))
                if "InlineHtml" in event:
                    words.append(raw_html.without_tags(event["InlineHtml"]))


def _is_apart(sort: object) -> bool:
    """Whether what begins or ends is an image or a footnote."""
    name = sort if isinstance(sort, str) else next(iter(sort), "") if isinstance(sort, dict) else ""
    return name in ("Image", "FootnoteDefinition")


def inline_html(body: str) -> list[tuple[str, int, int]]:
    """The raw HTML among the words of a text with its ranges in bytes; a block of HTML is an empty piece."""
    pieces: list[tuple[str, int, int]] = []
    event: Any
    for event, span in PARSER.events_with_range(body) if "<" in body else ():
        if isinstance(event, dict) and "InlineHtml" in event:
            pieces.append((event["InlineHtml"], span["start"], span["end"]))
        elif isinstance(event, dict) and event.get("Start") == "HtmlBlock":
            pieces.append(("", span["start"], span["end"]))
    return pieces
