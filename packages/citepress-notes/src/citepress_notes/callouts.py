"""Callouts of every notation as those of GitHub: ``> [!NOTE]`` and lines that begin with ``>``."""

import re
from itertools import accumulate

from citepress.content.cjk_emphasis import Replacement
from citepress.content.dialects import as_byte_edits
from citepress.content.rewritten import AddressEdit, apply_edits
from citepress_notes.callout_marks import OBSIDIAN, as_head, container_edits, kind_of

_ADMONITION = re.compile(r'^([ \t]*)(?:!!!|\?\?\?\+?) *([\w -]*?) *(?:"([^"\n]*)")? *$')
_TAB = re.compile(r'^([ \t]*)===[!+]? *"([^"\n]*)" *$')


def callout(kind: str, text: str, title: str = "") -> str:
    """A callout of that kind with a title of its own."""
    heading = f"{bold(title)}\n\n" if title.strip() and title.strip().lower() != kind.lower() else ""
    lines = [f"[!{kind_of(kind)}]", *(heading + text.strip("\n")).split("\n")]
    return "\n\n" + "\n".join(f"> {line}".rstrip() for line in lines) + "\n\n"


def bold(title: str) -> str:
    """A title in bold letters; one that has some stays as it is."""
    return title.strip() if "**" in title or "__" in title else f"**{title.strip()}**"


def from_obsidian(text: str) -> str:
    """Callouts with other kinds, titles and folding marks, in quotes."""

    def written(match: re.Match[str]) -> str:
        return match[1] + as_head(match[2], match[4], match[1])

    return OBSIDIAN.sub(written, text)


def from_colons(text: str) -> str:
    """Containers between lines of colons, as in ``:::note``."""
    return apply_edits(text, container_edits(text))


def from_indented(text: str) -> str:
    """Admonitions and tabs whose inside is indented, as in ``!!! note``."""
    if "!!!" not in text and "???" not in text and "===" not in text:
        return text
    return "\n".join(_indented(text.split("\n"), 0))


def indented_edits(text: str, prose: str) -> list[AddressEdit]:
    """The edits of admonitions and tabs of a text; ``prose`` is the text with its code masked."""
    if "!!!" not in prose and "???" not in prose and "===" not in prose:
        return []
    lines, masked = text.split("\n"), prose.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    parts, place = list[Replacement](), 0
    while place < len(lines):
        match = _ADMONITION.match(masked[place]) or _TAB.match(masked[place])
        first, place = place, place + 1
        while match and place < len(lines) and (not lines[place].strip() or lines[place].startswith(f"{match[1]}    ")):
            place += 1
        if match:
            put = "\n".join(_indented(lines[first:place], 0))
            parts.append(Replacement(starts[first], min(starts[place], len(text)), f"{put}\n"))
    return as_byte_edits(text, parts)


def _indented(lines: list[str], depth: int) -> list[str]:
    written: list[str] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        admonition, tab = _ADMONITION.match(line), _TAB.match(line)
        match = admonition or tab
        if match is None or depth > 20:  # noqa: PLR2004  (levels)
            written.append(line)
            continue
        inside: list[str] = []
        lead = f"{match[1]}    "
        while place < len(lines) and (not lines[place].strip() or lines[place].startswith(lead)):
            inside.append(lines[place][len(lead) :])
            place += 1
        text = "\n".join(_indented(inside, depth + 1)).strip("\n")
        kind = (admonition[2].split() or ["note"])[0] if admonition else ""
        block = callout(kind, text, admonition[3] or "") if admonition else f"\n**{match[2]}**\n\n{text}\n\n"
        written += [f"{match[1]}{row}".rstrip() for row in block.split("\n")]
    return written
