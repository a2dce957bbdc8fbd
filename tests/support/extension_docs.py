"""What ``docs/extending.md`` says of extensions: the members of ``Extension``, and the source of the example."""

import ast
import inspect
import re
from itertools import pairwise

from citepress import extension
from support.tree import ROOT

EXAMPLE = ROOT / "examples/extension-reading-list/src/citepress_reading_list"
SHOWN_FILES = ("books.py",)
MODULE = re.compile(r"\bcitepress\.[a-z_.]+\.(?=[A-Z])")
"""The module of a class, which the docstrings name and the page leaves out."""


def points() -> str:
    """A row for each member but the name."""
    rows = (f"| `{name}` | {text} |\n" for name, text in _members() if name != "name")
    return "| part | what it adds |\n| --- | --- |\n" + "".join(rows)


def _members() -> list[tuple[str, str]]:
    (declaration,) = (
        node
        for node in ast.parse(inspect.getsource(extension)).body
        if isinstance(node, ast.ClassDef) and node.name == "Extension"
    )
    return [
        (statement.target.id, MODULE.sub("", " ".join(below.value.value.replace("``", "`").split())))
        for statement, below in pairwise(declaration.body)
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
    ]


def example() -> str:
    """The declaration of a kind in the example, as it is."""
    sources = ((name, (EXAMPLE / name).read_text("utf-8").partition('"""\n\n')[2]) for name in SHOWN_FILES)
    return "\n".join(f"`{name}`\n\n```python\n{source}```\n" for name, source in sources)
