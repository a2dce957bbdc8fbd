"""MDX as Markdown: its text stays; imports, exports and expressions go, and unknown components leave a visible note."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from citepress.base.text import bounded
from citepress.content.cjk_emphasis import Replacement
from citepress.content.dialects import as_byte_edits
from citepress.content.files import printable_path
from citepress.content.links import place_in
from citepress.content.rewritten import AddressEdit, Rewritten
from citepress.content.text import line_of
from citepress.contract.fault import SHORTCODE, Fault, Span

MAX_WARNINGS = 20
"""Warnings of one file."""
MAX_SHOWN_CHARS = 60
"""Characters of the markup that a message repeats."""
MODULE = re.compile(r"^(?:import\s[^\n]*(?:\n(?!\s*\n)[^\n]*)*|export\s[^\n]*(?:\n(?!\s*\n)[^\n]*)*)$", re.MULTILINE)
"""A line of JavaScript that imports or exports, with the lines until the next empty one."""
IMPORTED = re.compile(r"\bimport\s+(\w+)\s+from\s+[\"']([^\"'\n]{1,300})[\"']")
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]{0,500}\}){0,500}\}){0,500}\}"
_ATTRIBUTES = rf"(?:[^<>{{}}\"']|\"[^\"]{{0,2000}}\"|'[^']{{0,2000}}'|{_BRACES}){{0,2000}}?"
COMPONENT = re.compile(rf"<(/?)([A-Z][\w.]*)((?:\s{_ATTRIBUTES})?)\s*(/?)>", re.DOTALL)
FRAGMENT = re.compile(r"</?>")
ELEMENT = re.compile(r"<[a-z][^<>]{0,2000}>")
FORMULA = re.compile(
    r"\$\$(?:(?!\n\s*\n|\$\$).){1,4000}?\$\$|(?<![\\$\w])\$(?=[^\s$])[^$\n]{0,400}?(?<=[^\s\\])\$(?!\w)", re.DOTALL
)
TEXT = re.compile(r"\{\s*[\"'`]([^\"'`{}\n]{0,400})[\"'`]\s*\}")
EXPRESSION = re.compile(r"(?<![\\$#{])\{(?!#|\{)([^{}\n]{1,400})\}(?!\})")
_BLOCK = re.compile(r"^\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,500}\}){0,500}\}){1,2000})\}[ \t]*$", re.MULTILINE)
_ELEMENT_VALUE = re.compile(
    r"(<[a-z][^<>]{0,400}?\s(?:src|href))=\{(?:require\()?[\"'`]([^\"'`{}]{1,300})[\"'`]\)?(?:\.default)?\}"
)
_NAMED_VALUE = re.compile(r"(<[a-z][^<>]{0,400}?\s(?:src|href))=\{(\w+)(?:\.src)?\}")
_OBJECT_VALUE = re.compile(r"\s[a-zA-Z]+=\{\{[^{}]{0,500}\}\}|\s[a-zA-Z]+=\{[^{}]{0,500}\}")
_CLASS = re.compile(r"\bclassName=")
_ARGUMENT = re.compile(r"([A-Za-z][\w-]*)=(?:\"([^\"]*)\"|'([^']*)'|\{([^{}]{0,500})\})")
_LITERAL = re.compile(r"(?:require\()?[\"'`](.*)[\"'`]\)?(?:\.default)?", re.DOTALL)
_ASSIGNED = re.compile(r"(?<![=!<>])=(?![=>])")
"""The sign between the name and the value of an attribute, which compares nothing and makes no function."""
_FENCE = re.compile(r"^[ \t>]*(?:[-*+] +|\d{1,4}[.)] +)?(`{3,}|~{3,})([^\n]*)$")
_CODE = re.compile(r"(?<!`)(`{1,4})(?!`)(?:(?!\n[ \t]*\n).){1,1000}?(?<!`)\1(?!`)", re.DOTALL)
_NOTE = re.compile(r"\*\(“[^”\n]{0,80}” is not shown here\.\)\*")
# fmt: off
INSIDE = frozenset({
    "tabs", "tabitem", "card", "cards", "cardgrid", "steps", "columns", "column", "grid", "fragment", "div", "section",
    "box", "frame", "center", "details", "accordion", "codegroup", "highlight", "readmore", "checklist", "filetree",
    "badge", "p", "span", "small", "admonition",
})
"""Components that show what is inside of them, in lower case."""
TITLED = frozenset({
    "tabitem", "tab", "card", "details", "accordion", "accordionitem", "collapsible", "step", "panel",
})
"""Components that show a title above their inside."""
SILENT = frozenset({
    "toc", "tocinline", "doccardlist", "head", "script", "style", "spacer", "seo", "br", "icon", "anchor",
})
"""Components that show nothing of a text."""
PICTURES = frozenset({"image", "img", "picture", "figure", "themedimage", "zoomimage"})
LINKS = frozenset({"linkcard", "linkbutton", "link", "button", "card"})
CALLOUTS = frozenset({
    "aside", "callout", "note", "caution", "tip", "info", "warning", "danger", "important", "hint", "check",
})
# fmt: on


class _Tag(NamedTuple):
    start: int
    end: int
    name: str
    """In lower case, without the name before a dot."""
    shown: str
    """As it is written."""
    arguments: Mapping[str, str]
    closes: bool
    alone: bool


def mdx_edits(text: str) -> list[AddressEdit]:
    """What to put in place of parts of a text of MDX, in order and apart from each other."""
    if not re.search(r"[<{]|^(?:import|export)\s", text, re.MULTILINE):
        return []
    parts: list[Replacement] = []
    imported: dict[str, str] = {}
    prose = _blanked(without_code(text), FORMULA)
    for match in MODULE.finditer(prose):
        imported |= dict(IMPORTED.findall(text[slice(*match.span())]))
        parts.append(Replacement(*match.span(), ""))
    prose = _blanked(prose, MODULE)
    tags = _tags(prose, text, imported)
    parts += _components(tags, text)
    prose = _blanked(prose, COMPONENT)
    for match in ELEMENT.finditer(prose):
        element = plain_element(text[slice(*match.span())], imported)
        if element != text[slice(*match.span())]:
            parts.append(Replacement(*match.span(), element))
    prose = _blanked(prose, ELEMENT)
    parts += (Replacement(*match.span(), "") for match in FRAGMENT.finditer(prose))
    parts += (Replacement(*match.span(), match[1]) for match in TEXT.finditer(prose))
    prose = _blanked(prose, FRAGMENT, TEXT)
    parts += (Replacement(*match.span(), note_of("{…}")) for match in _BLOCK.finditer(prose))
    prose = _blanked(prose, _BLOCK)
    parts += (
        Replacement(*match.span(), note_of(shown_expression(match[1])))
        for match in EXPRESSION.finditer(prose)
        if not is_attribute(match[1])
    )
    return as_byte_edits(text, sorted(parts))


def shown_expression(code: str) -> str:
    """What a note says of an expression: its words, but no text inside of it, which may be one that it hides."""
    return re.split(r"[\"'`]", code, maxsplit=1)[0].strip(" =!?:&|+(")[:40].replace("*", "") or "{…}"


def note_of(name: str) -> str:
    """The visible note in place of what cannot be shown."""
    return f"*(“{name.replace('”', '')}” is not shown here.)*"


def without_notes(text: str) -> str:
    """The text without those notes, which say nothing about its subject."""
    return _NOTE.sub("", text) if "” is not shown here" in text else text


def left_out_faults(text: Rewritten, file: str, first_line: int) -> Iterator[Fault]:
    """A warning for each part of a text, which begins on a line of its file, that a note took the place of."""
    data = text.original.encode()
    for start, end, _ in islice((edit for edit in text.edits if _NOTE.match(edit.address.decode())), MAX_WARNINGS):
        line, column = place_in(text.original, start)
        place = Span(printable_path(file), first_line + line - 1, column, line_of(text.original, line))
        markup = " ".join(data[start:end].decode().split())
        message = f"{bounded(markup, MAX_SHOWN_CHARS)} is left out, with a note in its place"
        yield Fault.at(SHORTCODE, place, message, "write in Markdown what it would show")


def plain_element(tag: str, imported: Mapping[str, str]) -> str:
    """A tag of HTML as browsers read it: addresses as text, and no values that are code."""
    tag = _ELEMENT_VALUE.sub(r'\1="\2"', tag)
    tag = _NAMED_VALUE.sub(
        lambda match: f'{match[1]}="{imported[match[2]]}"' if match[2] in imported else match[0], tag
    )
    return _OBJECT_VALUE.sub("", _CLASS.sub("class=", tag))


def is_attribute(inside: str) -> bool:
    """Whether braces are no expression: attributes of a block of code, a heading or a picture."""
    words = inside.strip()
    return words.startswith((":", ".", "#", "%")) or _ASSIGNED.search(words) is not None


def literal(value: str) -> str | None:
    """The text that a value in braces is; ``None`` where it is code."""
    match = _LITERAL.fullmatch(value.strip())
    return match[1] if match else None


def without_fences(text: str) -> str:
    """The text without its fenced code; indented code is none in MDX."""
    lines, fence = text.split("\n"), ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if not fence and (match is None or (match[1][0] == "`" and "`" in match[2])):
            continue
        lines[number] = "\0" * len(line)
        bare = line.strip(" \t>")
        if not fence and match:
            fence = match[1]
        elif bare and not bare.strip(fence[0]) and len(bare) >= len(fence):
            fence = ""
    return "\n".join(lines)


def without_code(text: str) -> str:
    """The text without its code; every character keeps its place, and every line its end."""
    return _blanked(without_fences(text), _CODE)


def _blanked(text: str, *patterns: re.Pattern[str]) -> str:
    """The text without what the patterns find; every character keeps its place, and every line its end."""
    for pattern in patterns:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", "\0", match[0]), text)
    return text


def _tags(prose: str, text: str, imported: Mapping[str, str]) -> list[_Tag]:
    tags: list[_Tag] = []
    for match in COMPONENT.finditer(prose):
        arguments: dict[str, str] = {}
        for name, double, single, code in _ARGUMENT.findall(text[match.start(3) : match.end(3)]):
            value = double or single or literal(code) or imported.get(code.strip().removesuffix(".src"), "")
            arguments.setdefault(name.lower(), " ".join(value.split()))
        name = match[2].rpartition(".")[2].lower()
        tags.append(_Tag(*match.span(), name, match[2], arguments, bool(match[1]), bool(match[4])))
    return tags


def _components(tags: list[_Tag], text: str) -> Iterator[Replacement]:
    """What to put in place of each tag, and the indents of lines inside that would make code of them."""
    ends: dict[int, int] = {}
    """The places of tags that open, and of those that close them."""
    opened: list[int] = []
    for place, tag in enumerate(tags):
        if not tag.closes and not tag.alone:
            opened.append(place)
        elif (
            tag.closes
            and (start := next((at for at in reversed(opened) if tags[at].shown == tag.shown), None)) is not None
        ):
            ends[start] = place
            del opened[opened.index(start) :]
    links = {end: tags[start] for start, end in ends.items() if _is_inline_link(tags[start], tags[end], text)}
    for place, tag in enumerate(tags):
        if tag.closes:
            link = links.get(place)
            yield Replacement(tag.start, tag.end, f"]({_address(link)})" if link else "")
        elif place in ends and ends[place] in links:
            yield Replacement(tag.start, tag.end, "[")
        else:
            yield Replacement(tag.start, tag.end, _shown(tag, has_inside=place in ends))
    yield from _outdents([(tags[start], tags[end]) for start, end in sorted(ends.items())], text)


def _shown(tag: _Tag, *, has_inside: bool) -> str:
    get = tag.arguments.get
    title = get("title") or get("label") or get("summary") or get("value") or ""
    if tag.name in SILENT:
        return ""
    if tag.name in PICTURES and get("src"):
        return f"![{re.sub(r'[][]', '', get('alt', ''))}](<{get('src')}>)"
    if tag.name in LINKS and _address(tag) and not has_inside:
        return f"[{title or get('text') or _address(tag)}]({_address(tag)})"
    if has_inside and (tag.name in TITLED or tag.name in CALLOUTS):
        return f"**{title}**\n" if title else ""
    if has_inside and tag.name in INSIDE:
        return ""
    return f"{note_of(tag.shown)}\n" if has_inside else note_of(tag.shown)


def _address(tag: _Tag) -> str:
    return tag.arguments.get("href") or tag.arguments.get("to") or tag.arguments.get("link") or ""


def _is_inline_link(opening: _Tag, closing: _Tag, text: str) -> bool:
    inside = text[opening.end : closing.start]
    return opening.name in LINKS and bool(_address(opening)) and bool(inside.strip()) and "\n" not in inside


def _outdents(pairs: list[tuple[_Tag, _Tag]], text: str) -> Iterator[Replacement]:
    """The indents that the lines inside of components share, the outer components first."""
    if not pairs:
        return
    lines = text.split("\n")
    cut = [0] * len(lines)
    for opening, closing in pairs:
        inner = range(text.count("\n", 0, opening.end) + 1, text.count("\n", 0, closing.start))
        worded = [number for number in inner if lines[number].strip()]
        shared = min((len(lines[n]) - len(lines[n].lstrip(" ")) - cut[n] for n in worded), default=0)
        for number in worded if shared > 0 else ():
            cut[number] += shared
    start = 0
    for line, indent in zip(lines, cut, strict=True):
        if indent:
            yield Replacement(start, start + indent, "")
        start += len(line) + 1
