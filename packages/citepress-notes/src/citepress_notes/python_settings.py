"""Reads settings that are Python, such as those of Pelican: plain values are evaluated, and no code is run."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

Values = dict[str, Any]
_ERRORS = (ValueError, TypeError, SyntaxError, KeyError, RecursionError, MemoryError)


def literals(code: str, given: Mapping[str, Any] | None = None) -> tuple[Values, list[str]]:
    """The settings that are plain values, and the names of those that are code.

    ``given`` are settings of an earlier file that this one may refer to.
    """
    values: Values = dict(given or {})
    unread: dict[str, None] = {}
    try:
        body = ast.parse(code.removeprefix("\ufeff")).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return values, ["all of them"]
    for node in body:
        assigned, value = _assigned(node)
        for name in assigned:
            try:
                evaluated = _value(value, values)
                values[name] = values[name] + evaluated if isinstance(node, ast.AugAssign) else evaluated
                unread.pop(name, None)
            except _ERRORS:
                unread[name] = None
        if not assigned and not isinstance(node, ast.Import | ast.ImportFrom):
            unread |= dict.fromkeys(sorted(_changed(node)))
    return values, list(unread)


def _assigned(node: ast.stmt) -> tuple[list[str], ast.expr | None]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return [], None
    return [target.id for target in targets if isinstance(target, ast.Name) and target.id.isupper()], node.value


def _changed(node: ast.stmt) -> set[str]:
    """The settings that a statement may change: assigned at any depth, or with a method called on them."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return set()
    names: set[str] = set()
    for inner in ast.walk(node):
        called = inner.func if isinstance(inner, ast.Call) else None
        held = called if isinstance(called, ast.Attribute) else inner if isinstance(inner, ast.Subscript) else None
        name = held.value if held and (held is called or not isinstance(held.ctx, ast.Load)) else inner
        if isinstance(name, ast.Name) and (name is not inner or isinstance(name.ctx, ast.Store)):
            names.add(name.id)
    return {name for name in names if name.isupper()}


def _value(node: ast.expr | None, values: Mapping[str, Any]) -> Any:  # noqa: ANN401  (any value)
    """The value of an expression: a literal, another setting, a sum, ``dict(…)`` or a joined path."""
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return operator.add(_value(node.left, values), _value(node.right, values))
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_value(item, values) for item in node.elts]
    if isinstance(node, ast.Dict):
        keys = [_value(key, values) for key in node.keys]
        return dict(zip(keys, (_value(value, values) for value in node.values), strict=True))
    if isinstance(node, ast.Call):
        return _call(node, lambda inner: _value(inner, values))
    if node is None:
        raise ValueError(node)
    return ast.literal_eval(node)


def _call(node: ast.Call, value: Callable[[ast.expr], Any]) -> Any:  # noqa: ANN401
    name = ast.unparse(node.func)
    if name == "dict" and not node.args and all(keyword.arg for keyword in node.keywords):
        return {str(keyword.arg): value(keyword.value) for keyword in node.keywords}
    if name in ("os.path.join", "path.join") and not node.keywords:
        return "/".join(str(value(argument)).rstrip("/") for argument in node.args)
    if name in ("list", "tuple", "set", "str") and len(node.args) == 1 and not node.keywords:
        return value(node.args[0])
    raise ValueError(name)
