"""Rewrites callouts between colons (``:::note``) and those of Obsidian as callouts of GitHub."""

import re
from collections.abc import Iterator

from citepress.content.cjk_emphasis import Replacement
from citepress.content.dialects import as_byte_edits
from citepress.content.hidden_text import without_code
from citepress.content.rewritten import AddressEdit

KINDS = {
    "note": "NOTE info abstract summary tldr todo example question help faq quote cite seealso details primary "
    "secondary notice alert callout admonition default light plain",
    "tip": "TIP hint success check done",
    "important": "IMPORTANT",
    "warning": "WARNING attention",
    "caution": "CAUTION danger error bug failure fail missing",
}
MAX_LEVELS = 20
"""Nesting depth of containers; each level makes the lines inside longer."""
_NAMES = {word.lower(): kind.upper() for kind, words in KINDS.items() for word in (kind, *words.split())}
_BEGINS = re.compile(
    r"^([ \t]*)(:{3,})[ \t]*(?=[\w{])(?:\{?\.?([A-Za-z][\w-]*)\}?)?[ \t]*(?:\[([^\]\n]*)\])?[ \t]*"
    r"(?:\{?([^{}\n]*)\})?[ \t]*\"?([^{}\n]*?)\"?[ \t]*$"
)
_TITLE = re.compile(r"\btitle=[\"']([^\"'\n]*)[\"']")
OBSIDIAN = re.compile(r"^((?:[ \t]*>)+ ?)\[!([\w-]+)(?:\|[^\]\n]*)?\]([+-]?)[ \t]*(.*)$", re.MULTILINE)
_LEFT_OUT = re.compile(
    r"^[ \t]*(?:\[TOC\]|\[\[_?TOC_?\]\])[ \t]*$|^[ \t>]*\{:[^}\n]*\}[ \t]*(?:\n|\Z)"
    r"|(?<=[\w)\]*_~.,])\{:[^}\n]{1,200}\}",
    re.MULTILINE | re.IGNORECASE,
)
"""A table of contents, and attributes of a block or span."""
MARK = re.compile(r"^\[![A-Z]+\]\s*")
"""The mark at the start of a callout of GitHub."""


def is_kind(name: str) -> bool:
    """Whether a word is the name of a callout."""
    return name.lower() in _NAMES


def kind_of(name: str) -> str:
    """One of the five kinds of callout for any word."""
    return _NAMES.get(name.strip().lower().removeprefix("callout-"), "NOTE")


def callout_edits(text: str) -> list[AddressEdit]:
    """The edits for the callouts, tables of contents and attributes in a text of any tool."""
    if not any(sign in text for sign in (":::", "[!", "{:", "TOC]", "toc]")):
        return []
    prose = without_code(text).decode()
    parts = [*_containers(prose), *(Replacement(*match.span(), "") for match in _LEFT_OUT.finditer(prose))]
    parts += (
        Replacement(match.end(1), match.end(), as_head(match[2], match[4], match[1]))
        for match in OBSIDIAN.finditer(prose)
        if match[4].strip() or match[3] or match[2] != kind_of(match[2])
    )
    return as_byte_edits(prose, sorted(parts))


def container_edits(text: str) -> list[AddressEdit]:
    """The edits of containers between colons, in a text whose code is already masked."""
    return as_byte_edits(text, sorted(_containers(text))) if ":::" in text else []


def as_head(kind: str, title: str, lead: str) -> str:
    """The first line of a callout, and its title in bold on lines that begin with ``lead``."""
    bold = f"\n{lead}**{title.strip()}**\n{lead.rstrip()}" if title.strip() else ""
    return f"[!{kind_of(kind)}]{bold}"


def _containers(prose: str) -> Iterator[Replacement]:
    """Replace the lines of colons and quote the lines between them; a container that is never closed stays."""
    opened: list[tuple[re.Match[str], int, int]] = []
    at, lines, depths = 0, prose.split("\n"), list[tuple[int, int]]()
    heads: list[tuple[re.Match[str], int, int]] = []
    for number, line in enumerate(lines):
        bare = line.strip()
        if len(opened) < MAX_LEVELS and (match := _BEGINS.match(line)):
            opened.append((match, number, at))
        elif opened and bare and not bare.strip(":") and len(bare) >= len(opened[-1][0][2]):
            head, first, start = opened.pop()
            heads.append((head, first, start))
            depths.append((first, number))
            yield Replacement(at, at + len(line), "")
        at += len(line) + 1
    if not heads:
        return
    begins, ends = {first for first, _ in depths}, {last for _, last in depths}
    levels, level = list[int](), 0
    for number in range(len(lines)):
        level -= number in ends
        levels.append(level)
        level += number in begins
    indent = min(len(head[1]) for head, *_ in heads)
    for head, first, start in heads:
        lead = f"{head[1]}{'> ' * (levels[first] + 1)}"
        title = head[4] or "".join(_TITLE.findall(head[5] or "")) or head[6] or ""
        title = title if title.strip().lower() != (head[3] or "").lower() else ""
        name = head[3] or "".join(re.findall(r"\.([\w-]+)", head[5] or "")[:1])
        yield Replacement(start, start + len(head[0]), f"{lead}{as_head(name, title, lead)}")
    at = 0
    for number, line in enumerate(lines):
        if levels[number] and number not in begins and number not in ends:
            place = at + min(indent, len(line) - len(line.lstrip()))
            yield Replacement(place, place, "> " * levels[number])
        at += len(line) + 1
