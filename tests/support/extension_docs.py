"""What an extension can add, as ``docs/extending.md`` lists it: the members of ``Extension`` with their texts."""

import ast
import inspect
from itertools import pairwise

from citepress import extension


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
        (statement.target.id, " ".join(below.value.value.replace("``", "`").split()))
        for statement, below in pairwise(declaration.body)
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
    ]
