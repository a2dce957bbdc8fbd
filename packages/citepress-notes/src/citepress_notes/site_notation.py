"""Removes notation of site generators that is not Markdown: highlighter comments and template tags."""

import re
from collections.abc import Iterator
from itertools import pairwise

from citepress.content.cjk_emphasis import Replacement
from citepress.content.dialects import as_byte_edits
from citepress.content.rewritten import AddressEdit
from citepress_notes.mdx import note_of, without_code, without_fences

MAX_DEPTH = 20
"""Nesting depth of conditions."""
HIGHLIGHTS, TEMPLATES = "highlights", "templates"
"""The two notations; a site has one of them."""
_MARK_OF_CODE = re.compile(
    r"^[ \t]*(?://|#|<!--|/\*|\{/\*|--)[ \t]*highlight-(?:next-line|start|end)\b[^\n]*(?:\n|\Z)", re.MULTILINE
)
_END_OF_CODE = re.compile(r"[ \t]*(?://|#)[ \t]*highlight-line[ \t]*$", re.MULTILINE)
_TAG = re.compile(
    r"\{%-?[ \t]*(\w+)((?:[^%{}\n]|%(?!\})|\{(?!%)|\}){0,2000}?)-?%\}|\{\{((?:[^{}\n]|\}(?!\})){0,1000})\}\}"
)
_RAW = re.compile(r"\{%-?\s*(raw|verbatim)\s*-?%\}(.{0,200000}?)\{%-?\s*end\1\s*-?%\}", re.DOTALL)
_BLOCKS = frozenset({
    "if", "unless", "for", "case", "switch", "capture", "macro", "block", "call", "filter", "asyncEach",
    "asyncAll", "tablerow",
})  # fmt: skip
_BRANCHES = frozenset({"else", "elsif", "elif", "elseif"})
_SILENT = frozenset({"set", "assign", "import", "from", "extends", "increment", "decrement", "layout", "css", "js"})
_LITERALS = {
    "true": True,
    "false": False,
    "nil": False,
    "null": False,
    "none": False,
    "undefined": False,
    "0": False,
    "1": True,
}


def notation_edits(text: str, notation: str) -> list[AddressEdit]:
    """The edits that remove the notation of a site from a text, in order and without overlaps."""
    parts: list[Replacement] = []
    if notation == HIGHLIGHTS and "highlight-" in text:
        parts = list(_marks_of_code(text))
    elif notation == TEMPLATES and ("{%" in text or "{{" in text):
        parts = list(_templates(text))
    return as_byte_edits(text, sorted(parts))


def _marks_of_code(text: str) -> Iterator[Replacement]:
    """Remove comments in code that tell the highlighter which lines to mark."""
    prose = without_fences(text)
    for match in (*_MARK_OF_CODE.finditer(text), *_END_OF_CODE.finditer(text)):
        if "\0" in prose[match.start() : match.end()]:
            yield Replacement(*match.span(), "")


def _templates(text: str, depth: int = 0) -> Iterator[Replacement]:
    """Replace tags and values of templates: literally false branches are removed, unknown ones become notes."""
    prose = without_code(text)
    for match in _RAW.finditer(prose):
        yield Replacement(match.start(), match.start(2), "")
        yield Replacement(match.end(2), match.end(), "")
    prose = _RAW.sub(lambda match: "\0" * len(match[0]), prose)
    tags = list(_TAG.finditer(prose))
    place = 0
    while place < len(tags):
        tag = tags[place]
        name = tag[1] or ""
        if name not in _BLOCKS:
            silent = name in _SILENT or name.startswith("end") or name in _BRANCHES
            yield Replacement(*tag.span(), "" if silent else note_of(name or tag[3].strip()[:40]))
            place += 1
            continue
        branches = _branches(tags, place)
        end = branches[-1]
        if end < 0:  # a block that is never closed may hide the rest
            yield Replacement(tag.start(), len(text), note_of(name))
            return
        shown = _branch(tags, branches) if depth < MAX_DEPTH else None
        if shown is None:
            yield Replacement(tag.start(), tags[end].end(), note_of(name))
            place = end + 1
        else:
            first, last = shown
            yield Replacement(tag.start(), tags[first].end(), "")
            start, stop = tags[first].end(), tags[last].start()
            inner = _templates(text[start:stop], depth + 1) if first != last else ()
            yield from (Replacement(start + begin, start + after, put) for begin, after, put in inner)
            yield Replacement(tags[last].start(), tags[end].end(), "")
            place = end + 1


def _branches(tags: list[re.Match[str]], place: int) -> list[int]:
    """The indexes of the tags around each branch of a block; the last is -1 if the block is never closed."""
    edges, depth = [place], 0
    for number in range(place, len(tags)):
        name = tags[number][1] or ""
        depth += (name in _BLOCKS) - (name.startswith("end") and name[3:] in _BLOCKS)
        if depth == 0:
            return [*edges, number]
        if depth == 1 and name in _BRANCHES:
            edges.append(number)
    return [*edges, -1]


def _branch(tags: list[re.Match[str]], branches: list[int]) -> tuple[int, int] | None:
    """The tags around the branch that is shown; ``None`` if only running the template would tell."""
    if tags[branches[0]][1] not in ("if", "unless"):
        return None
    for at, until in pairwise(branches):
        tag = tags[at]
        value = True if tag[1] == "else" else _LITERALS.get(tag[2].strip().lower())
        if value is None:
            return None
        if value is not (tag[1] == "unless"):
            return at, until
    return branches[-1], branches[-1]
