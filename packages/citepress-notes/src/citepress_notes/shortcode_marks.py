"""Where shortcodes begin and end in a text of Hugo, Zola, Jekyll, Hexo or Eleventy."""

import re
from collections.abc import Callable, Iterator, Mapping

from citepress_notes.calls import ShortcodeMark

_HUGO = re.compile(
    r"\{\{([<%])\s*(/?)\s*([\w][\w./-]*)((?:[^>%{}]|>(?!\}\})|%(?!\}\})|\{(?!\{)|\}(?!\})){0,4000}?)\s*(/?)\s*[>%]\}\}"
)
_ZOLA_ALONE = re.compile(r"\{\{\s*([\w:]+)\(((?:[^(){}]|\([^(){}]{0,200}\)){0,4000}?)\)\s*\}\}")
_ZOLA_OPEN = re.compile(r"\{%-?\s*(?:([\w:]+)\(((?:[^(){}]|\([^(){}]{0,200}\)){0,4000}?)\)|(end)(?:\s+\w+)?)\s*-?%\}")
_TAG = re.compile(r"\{%-?\s*(end)?(\w+)((?:[^%{}]|%(?!\})|\{(?!%)|\}){0,4000}?)-?%\}")
RAW = re.compile(r"\{%-?\s*raw\s*-?%\}(.{0,200000}?)\{%-?\s*endraw\s*-?%\}", re.DOTALL)
SHELTERED = re.compile(r"\{\{([<%])/\*([^\n]{0,2000}?)\*/([>%])\}\}")
"""How Hugo shows a shortcode without running it."""


def hugo_marks(text: str) -> Iterator[ShortcodeMark]:
    """Every shortcode of Hugo."""
    for match in _HUGO.finditer(text):
        yield ShortcodeMark(match.start(), match.end(), match[3], match[4], bool(match[2]), alone=bool(match[5]))


def zola_marks(text: str) -> Iterator[ShortcodeMark]:
    """Every shortcode of Zola, whose ends have no names."""
    marks = [
        ShortcodeMark(match.start(), match.end(), match[1].rpartition(":")[2], match[2], closing=False, alone=True)
        for match in _ZOLA_ALONE.finditer(text)
    ]
    marks += [
        ShortcodeMark(match.start(), match.end(), (match[1] or "").rpartition(":")[2], match[2] or "", bool(match[3]))
        for match in _ZOLA_OPEN.finditer(text)
    ]
    yield from sorted(marks)


def template_marks(text: str) -> Iterator[ShortcodeMark]:
    """Every tag of a template."""
    for match in _TAG.finditer(text):
        name = match[2]
        yield ShortcodeMark(match.start(), match.end(), name, match[3], bool(match[1]), alone=name == "include")


MARKS_OF: Mapping[str, Callable[[str], Iterator[ShortcodeMark]]] = {
    "hugo": hugo_marks,
    "zola": zola_marks,
    "templates": template_marks,
    "tags": template_marks,
}
"""By the name of the notation."""
