"""The texts below the members of models, which become the descriptions of their JSON Schema.

Pydantic reads them too (``use_attribute_docstrings``), for each class as it is declared: a fifth of the time that a
start takes. Here a file is read once, and only when somebody asks for a schema.
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class TextOf:
    """Mark of a member that is the member of another model, whose text describes both."""

    model: type[BaseModel]


def member_text(model: type[BaseModel], name: str) -> str | None:
    """What is written below a member in the class that it comes from; ``None`` where there is nothing."""
    mark = next((mark for mark in model.model_fields[name].metadata if isinstance(mark, TextOf)), None)
    if mark:
        return member_text(mark.model, name)
    if name in inspect.get_annotations(model):
        return _texts(model.__module__).get(model.__qualname__, {}).get(name)
    bases = (base for base in model.__bases__ if issubclass(base, BaseModel) and name in base.model_fields)
    return member_text(base, name) if (base := next(bases, None)) else None


@cache
def _texts(module: str) -> Mapping[str, Mapping[str, str]]:
    """The texts of a module's classes by qualified name and member; none where its source is not at hand."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError):
        return {}
    return dict(_classes(tree, ""))


def _classes(node: ast.AST, prefix: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The classes below a node of the syntax tree, each with the texts of its members."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield prefix + child.name, dict(_members(child.body))
            yield from _classes(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes(child, f"{prefix}{child.name}.<locals>.")
        else:
            yield from _classes(child, prefix)


def _members(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for statement, below in pairwise(body):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            match below:
                case ast.Expr(ast.Constant(str(text))):
                    yield statement.target.id, inspect.cleandoc(text)
