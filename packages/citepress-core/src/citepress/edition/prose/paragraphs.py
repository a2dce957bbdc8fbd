"""The ids of paragraphs: one scheme for pages, Markdown, JSON and tools.

An id is a digest of the paragraph's letters and digits, so that it depends on nothing around the paragraph, nor on
its marks, links and punctuation, nor on the numbers of sources that it refers to; from the second of equal paragraphs
on it has a number. Paragraphs are those that stand by themselves: text in lists, quotes, tables and notes has no ids,
and neither has what follows the first ``MAX_PARAGRAPHS`` paragraphs.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from html import unescape
from typing import NamedTuple

from citepress.content.headings import WORD_EVENTS
from citepress.content.parsed_text import LARGE, MAX_HELD_TEXTS, events_of
from citepress.contract.page import SOURCE_ANCHOR

MAX_PARAGRAPHS = 500
"""Paragraphs of a text that have ids."""
PARAGRAPH_PREFIX = "p-"
_LETTERS = re.compile(r"[^\W_]+")
_ASCII_SIGNS = dict.fromkeys(code for code in range(128) if not chr(code).isalnum())
"""Everything in ASCII that is no letter and no digit, for ``translate`` to take out."""
_INNER = re.compile(r'<(?:[^>"]|"[^"]*")*>')
_REFERENCE = re.compile(r'<sup class="footnote-reference"[^>]*>.*?</sup>', re.DOTALL)
_NUMBERED = re.compile(r"\[\d+\]")
_SOURCE = re.compile(rf'<a href="[^"]*#{SOURCE_ANCHOR}[^"]*"[^>]*>{_NUMBERED.pattern}</a>')
"""The number of a source, which the forms of a page write, and which changes with the sources before it."""
_TAG = re.compile(r'<(/?)(p|li|blockquote|dd|td|th|div)(?=[\s>])((?:[^>"]|"[^"]*")*)>')
_RAW = re.compile(r'<(/?)(li|blockquote|dd|td|th|div|table|ul|ol|dl)(?=[\s>])((?:[^>"]|"[^"]*")*)>')
"""Tags that an author wrote into a text."""
_NOTE = "footnote-definition"
"""Class of the element that holds a note."""
_PARAGRAPH, _UNSEEN, _LINK = "Paragraph", "Image", "Link"
_HOLDING = frozenset({"BlockQuote", "List", "FootnoteDefinition", "DefinitionList", "Table"})
"""Blocks whose paragraphs do not stand by themselves."""
_RAW_HOLDING = frozenset({"li", "blockquote", "dd", "td", "th"})
"""The same as elements."""
_HTML = frozenset({"Html", "InlineHtml"})


class Paragraph(NamedTuple):
    """A paragraph of a text."""

    id: str
    start: int
    """Where it begins, in bytes of the text."""
    end: int


def letters_of(words: str) -> str:
    """The letters and digits of a text in lower case: what ids are made of."""
    if words.isascii():  # most texts are, and this takes a fifth of the time
        return words.translate(_ASCII_SIGNS).lower()
    return "".join(_LETTERS.findall(words)).casefold()


def paragraph_id(letters: str) -> str:
    """The id of the first paragraph of these letters."""
    return PARAGRAPH_PREFIX + blake2b(letters.encode("utf-8", "replace"), digest_size=4).hexdigest()


def paragraphs(markdown: str) -> tuple[Paragraph, ...]:
    """The paragraphs of a published text that have ids, in order."""
    return tuple([paragraph for paragraph, _, _ in _named(markdown)])


def with_paragraph_ids(html: str, markdown: str) -> str:
    """The clean HTML of a text, its paragraphs named as ``paragraphs`` names them."""
    named = _named(markdown)
    above, *rest = html.split("<p>")
    if "<" not in markdown and named and len(named) == len(rest) == named[-1][2] + 1:  # none is in a list or quotation
        return above + "".join([f'<p id="{part[0].id}">{words}' for part, words in zip(named, rest, strict=True)])
    names = {number: paragraph.id for paragraph, _, number in named}
    places: dict[str, list[int]] = {}
    for _, letters, number in named:
        places.setdefault(letters, []).append(number)
    parts: list[str] = []
    written = number = 0
    inside: list[str] = []
    for tag in _TAG.finditer(html):
        if not named or number > named[-1][2]:
            break
        closing, name, attributes = tag.groups()
        if name != "p":
            _step(inside, name, attributes, closing=bool(closing))
        elif not closing and not any(inside):
            if "<" in markdown:
                # Raw HTML may have taken paragraphs out of the page, or brought in others: the next that fits counts.
                end = html.find("</p>", tag.end())
                words = unescape(_INNER.sub("", _SOURCE.sub("", _REFERENCE.sub("", html[tag.end() : end]))))
                same = places.get(letters_of(words), ())
                fit = bisect_left(same, number)
                if fit == len(same):
                    continue
                number = same[fit]
            if number in names:
                parts += (html[written : tag.start()], f'<p id="{names[number]}"{attributes}>')
                written = tag.end()
            number += 1
    return "".join((*parts, html[written:]))


def _step(inside: list[str], name: str, attributes: str, *, closing: bool) -> None:
    """Follow a tag; ``inside`` are the open elements whose paragraphs have no ids, and empty for other ``div``."""
    if closing:
        if inside:
            inside.pop()
    else:
        inside.append("" if name == "div" and _NOTE not in attributes else name)


def _named(markdown: str) -> Sequence[tuple[Paragraph, str, int]]:
    """The paragraphs with their letters and their numbers among all that stand by themselves."""
    return _worked_out(markdown) if len(markdown) > LARGE else _held(markdown)


def _worked_out(markdown: str) -> Sequence[tuple[Paragraph, str, int]]:
    counts: dict[str, int] = {}
    named: list[tuple[Paragraph, str, int]] = []
    for number, (start, end, words) in enumerate(_read(markdown)):
        if (letters := letters_of(words)) and len(named) < MAX_PARAGRAPHS:
            name = paragraph_id(letters)
            count = counts[name] = counts.get(name, 0) + 1
            named.append((Paragraph(name if count == 1 else f"{name}-{count}", start, end), letters, number))
    return named


_held = lru_cache(maxsize=MAX_HELD_TEXTS)(_worked_out)


def _read(markdown: str) -> Iterator[tuple[int, int, str]]:
    """(first byte, byte behind it, words) of each paragraph that stands by itself."""
    depth = unseen = 0
    raw: list[str] = []
    """Elements that the author's own tags opened."""
    words: list[str] = []
    source: int | None = None
    """Where the words of a link to a source begin."""
    for edge, name, data, start, end in events_of(markdown):
        if not edge:
            if name in WORD_EVENTS and not unseen:
                words.append(str(data))
            elif name in _HTML:
                _follow(raw, str(data))
            continue
        step = 1 if edge == "Start" else -1
        depth += step * (name in _HOLDING)
        unseen += step * (name == _UNSEEN)
        if name == _LINK and step > 0:
            source = len(words) if f"#{SOURCE_ANCHOR}" in data["dest_url"] else None
        elif name == _LINK and source is not None and _NUMBERED.fullmatch("".join(words[source:])):
            del words[source:]
        if name == _PARAGRAPH and step > 0:
            words.clear()
        elif name == _PARAGRAPH and not depth and not any(element in _RAW_HOLDING for element in raw):
            yield start, end, "".join(words)


def _follow(raw: list[str], html: str) -> None:
    """Open and close elements; one that is closed closes what was left open inside of it."""
    for closing, name, _ in _RAW.findall(html.lower()):
        if not closing:
            raw.append(name)
        elif name in raw:
            del raw[len(raw) - 1 - raw[::-1].index(name) :]
