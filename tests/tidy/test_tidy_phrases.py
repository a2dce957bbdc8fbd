"""Pages, help, messages and templates use none of the phrases that STYLE.md counts."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.tree import ROOT, SOURCES, files, name_of, parsed, sources

PHRASES = re.compile(r"\b(?:beside|told|stands|of its own|rests on)\b", re.IGNORECASE)
"""Constructions that other projects of the field never use (STYLE.md, "Why")."""
STYLE = (ROOT / "STYLE.md").read_text("utf-8")
TABLE = re.compile(r"^\| instead of \| write \|\n\|---\|---\|\n((?:\|.+\|\n)+)", re.MULTILINE)
MIN_EXAMPLE_CHARS = 12
TEMPLATES = {".html", ".md", ".txt", ".toml", ".yaml", ".conf"}
"""Suffixes of files of packages whose text is printed or published."""


def _pages() -> dict[str, str]:
    paths = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "packages").glob("**/README.md"))
    return {
        name: path.read_text("utf-8")
        for path in paths
        if (name := name_of(path)) not in {"STYLE.md", "CHANGELOG.md"} and "/src/" not in name
    }


def _strings(path: Path) -> Iterator[str]:
    """What a module may print: strings that are values, and the docstrings of commands, which are their help."""
    tree = parsed(path)
    comments = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments:
            yield node.value
        elif isinstance(node, ast.FunctionDef) and "cli" in path.parts and not node.name.startswith("_"):
            yield ast.get_docstring(node) or ""


def _messages() -> Counter[str]:
    """The phrases in strings and templates of each package."""
    counts: Counter[str] = Counter()
    for path in sources(*SOURCES):
        counts[path.relative_to(ROOT).parts[1]] += sum(len(PHRASES.findall(text)) for text in _strings(path))
    for path in files(*SOURCES):
        if path.suffix in TEMPLATES:
            counts[path.relative_to(ROOT).parts[1]] += len(PHRASES.findall(path.read_text("utf-8")))
    return +counts


def test_no_page_uses_a_counted_phrase() -> None:
    assert {name: phrases for name, text in _pages().items() if (phrases := PHRASES.findall(text))} == {}


def test_no_help_message_or_template_uses_a_counted_phrase() -> None:
    assert _messages() == {}


def _examples() -> list[str]:
    """The sentences of the first column, each part of a row that has several."""
    table = TABLE.search(STYLE)
    assert table
    cells = (row.split("|")[1].strip() for row in table[1].splitlines())
    return [part for cell in cells for part in cell.split(" \u00b7 ") if len(part) >= MIN_EXAMPLE_CHARS]


@pytest.mark.parametrize("example", _examples())
def test_no_page_says_what_the_style_page_corrects(example: str) -> None:
    assert [name for name, text in _pages().items() if example in " ".join(text.split())] == []
