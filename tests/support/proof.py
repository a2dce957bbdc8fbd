"""Tests and the requirement manifest: rows that prove an entry, and what the test files say they prove."""

import ast
from collections.abc import Iterator
from typing import Any

import pytest

from support.tree import TESTS, name_of, sources


def proves(id_: str, *values: Any) -> Any:
    """A row of a parametrized test that proves one entry.

    A test's own mark is ``pytest.mark.requirement("id", ...)``.
    """
    return pytest.param(*values, id=id_, marks=pytest.mark.requirement(id_))


def proven() -> dict[str, set[str]]:
    """The files that name each id. Raises ``TypeError`` where an id is no literal."""
    proofs: dict[str, set[str]] = {}
    for path in (path for path in sources(*TESTS) if path.name.startswith("test_")):
        name = name_of(path)
        for id_ in _named(ast.parse(path.read_text("utf-8"), name), name):
            proofs.setdefault(id_, set()).add(name)
    return proofs


def _named(tree: ast.AST, name: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else node.func.id
            if isinstance(node.func, ast.Name)
            else ""
        )
        ids = node.args if called == "requirement" else node.args[:1] if called == "proves" else []
        for argument in ids:
            if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                raise TypeError(f"{name}:{argument.lineno}: write the id of a requirement as a literal")
            yield argument.value
