"""Every module says in one sentence what it is, and can be imported alone; the floors hold."""

import ast
import json
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

from support.tree import PACKAGE, ROOT, modules, name_of, parsed, sources

LOADED = """
import json, sys
ours = lambda: {known for known in sys.modules if known.startswith("citepress")}
told = {}
for name in sys.argv[1:]:
    before = ours()
    __import__(name)
    told[name] = sorted(ours() - before)
print(json.dumps(told))
"""
"""Imports modules one after the other and tells which modules each of them brought along."""


def _sentence(path: Path) -> str | None:
    text = ast.get_docstring(parsed(path)) or ""
    first = text.partition("\n\n")[0].replace("\n", " ")
    return None if first.endswith(".") and not re.search(r"[a-z`)]\. [A-Z]", first) else first


def test_every_module_begins_with_one_sentence() -> None:
    assert {name_of(path): said for path in sources("src", "bench") if (said := _sentence(path)) is not None} == {}


def _needs(path: Path, known: set[str]) -> set[str]:
    """The modules of the package that a file imports, by their dotted names."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & known
            found |= inner or {node.module or ""}
    return found & known


def _reached(name: str, needs: dict[str, set[str]]) -> set[str]:
    """A module, the packages around it, and everything that they need."""
    todo, found = [name], set()
    while todo:
        if (one := todo.pop()) not in found:
            found.add(one)
            todo += [*needs[one], *filter(None, [one.rpartition(".")[0]])]
    return found


def test_every_module_imports_alone() -> None:
    """Without circles, a module imports alone if it loads nothing but what it names: one interpreter takes them from the ground up."""
    names = modules()
    needs = {name: _needs(path, set(names)) - {name} for name, path in zip(names, sources("src/citepress"), strict=True)}
    order = [name for name in TopologicalSorter(needs).static_order() if name != "citepress.__main__"]
    assert len(order) > 100
    done = subprocess.run([sys.executable, "-c", LOADED, *order], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    unnamed = {name: set(loaded) - _reached(name, needs) for name, loaded in json.loads(done.stdout).items()}
    assert {name: extra for name, extra in unnamed.items() if extra} == {}


def test_imports_only_point_down() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout


def test_no_import_hides_inside_a_function() -> None:
    late = [
        f"{name_of(path)}:{inner.lineno}"
        for path in sources("src/citepress")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]
    assert late == []


def test_the_composition_root_stays_short_and_knows_no_kind() -> None:
    root = sources("src/citepress/app") or [PACKAGE / "app.py"]
    kinds = {path.stem for path in sources("src/citepress/kinds")}
    for path in root:
        assert len(path.read_text("utf-8").splitlines()) <= 200, name_of(path)
        named = {node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        assert not named & kinds, name_of(path)
