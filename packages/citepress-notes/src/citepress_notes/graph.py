"""Rewrites the notation of Logseq as Markdown: block references, properties, tasks, macros and Org blocks."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from citepress.content.cjk_emphasis import Replacement
from citepress.content.dialects import as_byte_edits
from citepress.content.files import markdown_stem
from citepress.content.hidden_text import without_code
from citepress.content.rewritten import AddressEdit
from citepress.content.written_dates import moment_of
from citepress_notes.lenient_values import items
from citepress_notes.mdx import note_of
from citepress_notes.tool_comments import without_hidden

MAX_BLOCK_CHARS = 200
_JOURNAL = re.compile(r"\d{4}[_-]\d\d[_-]\d\d")
_ID = r"[0-9a-f]{8}-[0-9a-f-]{27}"
_NAMED_BLOCK = re.compile(
    rf"^[ \t]*(?:[-*] )?([^\n]*)\n(?:[ \t]+[\w.-]+::[^\n]*\n)*?[ \t]*id::[ \t]*({_ID})[ \t]*$", re.MULTILINE
)
_SIGNS = re.compile(
    r"::|\(\(|\{\{|\[#|\^\^|#\+|:LOGBOOK:|\]\(\[\[|#\[\[|\{:|\[:|^[ \t]*[-*] [A-Z]{3,}|==|SCHED|DEADL", re.MULTILINE
)
_LOGBOOK = re.compile(r"^[ \t]*:LOGBOOK:\n.{0,20000}?^[ \t]*:END:[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_QUERY = re.compile(
    r"^([ \t]*(?:[-*] )?)#\+BEGIN_QUERY\b.{0,20000}?#\+END_QUERY\b", re.MULTILINE | re.DOTALL | re.IGNORECASE
)
_PLANNED = re.compile(r"^[ \t]*(?:SCHEDULED|DEADLINE): <[^>\n]*>[ \t]*(?:\n|\Z)", re.MULTILINE)
_PROPERTY = re.compile(r"^([ \t]*)((?:[-*] )?)([A-Za-z][\w.-]{0,60})::(?=[ \t]|$)[ \t]*([^\n]*)(?:\n|\Z)", re.MULTILINE)
_SILENT = re.compile(
    r"id|collapsed|heading|public|icon|background-(?:color|image)|created-at|updated-at|exclude-from-graph-view"
    r"|template(?:-including-parent)?|ls-type|hl-.*|logseq\..*|query-.*|card-.*|filters|done|doing|todo|now|later",
    re.IGNORECASE,
)
"""Properties that Logseq itself does not show."""
_TASK = re.compile(
    r"^([ \t]*[-*] )(TODO|DOING|LATER|NOW|WAITING|WAIT|IN-PROGRESS|DONE|CANCELED|CANCELLED)[ \t]+(?=\S)", re.MULTILINE
)
_PRIORITY = re.compile(r"\[#[ABC]\][ \t]?")
_ORG = re.compile(r"^([ \t]*(?:[-*] )?(?:> ?)?)#\+(BEGIN|END)_(\w+)([^\n]*)(\n|\Z)", re.MULTILINE | re.IGNORECASE)
_REFERENCE = re.compile(
    rf"\{{\{{embed[ \t]+\(\(({_ID})\)\)[ \t]*\}}\}}|(?:\[([^\]\n]{{1,300}})\])?\({{2,3}}({_ID})\){{2,3}}"
)
_EMBED = re.compile(r"\{\{embed[ \t]+(\[\[[^\]\n]+\]\])[ \t]*\}\}")
_MACRO = re.compile(r"\{\{([\w-]+)([^{}\n]{0,500})\}\}")
_LABELLED = re.compile(r"\[([^\[\]\n]{1,300})\]\(\[\[([^\[\]\n]{1,300})\]\]\)")
_TAG_WORDS = re.compile(r"#(?=\[\[[^\[\]\n]{1,200}\]\])")
_MARKED = re.compile(r"\^\^(?=\S)([^^\n]{1,400}?)\^\^")
_SIZE = re.compile(r"(?<=\))\{:[^{}\n]{1,100}\}")
_HICCUP = re.compile(r"^([ \t]*[-*] )\[:\w[^\n]*", re.MULTILINE)
_CODE = frozenset({"src", "example", "export", "verse"})
_ALERTS = {
    "note": "NOTE",
    "tip": "TIP",
    "important": "IMPORTANT",
    "caution": "CAUTION",
    "warning": "WARNING",
    "pinned": "NOTE",
}
_VIDEOS = frozenset({"video", "youtube", "vimeo", "bilibili"})
_POSTS = frozenset({"tweet", "twitter"})


class GraphBlock(NamedTuple):
    """A block that others may refer to."""

    words: str
    path: str
    """The path of its page."""


class Graph(NamedTuple):
    """The names of the public pages of a graph, and their blocks."""

    blocks: Mapping[str, GraphBlock]
    """By their ids."""
    names: Mapping[str, str]
    """Paths of pages by title and alias, in lower case."""


def graph_of(pages: Iterable[tuple[str, Mapping[str, Any], str]]) -> Graph:
    """The graph of public pages: path, front matter and text of each."""
    blocks: dict[str, GraphBlock] = {}
    names: dict[str, str] = {}
    for path, front, text in pages:
        for words, id_ in _NAMED_BLOCK.findall(without_hidden(text)) if "id::" in text else ():
            blocks.setdefault(id_, GraphBlock(_plain(words), path))
        for name in (name for key in ("title", "alias", "aliases") for name in items(front.get(key))):
            names.setdefault(str(name).strip().lower(), path)
    return Graph(blocks, names)


def page_names(path: str) -> tuple[str, ...]:
    """The title of a page or journal by its file, and further names of a journal, its day first."""
    name = unquote(markdown_stem(posixpath.basename(path))).replace("___", "/")
    day = moment_of(name.replace("_", "-")) if _JOURNAL.fullmatch(name) else None
    if day is None:
        return (name,)
    ordinal = f"{day.day}{'th' if 10 < day.day < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day.day % 10, 'th')}"  # noqa: PLR2004
    return f"{day:%b} {ordinal}, {day.year}", f"{day:%Y-%m-%d}", f"{day:%A, %d.%m.%Y}", f"{day:%Y/%m/%d}"


def graph_edits(text: str, path: str, graph: Graph, address: Callable[[str], str]) -> list[AddressEdit]:
    """The edits that make the text of a page Markdown; ``address`` returns the address of a page by its path."""
    if not _SIGNS.search(text):
        return []
    prose = without_code(text).decode()
    parts = sorted([*_lines(prose), *_inline(prose, path, graph, address)], key=lambda part: (part.start, -part.end))
    return as_byte_edits(prose, parts)


def _lines(prose: str) -> Iterator[Replacement]:
    """Rewrite lines that Logseq hides or shows differently."""
    for pattern in (_LOGBOOK, _PLANNED):
        yield from (Replacement(*match.span(), "") for match in pattern.finditer(prose))
    yield from (Replacement(*match.span(), f"{match[1]}{note_of('query')}") for match in _QUERY.finditer(prose))
    yield from (Replacement(*match.span(), f"{match[1]}{note_of('[:…]')}") for match in _HICCUP.finditer(prose))
    for match in _PROPERTY.finditer(prose):
        if _SILENT.fullmatch(match[3]) or not match[4]:
            yield Replacement(*match.span(), f"{match[1]}{match[2]}\n" if match[2] else "")
        else:
            yield Replacement(match.end(3), match.end(3) + 2, ":")
    for match in _TASK.finditer(prose):
        box = "x" if match[2] in ("DONE", "CANCELED", "CANCELLED") else " "
        yield Replacement(match.start(2), match.end(), f"[{box}] ")
    yield from _org_blocks(prose)


def _org_blocks(prose: str) -> Iterator[Replacement]:
    """``#+BEGIN_QUOTE`` as a quotation, ``#+BEGIN_NOTE`` as an alert, ``#+BEGIN_SRC`` as code."""
    opened: list[re.Match[str]] = []
    for match in _ORG.finditer(prose):
        name, prefix = match[3].lower(), match[1]
        if match[2].upper() == "BEGIN":
            opened.append(match)
            shown = f"```{match[4].split()[0] if match[4].split() else ''}" if name in _CODE else ""
            shown = f"> [!{_ALERTS[name]}]" if name in _ALERTS else shown
            keeps = shown or prefix.strip()
            yield Replacement(*match.span(), f"{prefix}{shown}{match[5]}" if keeps else "")
            continue
        begin = opened.pop() if opened else None
        code = name in _CODE
        yield Replacement(*match.span(), f"{prefix}```{match[5]}" if code else match[5] if prefix.strip() else "")
        if begin and not code:
            for line in re.finditer(r"^[ \t]*(?=\S)", prose[begin.end() : match.start()], re.MULTILINE):
                yield Replacement(begin.end() + line.end(), begin.end() + line.end(), "> ")


def _inline(prose: str, path: str, graph: Graph, address: Callable[[str], str]) -> Iterator[Replacement]:
    def referred(match: re.Match[str]) -> str:
        block = graph.blocks.get(match[1] or match[3])
        if block is None:
            return match[2] or note_of("a block")
        words = (match[2] or block.words).strip() or "a block"
        return words if block.path == path else f"[{words}](<{address(block.path)}>)"

    yield from (Replacement(*match.span(), referred(match)) for match in _REFERENCE.finditer(prose))
    yield from (Replacement(*match.span(), f"!{match[1]}") for match in _EMBED.finditer(prose))
    yield from (
        Replacement(*match.span(), _macro(match))
        for match in _MACRO.finditer(prose)
        if not match[0].startswith("{{embed [[")
    )
    yield from (Replacement(*match.span(), f"[[{match[2]}|{match[1]}]]") for match in _LABELLED.finditer(prose))
    yield from (Replacement(*match.span(), f"<mark>{match[1]}</mark>") for match in _MARKED.finditer(prose))
    for pattern in (_TAG_WORDS, _PRIORITY, _SIZE):
        yield from (Replacement(*match.span(), "") for match in pattern.finditer(prose))


def _macro(match: re.Match[str]) -> str:
    name, rest = match[1].lower(), match[2].strip()
    if name in _VIDEOS | _POSTS and "://" in rest:
        return f"[{'Video' if name in _VIDEOS else 'Post on X'}]({rest})"
    return note_of(name)


def _plain(words: str) -> str:
    """The words of a block without tasks, links, marks and references to other blocks."""
    words = re.sub(
        r"^(?:TODO|DOING|LATER|NOW|WAITING|DONE|CANCELED|CANCELLED) |\{\{[^{}]*\}\}|\({2,3}[^()]*\){2,3}", "", words
    )
    words = re.sub(r"!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)", "", words)
    return re.sub(r"[\[\]*_`^]|#(?=\w)", "", words).strip()[:MAX_BLOCK_CHARS]
