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
HIGHLIGHTS, TEMPLATES, MARKUP, VAULT = "highlights", "templates", "markup", "vault"
"""The notations; a site has one of them."""
_ICON = re.compile(r":(?:material|fontawesome|octicons|simple)-[\w-]+:(?:\{[^}\n]*\})?[ \t]?")
_KEYS = re.compile(r"(?<!\+)\+\+([\w+ \"-]{1,60}?)\+\+(?!\+)")
_ATTRIBUTES = re.compile(r"(?<=[)\]*_~])\{:? *[.#][^}\n]{0,200}\}")
_FOOTNOTE = re.compile(r"(?<![\\\]\[!])\^\[((?:[^\[\]\n]|\[[^\[\]\n]{0,300}\](?:\([^()\n]{0,300}\))?){1,1000})\]")
_QUERY = re.compile(
    r"^([ \t>]*)(`{3,}|~{3,})[ \t]*(dataview(?:js)?|tasks|query|tracker|button|meta-bind(?:-[\w-]+)?)\b[^\n]*\n"
    r".{0,20000}?^[ \t>]*\2[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
"""Blocks that plugins of Obsidian run."""
_INLINE_QUERY = re.compile(r"(?<!`)`\$?= ?(?:this|dv)\.[^`\n]{1,300}`(?!`)")
_SNIPPET = re.compile(r"^[ \t]*;?-{1,4}8<-{1,4}(?: \"[^\"\n]+\")?[ \t]*$", re.MULTILINE)
_MARK_OF_CODE = re.compile(
    r"^[ \t]*(?://|#|<!--|/\*|\{/\*|--)[ \t]*highlight-(?:next-line|start|end)\b[^\n]*(?:\n|\Z)", re.MULTILINE
)
_END_OF_CODE = re.compile(r"[ \t]*(?://|#)[ \t]*highlight-line[ \t]*$", re.MULTILINE)
_TAG = re.compile(
    r"\{%-?[ \t]*(\w+)((?:[^%{}\n]|%(?!\})|\{(?!%)|\}){0,2000}?)-?%\}|\{\{((?:[^{}\n]|\}(?!\})){0,1000})\}\}"
)
_RAW = re.compile(r"\{%-?\s*(raw|verbatim)\s*-?%\}(.{0,200000}?)\{%-?\s*end\1\s*-?%\}", re.DOTALL)
_DESTINATION = re.compile(
    r"(?<=\]\()[ \t]*((?:[^\s(){}<>]|\{%[^%\n]{1,300}%\}|\{\{[^{}\n]{1,300}\}\}){1,300})"
    r"(?=[ \t]*(?:[\"'][^\"'\n]{0,300}[\"'])?\))"
)
"""The address of a link, which tags may write."""
_TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}")
_NAMED = re.compile(r"\{%-?[ \t]*(post_url|link|post_path)[ \t]+[\"']?([^\s\"'%{}]{1,300})[\"']?[ \t]*-?%\}")
_WRITTEN = re.compile(
    r"\{\{-?[ \t]*[\"']([^\"'{}]{0,300})[\"'][ \t]*\|[ \t]*"
    r"(?:relative_url|absolute_url|url|prepend:[^{}|]{1,60})[ \t]*-?\}\}"
)
_HOST = re.compile(r"\{\{-?[ \t]*site\.(?:base_?)?url[ \t]*-?\}\}(?=/|\{)")
_POST_LINK = re.compile(
    r"\{%[ \t]*post_link[ \t]+([^\s\"'%{}]{1,300})"
    r"(?:[ \t]+(?:\"([^\"\n]{1,300})\"|'([^'\n]{1,300})'|([^%{}\n]{1,300}?)))?[ \t]*%\}"
)
_LINES_OF_CODE = re.compile(
    r"\{%-?[ \t]*(highlight|codeblock)\b([^%\n]{0,300})%\}[ \t]*\n?(.{0,100000}?)\{%-?[ \t]*end\1[ \t]*-?%\}", re.DOTALL
)
_ABBREVIATION = re.compile(r"^\*\[[^\]\n]{1,200}\]:[^\n]*$", re.MULTILINE)
_POSTS = {"post_url": "/_posts/{}.md", "post_path": "/source/_posts/{}.md", "link": "/{}"}
"""The file that a tag names."""
_BLOCKS = frozenset({
    "if", "unless", "for", "case", "switch", "capture", "macro", "block", "call", "filter", "asyncEach",
    "asyncAll", "tablerow",
})  # fmt: skip
_BRANCHES = frozenset({"else", "elsif", "elif", "elseif"})
_SILENT = frozenset({
    "set", "assign", "import", "from", "extends", "increment", "decrement", "layout", "css", "js",
    "note", "tabs", "tab", "quote", "blockquote", "pullquote", "centerquote", "cq", "fold", "hideToggle", "details",
})  # fmt: skip
"""Tags that write nothing, or only stand around a text."""
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
    elif notation == TEMPLATES and any(sign in text for sign in ("{%", "{{", "*[")):
        parts = list(_templates(text))
    elif notation == VAULT and any(sign in text for sign in ("^[", "```", "~~~", "`=", "`$=")):
        parts = list(_vault(text))
    elif notation == MARKUP:
        parts = list(_markup(without_code(text)))
    return as_byte_edits(text, sorted(parts))


def _markup(prose: str) -> Iterator[Replacement]:
    """Replace icons, keys, abbreviations, attributes and snippets of MkDocs."""
    for pattern in (_ICON, _ABBREVIATION, _ATTRIBUTES):
        yield from (Replacement(*match.span(), "") for match in pattern.finditer(prose))
    yield from (Replacement(*match.span(), note_of("snippet")) for match in _SNIPPET.finditer(prose))
    for match in _KEYS.finditer(prose):
        yield Replacement(*match.span(), "+".join(f"<kbd>{key.strip()}</kbd>" for key in match[1].split("+")))


def _vault(text: str) -> Iterator[Replacement]:
    """Put notes in place of queries, and footnotes among the words below the text."""
    outside = _QUERY.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    yield from (Replacement(*match.span(), f"{match[1]}{note_of(match[3])}") for match in _QUERY.finditer(text))
    for match in _INLINE_QUERY.finditer(without_fences(outside)):
        yield Replacement(*match.span(), note_of("dataview"))
    below = list[str]()
    for match in _FOOTNOTE.finditer(without_code(outside)):
        below.append(f"[^inline-{len(below) + 1}]: {text[match.start(1) : match.end(1)]}")
        yield Replacement(*match.span(), f"[^inline-{len(below)}]")
    if below:
        yield Replacement(len(text), len(text), "\n\n" + "\n".join(below) + "\n")


def _marks_of_code(text: str) -> Iterator[Replacement]:
    """Remove comments in code that tell the highlighter which lines to mark."""
    prose = without_fences(text)
    for match in (*_MARK_OF_CODE.finditer(text), *_END_OF_CODE.finditer(text)):
        if "\0" in prose[match.start() : match.end()]:
            yield Replacement(*match.span(), "")


def _templates(text: str, depth: int = 0) -> Iterator[Replacement]:
    """Replace tags and values of templates: literally false branches are removed, unknown ones become notes."""
    prose = without_code(text)
    plain = [
        edge
        for match in _RAW.finditer(prose)
        for edge in (Replacement(match.start(), match.start(2), ""), Replacement(match.end(2), match.end(), ""))
    ]
    prose = _RAW.sub(lambda match: "\0" * len(match[0]), prose)
    for parts_of in (_code_of_tags, _links):
        parts = parts_of(prose, text)
        plain += parts
        prose = _blanked(prose, parts)
    blocks: list[Replacement] = []
    yield from _tags(text, prose, depth, blocks)
    yield from (part for part in plain if not any(at <= part.start < end for at, end, _ in blocks))


def _tags(text: str, prose: str, depth: int, blocks: list[Replacement]) -> Iterator[Replacement]:
    """What to put in place of each tag; ``blocks`` gets the places of those that have a text of their own."""
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
        blocks.append(Replacement(tag.start(), tags[end].end() if end >= 0 else len(text), ""))
        if end < 0:  # a block that is never closed may hide the rest
            yield blocks[-1]._replace(put=note_of(name))
            return
        yield from _block(text, tags, branches, depth)
        place = end + 1


def _block(text: str, tags: list[re.Match[str]], branches: list[int], depth: int) -> Iterator[Replacement]:
    """What to put in place of a block of tags."""
    begin, end = tags[branches[0]], tags[branches[-1]]
    shown = _branch(tags, branches) if depth < MAX_DEPTH else None
    if shown is None:
        yield Replacement(begin.start(), end.end(), note_of(begin[1]))
        return
    first, last = shown
    yield Replacement(begin.start(), tags[first].end(), "")
    start, stop = tags[first].end(), tags[last].start()
    inner = _templates(text[start:stop], depth + 1) if first != last else ()
    yield from (Replacement(start + at, start + after, put) for at, after, put in inner)
    yield Replacement(tags[last].start(), end.end(), "")


def _blanked(prose: str, parts: list[Replacement]) -> str:
    """The text without the parts; every character keeps its place."""
    pieces, place = list[str](), 0
    for start, end, _ in sorted(parts):
        pieces += [prose[place:start], "\0" * (end - max(start, place))]
        place = max(end, place)
    return "".join((*pieces, prose[place:]))


def _code_of_tags(prose: str, text: str) -> list[Replacement]:
    """Blocks of code that tags stand around, and lines that only explain abbreviations."""
    parts = [Replacement(*match.span(), "") for match in _ABBREVIATION.finditer(prose)]
    for match in _LINES_OF_CODE.finditer(prose):
        language = next((word for word in match[2].replace("lang:", "").split() if word.isidentifier()), "")
        code = text[match.start(3) : match.end(3)].strip("\n")
        parts.append(Replacement(*match.span(), f"\n~~~~{language}\n{code}\n~~~~\n"))
    return parts


def _links(prose: str, _text: str) -> list[Replacement]:
    """Addresses that tags write, as the files or paths that they name."""
    parts = [
        Replacement(*match.span(), f"[{match[2] or match[3] or match[4] or match[1]}](</source/_posts/{match[1]}.md>)")
        for match in _POST_LINK.finditer(prose)
    ]
    for match in _DESTINATION.finditer(prose):
        address = _NAMED.sub(lambda tag: _POSTS[tag[1]].format(tag[2].removeprefix("/")), _HOST.sub("", match[1]))
        address = _WRITTEN.sub(lambda tag: tag[1], address)
        if address != match[1] and not _TAGS.search(address):
            parts.append(Replacement(*match.span(), address))
    return parts


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
