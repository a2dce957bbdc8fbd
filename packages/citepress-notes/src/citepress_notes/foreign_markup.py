"""Markup of other tools that plain notes may hold and that no page renders: wiki links and shortcodes."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from citepress.content.commonmark import PARSER
from citepress.content.files import printable_path
from citepress.content.links import place_in
from citepress.content.rewritten import AddressEdit
from citepress.content.text import line_of
from citepress.contract.fault import SHORTCODE, WIKI_LINK, Fault, Span
from citepress_notes.tool_comments import hidden_ranges

WARNINGS = 20
"""Warnings of one code for one file."""
_SHOWN = 60
"""Characters of the markup that a message repeats."""
WIKI_MARKUP = re.compile(rb"!?\[\[([^\[\]\n]{1,300})\]\](?!\(|\[(?!\^))")
"""``[[Note]]``, ``[[Note#Part|words]]``, ``![[picture.png]]``; not ``[[1]](url)``, which is a link.

A footnote may follow."""
DAY_NAME = re.compile(r"\d{4}[-_.]\d\d[-_.]\d\d\s*(?:[|#]|$)")
"""The name of a note that is a day, as in a journal."""
_SHORTCODE = re.compile(rb"\{\{<[^\n]{0,500}?>\}\}|\{\{%[^\n]{0,500}?%\}\}|\{%[^\n]{0,500}?%\}")
"""``{{< figure >}}`` and ``{{% notice %}}`` of Hugo, ``{% include %}`` of Jekyll and similar tools."""


def foreign_markup(
    body: str,
    file: str,
    first_line: int,
    leads: Callable[[str], bool] = lambda _: False,
    edits: Sequence[AddressEdit] = (),
) -> Iterator[Fault]:
    """A warning for each wiki link and shortcode of a text that begins on a line of its file.

    ``leads`` tells of the inside of double brackets whether they became a link, ``edits`` what took the place of what.
    """
    if "[[" not in body and "{{" not in body and "{%" not in body:
        return
    prose, prose_without_links = _masked(body)
    shortcodes = [(SHORTCODE, match) for match in _SHORTCODE.finditer(prose)]
    shortcodes = [row for row in shortcodes if not any(start <= row[1].start() < end for start, end, _ in edits)]
    wiki_links = ((WIKI_LINK, match) for match in WIKI_MARKUP.finditer(prose_without_links) if is_named(match))
    wiki_links = (row for row in wiki_links if not leads(row[1][1].decode()))
    for code, match in (*islice(wiki_links, WARNINGS), *islice(shortcodes, WARNINGS)):
        line, column = place_in(body, match.start())
        place = Span(printable_path(file), first_line + line - 1, column, line_of(body, line))
        markup = match[0].decode()
        markup = markup if len(markup) <= _SHOWN else f"{markup[:_SHOWN]}…"
        if code is WIKI_LINK:
            yield Fault.at(code, place, f"the wiki link {markup} is published as text", _as_link(match[0].decode()))
        else:
            hint = "write in Markdown what it would insert"
            yield Fault.at(code, place, f"the shortcode {markup} is published as text", hint)


def _masked(body: str) -> tuple[bytes, bytes]:
    """The text with code and comments blanked out, and with its links too; every byte keeps its place."""
    data = body.encode()
    prose, without_links = bytearray(data), bytearray(data)
    event: Any  # the parser's own union of dictionaries
    for event, span in PARSER.events_with_range(body):
        if not isinstance(event, dict):
            continue
        start, end = span["start"], span["end"]
        opening = event.get("Start")
        # Line feeds as the blank: no pattern reaches across one, so no match spans a piece of code.
        blank = b"\n" * (end - start)
        if "Code" in event or (isinstance(opening, dict) and "CodeBlock" in opening):
            prose[start:end] = without_links[start:end] = blank
        elif isinstance(opening, dict) and ("Link" in opening or "Image" in opening):
            without_links[start:end] = blank
    for start, end in hidden_ranges(body):
        prose[start:end] = without_links[start:end] = b"\n" * (end - start)
    return bytes(prose), bytes(without_links)


def prose_without_links(body: str) -> bytes:
    """The text with code, comments and links blanked out; every byte keeps its place."""
    return _masked(body)[1]


def is_named(match: re.Match[bytes]) -> bool:
    """Whether a wiki link names something: numbers in double brackets are footnotes and matrices."""
    inside = match[1].decode()
    return any(map(str.isalpha, inside)) or DAY_NAME.match(inside) is not None


def _as_link(markup: str) -> str:
    """How the same link is written in Markdown."""
    target, _, words = (part.strip() for part in markup.lstrip("!")[2:-2].partition("|"))
    name, mark, part = target.partition("#")
    is_file = "." in name.rpartition("/")[2]
    address = f"{name if is_file or not name else f'{name}.md'}{mark}{part}".replace(" ", "%20")
    if markup.startswith("!") and is_file:
        return f"write ![what it shows]({address})"
    where = ", with the path of the note's file from here" if name and not is_file else ""
    return f"write [{words or target}]({address}){where}"
