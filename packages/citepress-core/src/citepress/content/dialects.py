"""What other writers of Markdown read otherwise than CommonMark, put so that every reader sees what was meant."""

import re
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple

from citepress.content.cjk_emphasis import CJK, Replacement, cjk_emphasis
from citepress.content.commonmark import PARSER
from citepress.content.rewritten import AddressEdit, Rewritten

MAX_FORMULA_CHARS = 2_000
MAX_CONTAINERS = 200
"""Elements of one text whose inside is read as Markdown."""
EMOJI_TABLE = "rich._emoji_codes"
_ANY = re.compile(
    # One class of first characters: nothing else is tried at the others, which are nearly all of a text.
    rf"[\n\\`~$<*^{CJK}](?:(?<=\n)[ \t>]{{0,20}}:\S|(?<=\\)(?:[(\[]|begin\{{)|(?<=[`~])[`~]{{2}}[ \t]*math\b|(?<=\$)`"
    rf"|(?<=<)\w[^<>]*\smarkdown[=>\s]|(?<=[{CJK}])\*|(?<=\*)[{CJK}]|(?<=\^)[\w-]+[ \t]*$)",
    re.MULTILINE,
)
"""What a text behind a line break holds that may be read otherwise: the others are not parsed."""
_ASCII_SIGNS = ("\\", "math", "$`", "^")
"""What an ASCII text holds that is read otherwise, unless it is a ``_DEFINITION``: found in a tenth of the time."""
_DEFINITION = re.compile(r"\n[ \t>]{0,20}:\S")
_ENVIRONMENTS = "equation|align|gather|multline|eqnarray|displaymath|math|alignat|flalign"
_SIGN = re.compile(rf"\\\\?[()\[\]]|\\(?:begin|end)\{{(?:{_ENVIRONMENTS})\*?\}}")
"""``\\(a\\)`` and ``\\(a\\)``, the same with square brackets, and an environment that stands alone."""
_ENDS = {"(": ")", "[": "]"}
_MATHS = re.compile(r"[\\^_=<>+]|^[^\W\d_]$|^\d*[^\W\d_]\d*$")
"""What makes words between escaped brackets a formula."""
_BLOCK_ID = re.compile(r"(?:^|(?<=\n)|[ \t]+)\^(?=[\w-]*[A-Za-z])[A-Za-z0-9-]+[ \t]*(?=\n|\Z)")
_LONE_ID = re.compile(r"(?:(?<=\n)|\A)\^[A-Za-z0-9-]+[ \t]*(?=\n|\Z)")
_MARKDOWN_TAG = re.compile(
    r"^[ \t]{0,3}<(div|section|article|aside|details|figure|blockquote)\b[^<>\n]*?"
    r"(?P<mark>\s+markdown(?:=[\"']?\w+[\"']?)?)(?=[\s>])[^<>\n]*>",
    re.MULTILINE | re.IGNORECASE,
)
_EMOJI = re.compile(r"(?<![\w:]):([a-z0-9_+-]{1,40}):(?![\w:])")


class Dialect(NamedTuple):
    """What the tool that a text is written for reads beside Markdown."""

    blocks: bool = False
    """Whether it names blocks (``^name``)."""
    emoji: bool = False
    """Whether it draws ``:smile:``."""
    mdx: bool = False
    """Whether all texts are MDX, whatever their names end in."""
    metadata: str = ""
    """The tool whose own notation of front matter is read above a text; empty where there is none."""
    notation: str = ""
    """Further notation of its tool, by the name that whoever reads the folder has for it."""


COMMON = Dialect()
"""What is read in every text."""


def as_commonmark(text: str) -> Rewritten:
    """The text of an archive as every reader of CommonMark reads it, and the way back to what its author wrote."""
    return Rewritten.of(text, dialect_edits(text))


def dialect_edits(text: str, dialect: Dialect = COMMON) -> list[AddressEdit]:
    """What to put in place of parts of a text, in order and apart from each other."""
    if not (_may_differ(text) or (dialect.emoji and _EMOJI.search(text))):
        return []
    prose, fences = _prose(text)
    parts = [*fences, *_formulas(prose), *_containers(prose), *cjk_emphasis(prose)]
    parts += [*_names_of_blocks(prose, dialect), *(_pictures(prose) if dialect.emoji else ())]
    edits = as_byte_edits(prose, sorted(parts))
    starts = {edit.start for edit in edits}
    return sorted([*edits, *(edit for edit in _definitions(text) if edit.start not in starts)])


def _may_differ(text: str) -> bool:
    """Whether it is worth parsing a text."""
    if text.isascii() and not (any(sign in text for sign in _ASCII_SIGNS) or ("<" in text and "markdown" in text)):
        return _DEFINITION.search(f"\n{text}") is not None
    return _ANY.search(f"\n{text}") is not None


def _prose(text: str) -> tuple[str, list[Replacement]]:
    """The text with its code and formulas blanked out, byte for byte, and its blocks of code that are formulas."""
    data = text.encode()
    blank, fences = bytearray(data), list[Replacement]()
    event: Any  # the parser's own union of dictionaries
    inside: list[str] | None = None
    for event, span in PARSER.events_with_range(text):
        if not isinstance(event, dict):
            continue
        start, end = span["start"], span["end"]
        opening = event.get("Start")
        block = opening.get("CodeBlock") if isinstance(opening, dict) else None
        if block is not None or "Code" in event or "InlineMath" in event or "DisplayMath" in event:
            blank[start:end] = b"\0" * (end - start)
        if isinstance(block, dict) and block.get("Fenced", "").strip().lower() == "math":
            inside = []
        elif inside is not None and "Text" in event:
            inside.append(event["Text"])
        elif inside is not None and event.get("End") == "CodeBlock":
            fences.append(Replacement(start, end, f"$${' '.join(''.join(inside).split())}$$"))
            inside = None
        elif (maths := event.get("InlineMath", "")) and len(maths) > 2 and maths[0] == maths[-1] == "`":  # noqa: PLR2004
            fences.append(Replacement(start, end, f"${maths[1:-1].strip()}$"))
    return blank.decode(), _as_characters(blank, fences)


def _as_characters(data: bytes | bytearray, ranges: list[Replacement]) -> list[Replacement]:
    """Ranges of bytes as ranges of characters; they are in order."""
    placed, at, chars = list[Replacement](), 0, 0
    for start, end, put in ranges:
        first = chars + len(data[at:start].decode())
        chars, at = first + len(data[start:end].decode()), end
        placed.append(Replacement(first, chars, put))
    return placed


def as_byte_edits(text: str, parts: list[Replacement]) -> list[AddressEdit]:
    """Ranges of characters as edits of bytes, without those that reach into one before."""
    edits, at, size = list[AddressEdit](), 0, 0
    for start, end, put in parts:
        if start < at:
            continue
        first = size + len(text[at:start].encode())
        size, at = first + len(text[start:end].encode()), end
        edits.append(AddressEdit(first, size, put.encode()))
    return edits


def _formulas(prose: str) -> Iterator[Replacement]:
    opened: re.Match[str] | None = None
    end = ""
    for sign in _SIGN.finditer(prose) if "\\" in prose else ():
        if opened and sign[0] == end and _is_formula(prose[opened.end() : sign.start()], opened[0]):
            whole = prose[opened.start() : sign.end()] if "{" in end else prose[opened.end() : sign.start()]
            mark = "$" if end[-1] == ")" else "$$"
            yield Replacement(opened.start(), sign.end(), f"{mark}{' '.join(whole.split())}{mark}")
            opened = None
        elif opened and "{" in end and sign.start() - opened.end() < MAX_FORMULA_CHARS:
            continue  # rows of an environment may have marks of their own
        elif sign[0][-1] in _ENDS or "begin" in sign[0]:
            opened, end = sign, sign[0].replace("begin", "end")
            end = end[:-1] + _ENDS.get(end[-1], end[-1])


def _is_formula(inside: str, opened: str) -> bool:
    """Whether what is between two signs is a formula: brackets may be escaped for their own sake."""
    words = inside.strip()
    if not words or len(inside) > MAX_FORMULA_CHARS or "\0" in inside or re.search(r"\n\s*\n", inside):
        return False
    return opened.startswith("\\\\") or "{" in opened or _MATHS.search(words) is not None


def _names_of_blocks(prose: str, dialect: Dialect) -> Iterator[Replacement]:
    """Names that a tool gives to blocks, so that links can lead to them."""
    pattern = _BLOCK_ID if dialect.blocks or "[[" in prose else _LONE_ID
    yield from (Replacement(*match.span(), "") for match in (pattern.finditer(prose) if "^" in prose else ()))


def _containers(prose: str) -> Iterator[Replacement]:
    """Elements whose inside is Markdown (``markdown="1"``): blank lines make it so in CommonMark."""
    for match in islice(_MARKDOWN_TAG.finditer(prose), MAX_CONTAINERS) if "markdown" in prose else ():
        yield Replacement(*match.span("mark"), "")
        if prose[match.end() : match.end() + 2] != "\n\n":
            yield Replacement(match.end(), match.end(), "\n\n")
        depth = 1
        for tag in re.compile(rf"<(/?){match[1]}\b[^<>]*>", re.IGNORECASE).finditer(prose, match.end()):
            depth += -1 if tag[1] else 1
            if depth == 0:
                line = prose.rfind("\n", 0, tag.start()) + 1
                yield Replacement(line if not prose[line : tag.start()].strip() else tag.start(), tag.start(), "\n\n")
                break


def _pictures(prose: str) -> Iterator[Replacement]:
    """Names of emoji as the emoji."""
    matches = list(_EMOJI.finditer(prose))
    if matches:
        table = import_module(EMOJI_TABLE).EMOJI  # not before it is needed: it has 3,600 names
        yield from (Replacement(*match.span(), table[match[1]]) for match in matches if match[1] in table)


def _definitions(text: str) -> list[AddressEdit]:
    """Colons that begin a line and are no mark of a definition, which a space follows."""
    if not re.search(r"^[ \t>]*:\S", text, re.MULTILINE):
        return []
    data = text.encode()
    return [
        AddressEdit(span["start"], span["start"], b"\\")
        for event, span in PARSER.events_with_range(text)
        if isinstance(event, dict) and event.get("Start") == "DefinitionListDefinition"
        if data[span["start"] : span["start"] + 1] == b":" and data[span["start"] + 1 : span["start"] + 2].strip()
    ]
