"""Plain text, links and labels in the syntax of Markdown."""

import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from citepress.base.timestamps import day
from citepress.contract.page import Link
from citepress.edition.prose.sanitizer import Place, destination, safe

_SPECIAL = re.compile(r"[*\[\]<~]|\\(?=[!-/:-@\[-`{-~])|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
"""What would be read as markup; an underscore inside a word is none."""
_SUSPECT = re.compile(r"[*\[\]<~\\_&]")
"""What every match of the above begins with: most texts hold none of it."""
_OPENING = re.compile(r"(?:#{1,6}|[-+=])(?=\s|$)|>|\d{1,9}(?=[.)](?:\s|$))")
"""What at the beginning of a line would be read as a heading, a list, a quotation or a rule."""


@lru_cache(maxsize=4096)  # labels and titles stand on many pages
def text(plain: str) -> str:
    """Plain text on one line; a pair of backticks marks code in every form."""
    line = " ".join(plain.split())
    if "`" not in line:
        return _escaped(line)
    parts = line.split("`")
    if len(parts) % 2 == 0:
        return _escaped(parts[0]) + "".join(rf"\`{_SPECIAL.sub(_escape, part)}" for part in parts[1:])
    return "".join(f"`{part}`" if place % 2 else _escaped(part, first=not place) for place, part in enumerate(parts))


def _escaped(part: str, *, first: bool = True) -> str:
    escaped = _SPECIAL.sub(_escape, part) if _SUSPECT.search(part) else part
    opening = _OPENING.match(escaped) if first else None
    if not opening:
        return escaped
    return f"{opening[0]}\\{escaped[opening.end() :]}" if opening[0][0].isdigit() else f"\\{escaped}"


def _escape(match: re.Match[str]) -> str:
    return f"\\{match[0]}"


def link(target: Link, place: Place) -> str:
    """A link, or its text where it leads nowhere."""
    return anchor(target.text, target.href, place)


def anchor(words: str, href: str, place: Place) -> str:
    """``[words](href)``; if the text is the address itself, an autolink."""
    if not href or not (href[0] in "/#" or safe(href)):
        return text(words)
    target = place(href)
    if words == target and not re.search(r"[\s<>]", target):
        return f"<{target}>"
    return f"[{text(words)}]({destination(target)})"


def links(targets: Iterable[Link], place: Place, between: str = ", ") -> str:
    """Several links in a row."""
    return between.join([link(target, place) for target in targets])


def dotted(*parts: str) -> str:
    """The parts that are not empty, separated by middle dots."""
    return " · ".join([part for part in parts if part])


def quoted(passage: tuple[str, str, str]) -> str:
    """A passage in quotation marks, the words of its link strong."""
    before, words, after = passage
    left = f"{text(before)} " if before.endswith(" ") else text(before)
    right = f" {text(after)}" if after.startswith(" ") else text(after)
    return f"“{left}**{text(words)}**{right}”"


def dated(label: str, moment: datetime | None) -> str:
    """``published 2026-11-21`` or nothing."""
    return f"{label} {day(moment)}" if moment else ""


def citation_line(line: str) -> str:
    """The line of a citation, whose address is a link."""
    words, _, address = line.rpartition(" ")
    # A DOI may have a bracket, which would end the link.
    return text(line) if "<" in address or ">" in address else f"{text(words)} <{address}>"
