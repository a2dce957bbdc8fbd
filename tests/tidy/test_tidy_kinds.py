"""The name of a kind stands in its own file: whoever means a kind elsewhere refers to it, or asks what it declares."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import citepress
import citepress_research
from citepress.kinds import ALL, REGISTRIES

FOLDERS = [Path(str(package.__file__)).parent for package in (citepress, citepress_research)]
NAMES = "|".join(re.escape(each.name) for each in (*ALL, *REGISTRIES))
NAMED = re.compile(rf"/?(?:content/)?({NAMES})(?:/|\.json|\.md|/\{{\w*\}}/?)?")
CONTEXTS = ("collections", "registered")
"""Mappings by the name of a kind; what is read of others is a member."""
MEMBER, OTHERS = "a member of records or of an answer", "a word of another tool"
EXCEPTED = {
    "refs.py": {"topics": "any record may be about a topic, so the members that all share name the kind"},
    "site.py": {"posts": "an example in the reference of settings, which no kind may be imported into"},
    "front_page.py": {"topics": "a part of the front page"},
    "extension.py": {"forecasts": "a part of the front page"},
    "home.py": {"topics": "the id of a part of the page"},
    "calibration.py": {"forecasts": "the id of a part of the page"},
    "presence.py": {"signals": "the id of a part of the page"},
    "registries.py": {"probes": "the id of a part of the page"},
    "page.py": {"probes": "the id of a part of the page"},
    "extras.py": {"topics": MEMBER},
    "edit.py": {"topics": MEMBER},
    "derivations.py": {"topics": MEMBER},
    "new.py": {"topics": MEMBER},
    "comparison_page.py": {"topics": MEMBER},
    "get_forecasts.py": {"forecasts": MEMBER},
    "guides.py": {"posts": "an example of a path, in a sentence"},
    "usual_keys.py": {"topics": OTHERS},
    "ghost.py": {"posts": OTHERS},
    "mkdocs.py": {"posts": OTHERS},
    "jekyll.py": {"posts": OTHERS},
}
"""By the name of a file: the words in it that mean no kind, and what they mean."""


def strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Every string of a module that may mean a kind: not a docstring, not a slot, not the member of a mapping."""
    members: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            members.add(node.value)
        elif isinstance(node, ast.Dict):
            members.update(key for key in node.keys if key)
        elif isinstance(node, ast.Subscript) and not ast.unparse(node.value).endswith(CONTEXTS):
            members.add(node.slice)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__slots__":
            members.update(ast.walk(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in members:
            yield node


def test_no_kind_is_named_outside_its_file() -> None:
    """Starters, examples in sentences and fixtures name kinds as an author does; they are no code."""
    elsewhere = [
        f"{path.relative_to(folder)}:{node.lineno}: {node.value}"
        for folder in FOLDERS
        for path in sorted(folder.rglob("*.py"))
        if path.relative_to(folder).parts[0] != "kinds"
        for node in strings(ast.parse(path.read_text("utf-8")))
        if (match := NAMED.fullmatch(str(node.value))) and match[1] not in EXCEPTED.get(path.name, ())
    ]
    assert elsewhere == []
