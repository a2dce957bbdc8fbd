"""Every module says in one sentence what it is, and can be imported alone; the floors hold."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.tree import PACKAGE, ROOT, modules, name_of, parsed, sources

BATCHES = 4
ALONE = """
import os, sys, traceback
import granian, jinja2, lxml.etree, orjson, pydantic, yaml  # heavy, not ours, and so shared by the children
assert not any(name.split(".")[0] == "citepress" for name in sys.modules)
failed = []
for name in sys.argv[1:]:
    if not (child := os.fork()):
        try:
            __import__(name)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        failed.append(name)
sys.exit(" ".join(failed) or 0)
"""
"""Imports each module in a fresh copy of an interpreter that knows nothing of ours."""
RUNNABLE = "citepress.__main__"


def _sentence(path: Path) -> str | None:
    text = ast.get_docstring(parsed(path)) or ""
    first = text.partition("\n\n")[0].replace("\n", " ")
    return None if first.endswith(".") and not re.search(r"[a-z`)]\. [A-Z]", first) else first


def test_every_module_begins_with_one_sentence() -> None:
    assert {name_of(path): said for path in sources("src", "bench") if (said := _sentence(path)) is not None} == {}


@pytest.mark.parametrize("batch", range(BATCHES))
def test_every_module_imports_alone(batch: int) -> None:
    names = [name for name in modules() if name != RUNNABLE][batch::BATCHES]
    assert names
    done = subprocess.run([sys.executable, "-c", ALONE, *names], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")


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
    text = (PACKAGE / "app.py").read_text("utf-8")
    assert len(text.splitlines()) <= 200
    named = {node.value for node in ast.walk(parsed(PACKAGE / "app.py")) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert not named & {path.stem for path in sources("src/citepress/kinds")}
