"""Every module says in one sentence what it is, and can be imported alone; the floors hold."""

import ast
import builtins
import json
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from support.tree import CORE, ROOT, SOURCES, modules, name_of, parsed, sources

LOADED = """
import importlib.metadata, json, sys
importlib.metadata.entry_points = lambda **_: importlib.metadata.EntryPoints()
ours = lambda: {known for known in sys.modules if known.startswith("citepress")}
told = {}
for name in sys.argv[1:]:
    before = ours()
    __import__(name)
    told[name] = sorted(ours() - before)
print(json.dumps(told))
"""
"""Imports modules one after the other and tells which modules each of them brought along, without extensions, which
the core loads by their names."""


def _sentence(path: Path) -> str | None:
    text = ast.get_docstring(parsed(path)) or ""
    first = text.partition("\n\n")[0].replace("\n", " ")
    return None if first.endswith(".") and not re.search(r"[a-z`)]\. [A-Z]", first) else first


def test_every_module_begins_with_one_sentence() -> None:
    assert {name_of(path): said for path in sources(*SOURCES, "bench") if (said := _sentence(path)) is not None} == {}


def _needs(path: Path, inside: set[str]) -> set[str]:
    """The modules of the package that a file imports, by their dotted names."""
    needed = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            needed |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & inside
            needed |= inner or {node.module or ""}
    return needed & inside


def _reached(name: str, needs: dict[str, set[str]]) -> set[str]:
    """A module, the packages around it, and everything that they need."""
    todo, reached = [name], set()
    while todo:
        if (module := todo.pop()) not in reached:
            reached.add(module)
            todo += [*needs[module], *filter(None, [module.rpartition(".")[0]])]
    return reached


def test_every_module_imports_alone() -> None:
    """Without cycles, a module imports alone if it loads only what it names: one interpreter tries them in order."""
    names = modules()
    needs = {name: _needs(path, set(names)) - {name} for name, path in zip(names, sources(*SOURCES), strict=True)}
    order = [name for name in TopologicalSorter(needs).static_order() if name != "citepress.__main__"]
    assert len(order) > 100
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *order], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    unnamed = {name: set(loaded) - _reached(name, needs) for name, loaded in json.loads(done.stdout).items()}
    assert {name: extra for name, extra in unnamed.items() if extra} == {}


def test_imports_only_point_down() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout


def test_outgoing_requests_have_one_client() -> None:
    clients = {"http.client", "urllib.request", "urllib3", "requests", "httpx", "aiohttp"}
    users = {
        name_of(path)
        for path in sources(*SOURCES)
        for node in ast.walk(parsed(path))
        if (isinstance(node, ast.Import) and {alias.name for alias in node.names} & clients)
        or (isinstance(node, ast.ImportFrom) and node.module in clients)
    }
    assert users == {f"{CORE}/base/outgoing.py"}


def test_json_has_one_fast_decoder() -> None:
    """The library's own calls a text faulty where memory is short."""
    texts = {name_of(path): path.read_text("utf-8") for path in sources(*SOURCES)}
    callers = [name for name, text in texts.items() if "orjson.loads" in text and "cause_of(" not in text]
    assert callers == []


def test_no_import_hides_inside_a_function() -> None:
    late = [
        f"{name_of(path)}:{inner.lineno}"
        for path in sources(*SOURCES)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]
    assert late == []


def test_the_composition_root_stays_short_and_knows_no_kind() -> None:
    root = sources(f"{CORE}/app")
    assert sum(len(path.read_text("utf-8").splitlines()) for path in root) <= 400
    kinds = {path.stem for path in sources(f"{CORE}/kinds")}
    for path in root:
        named = {
            node.value
            for node in ast.walk(parsed(path))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not named & kinds, name_of(path)


def test_every_name_that_a_benchmark_imports_exists() -> None:
    """Nothing else would notice: benchmarks run on demand."""
    missing = []
    for path in sources("bench", "tests/interop"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("citepress"):
                module = import_module(node.module or "")
                names = [alias.name for alias in node.names if not hasattr(module, alias.name)]
                missing += [
                    f"{name_of(path)}: {node.module}.{name}" for name in names if not find_spec(f"{node.module}.{name}")
                ]
    assert missing == []


def test_every_exception_is_an_error_that_explains_itself_or_control_flow() -> None:
    """``base/errors.py`` has the only two classes that derive from an exception of Python's alone."""
    builtin = {name for name, value in vars(builtins).items() if isinstance(value, type) and _raised(value)}
    alone = [
        f"{name_of(path)}: {node.name}"
        for path in sources(*SOURCES)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef) and node.bases and {ast.unparse(base) for base in node.bases} <= builtin
    ]
    assert alone == [f"{CORE}/base/errors.py: CitepressError", f"{CORE}/base/errors.py: ControlFlow"]


def _raised(value: type) -> bool:
    return issubclass(value, BaseException)
