"""Formulas of a text, which authors write in LaTeX, as MathML; what cannot be converted stays as it is written.

The converter leaves text unescaped and passes attributes on, so its tree is written anew here, from lists of our own.
"""

import re
from functools import lru_cache
from html import escape, unescape
from importlib import import_module
from xml.etree.ElementTree import Element

FORMULA, FORMULAS, MAX_GROUP_DEPTH = 2_000, 500, 40
"""Characters of one formula, formulas of one text, and groups within each other."""
CONVERTER = "latex2mathml.converter"
ELEMENTS = frozenset(
    """
    math menclose mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace
    msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none
    """.split()  # noqa: SIM905  (one word a line would fill a page)
)
ATTRIBUTES = frozenset(
    """
    accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height largeop
    linethickness lspace mathvariant maxsize minsize movablelimits notation rowlines rowspacing rspace scriptlevel
    separator stretchy symmetric voffset width
    """.split()  # noqa: SIM905  (one word a line would fill a page)
)
_VALUE = re.compile(r"[A-Za-z0-9 .%+-]{1,60}")
_REFUSED = re.compile(r"\\(?:new|renew|provide)command|\\[gex]?def\b|(?:[_^]\s*){6}")
"""Macros, which may grow without bound, and what only a hostile text holds."""
_SPAN = re.compile(r'<span class="math math-(inline|display)">([^<]*)</span>')
_MARKS = {"inline": "$", "display": "$$"}


def with_formulas(html: str) -> str:
    """Clean HTML with its formulas as MathML."""
    left = FORMULAS

    def write(match: re.Match[str]) -> str:
        nonlocal left
        left -= 1
        source = unescape(match[2])
        if left < 0 or _is_price(match):
            return _as_written(match)
        return _mathml(source, match[1]) or f"<code>{_as_written(match)}</code>"

    return _SPAN.sub(write, html) if '<span class="math ' in html else html


def with_formulas_as_written(html: str) -> str:
    """Clean HTML with its formulas in LaTeX, for readers that know no MathML."""
    return _SPAN.sub(_as_written, html) if '<span class="math ' in html else html


def _as_written(match: re.Match[str]) -> str:
    mark = _MARKS[match[1]]
    return f"{mark}{match[2]}{mark}"


def _is_price(match: re.Match[str]) -> bool:
    """Whether dollar signs belong to what stands beside them, as in ``$5/$10`` and ``$HOME/$USER``."""
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    return match[1] == "inline" and any(char.isascii() and char.isalnum() for char in (before, after))


@lru_cache(maxsize=4_096)
def _mathml(source: str, display: str) -> str:
    """A formula as MathML; empty where it is out of bounds or cannot be converted."""
    if len(source) > FORMULA or _REFUSED.search(source) or _depth(source) > MAX_GROUP_DEPTH:
        return ""
    # It knows rows inside a formula by the name of those that stand alone.
    rows = source.replace("{aligned}", "{align*}")
    converter = import_module(CONVERTER)  # not before it is needed: it reads tables of symbols
    try:
        tree: Element = converter.convert_to_element(rows, display="block" if display == "display" else "inline")
    except Exception:  # noqa: BLE001  (the converter fails in any way on what is no LaTeX)
        return ""
    written = _written(tree)
    return written.replace("<math", f'<math alttext="{escape(source.strip())}"', 1) if written else ""


def _depth(source: str) -> int:
    depth = deepest = 0
    for char in source:
        depth += (char == "{") - (char == "}")
        deepest = max(deepest, depth)
    return deepest + source.count("\\left") + source.count("\\begin") + source.count("\\sqrt")


def _written(element: Element) -> str:
    """An element with its inside; empty where it holds what MathML or the converter does not know."""
    words = unescape(element.text or "")
    if element.tag not in ELEMENTS or words.startswith("\\"):
        return ""
    inside = [escape(words, quote=False)]
    for child in element:
        written = _written(child)
        if not written:
            return ""
        inside.append(written)
    attributes = "".join(
        f' {name}="{value}"' for name, value in element.attrib.items() if name in ATTRIBUTES and _VALUE.fullmatch(value)
    )
    return f"<{element.tag}{attributes}>{''.join(inside)}</{element.tag}>"
