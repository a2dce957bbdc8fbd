"""Callouts of every notation as those of GitHub: ``> [!NOTE]`` and lines that begin with ``>``."""

import re

KINDS = {
    "note": "NOTE info abstract summary tldr todo example question help faq quote cite seealso details primary "
    "secondary notice alert callout admonition default light plain",
    "tip": "TIP hint success check done",
    "important": "IMPORTANT",
    "warning": "WARNING attention",
    "caution": "CAUTION danger error bug failure fail missing",
}
_NAMES = {word.lower(): kind.upper() for kind, words in KINDS.items() for word in (kind, *words.split())}
_ADMONITION = re.compile(r'^([ \t]*)(?:!!!|\?\?\?\+?) *([\w -]*?) *(?:"([^"\n]*)")? *$')
_TAB = re.compile(r'^([ \t]*)===[!+]? *"([^"\n]*)" *$')
_COLONS = re.compile(
    r"^([ \t]*)(:{3,}) *\{?\.?([\w-]+)\}? *(?:\[([^\]\n]*)\]|\"([^\"\n]*)\"|([^{\n]*?))? *(?:\{[^{}\n]*\})? *$"
)
_OBSIDIAN = re.compile(r"^((?:[ \t]*>)+ ?)\[!([\w-]+)(?:\|[^\]\n]*)?\]([+-]?)[ \t]*(.*)$", re.MULTILINE)


def is_kind(name: str) -> bool:
    """Whether a word is the name of a callout."""
    return name.lower() in _NAMES


def kind_of(name: str) -> str:
    """One of the five kinds of callout for any word."""
    return _NAMES.get(name.strip().lower(), "NOTE")


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
        title = match[4].strip()
        bold = f"\n{match[1]}**{title}**\n{match[1].rstrip()}" if title else ""
        return f"{match[1]}[!{kind_of(match[2])}]{bold}"

    return _OBSIDIAN.sub(written, text)


def from_colons(text: str) -> str:
    """Containers between lines of colons, as in ``:::note``."""
    if ":::" not in text:
        return text
    lines: list[str] = []
    opened: list[tuple[int, str, str, int]] = []
    for line in text.split("\n"):
        match = _COLONS.match(line)
        bare = line.strip()
        if match:
            title = match[4] or match[5] or match[6] or ""
            opened.append((len(match[2]), match[3], title, len(lines)))
        elif opened and bare and not bare.strip(":") and len(bare) >= opened[-1][0]:
            _, kind, title, start = opened.pop()
            inside = "\n".join(lines[start:])
            lines[start:] = callout(kind, inside, title).split("\n")
        else:
            lines.append(line)
    return "\n".join(lines)


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
