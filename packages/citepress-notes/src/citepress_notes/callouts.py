"""Callouts of every notation as those of GitHub: ``> [!NOTE]`` and lines that begin with ``>``."""

import re

from citepress.content.rewritten import apply_edits
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
