"""Which shortcodes of a former site show their inside as code: by the site's own templates, else by the inside."""

import re
from typing import NamedTuple

from citepress_notes.former_tools import ToolFiles

MAX_TEMPLATE_CHARS = 16_384
"""Characters of a template that is read; larger ones do more than show code."""
_CALL = r"(?<![\w\"'-])(?:transform\.Highlight|highlight)\s+"
_HIGHLIGHTS = re.compile(rf"{_CALL}[($.\"]|\|\s*(?:transform\.Highlight|highlight)\b")
_FIXED = re.compile(
    rf"{_CALL}(?:\((?:[^()]|\([^()]{{0,200}}\)){{0,400}}\)|[^\s()]{{1,100}})\s+[\"`]([\w+#-]{{1,20}})[\"`]"
    r"|[\"'\s]lang(?:uage)?-([\w+#]{1,20})[\"'\s]|```([\w+#-]{1,20})"
)
_BLOCK = re.compile(r"<pre\b|```")
_SPAN = re.compile(r"<code\b|\bhl_inline\b", re.IGNORECASE)
_INSIDE = re.compile(r"\.Inner\b|\bbody\b")
_PROSE = re.compile(
    r"\.Inner\b[^{}]{0,80}\b(?:markdownify|RenderString)|\b(?:markdownify|RenderString)\b[^{}]{0,80}\.Inner\b"
    r"|\|\s*markdown\b"
)
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9+#-]{0,15}")
_CODE_SIGN = re.compile(
    r"[;{]\s*$|^\s*[})\]]+[;,)]*\s*$|^\s*(?:\$ \S|#!|//|#include\b|import [\w{.]+|from \S+ import |def \w+\(|fn \w+[(<]"
    r"|func [\w(]|(?:let|const|var) (?:mut )?\w+ ?[:=]|(?:for|while|if|elif|with|class) .+:\s*$|sudo \S)"
    r"|^\s*[\w.$\[\]]+ (?::|\+|-)?= \S|\w\([^()]{0,200}\);?\s*$"
)
_MARKDOWN_SIGN = re.compile(
    r"\]\(|\*\*\S[^*\n]*\*\*|\$\$|^[ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]|^[ \t]*[>|]|</?[a-z][^<>\n]*>$|^[ \t]*<[a-z!/]",
    re.MULTILINE,
)
_LINE = 400
"""Characters of a line in which signs of code are looked for."""


class CodeTemplate(NamedTuple):
    """How a template of the former site shows the inside of its shortcode as code."""

    language: str
    """The language that it always names; empty where it names none."""
    among_words: bool
    """Whether it shows code among words, not as a block."""


def code_templates(files: ToolFiles, pattern: re.Pattern[str]) -> dict[str, CodeTemplate | None]:
    """Names of the shortcodes whose templates are in the source, with ``None`` where a template shows no code.

    ``pattern`` matches the path of a template, with its name as ``name``; templates of the site come before those of
    its themes.
    """
    paths = {match["name"]: path for path in sorted(files.paths, reverse=True) if (match := pattern.fullmatch(path))}
    own = {
        match["name"]: path
        for path in files.paths
        if not path.startswith("themes/") and (match := pattern.fullmatch(path))
    }
    templates: dict[str, CodeTemplate | None] = {}
    for name, path in (paths | own).items():
        text = files.text(path)
        if text is not None and len(text) <= MAX_TEMPLATE_CHARS:
            templates[name] = _code_template(text)
    return templates


def _code_template(text: str) -> CodeTemplate | None:
    if not _INSIDE.search(text) or _PROSE.search(text):
        return None
    highlights = bool(_HIGHLIGHTS.search(text))
    block, span = _BLOCK.search(text), _SPAN.search(text)
    if not (highlights or block or span):
        return None
    fixed = _FIXED.search(text)
    among_words = "hl_inline" in text.lower() if highlights else not block
    return CodeTemplate(fixed[fixed.lastindex or 0] if fixed else "", among_words)


def language_of(*words: str) -> str:
    """The first of the words that may name a language; file names and sentences do not."""
    return next((word for word in words if _LANGUAGE.fullmatch(word)), "")


def looks_like_code(text: str) -> bool:
    """Whether most lines are indented or hold signs of code, at least two hold signs, and none is Markdown or HTML.

    Lines that begin with ``#`` do not count: they are comments or headings.
    """
    if _MARKDOWN_SIGN.search(text):
        return False
    lines = [line[:_LINE] for line in text.split("\n") if line.strip() and not line.startswith("# ")]
    signed = [bool(_CODE_SIGN.search(line)) for line in lines]
    either = sum(sign or line.startswith(("  ", "\t")) for sign, line in zip(signed, lines, strict=True))
    return sum(signed) > 1 and either * 2 > len(lines)
