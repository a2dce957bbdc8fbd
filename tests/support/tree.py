"""The files of the project, as tests on the tree read them."""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CORE = "packages/citepress-core/src/citepress"
PACKAGE = ROOT / CORE
SOURCES = tuple(path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("packages/*/src")))
"""The folders of the packages' sources."""
PACKAGES = tuple(path.parent.name for path in sorted(ROOT.glob("packages/*/pyproject.toml")))
TESTS = ("tests", *(path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("packages/*/tests"))))
SKIPPED = {".git", ".venv", "__pycache__", "node_modules", "state", "dist", "build"}


def files(*folders: str) -> Iterator[Path]:
    """Every file of these folders (of the whole tree without any) that is not made by a tool, in order."""
    for start in [ROOT / folder for folder in folders] or [ROOT]:
        for path in sorted(start.iterdir()) if start.is_dir() else [start]:
            # In a linked worktree `.git` is a file, so names are looked at before kinds.
            if _generated(path):
                continue
            if path.is_dir():
                yield from files(path.relative_to(ROOT).as_posix())
            else:
                yield path


def _generated(path: Path) -> bool:
    return (
        path.name in SKIPPED
        or path.name.endswith((".egg-info", "_cache"))
        or path.name in {".hypothesis", ".audit", ".interop", ".bench", ".samples"}
    )


def name_of(path: Path) -> str:
    """A file as the tests call it: its path from the top of the tree."""
    return path.relative_to(ROOT).as_posix()


def sources(*folders: str) -> list[Path]:
    """The Python files of these folders; a folder that does not stand has none."""
    return [path for folder in folders if (ROOT / folder).is_dir() for path in files(folder) if path.suffix == ".py"]


@cache
def parsed(path: Path) -> ast.Module:
    """A Python file as a tree."""
    return ast.parse(path.read_text("utf-8"), path.name)


def modules() -> list[str]:
    """Every module of the packages by its dotted name."""
    return [module_of(path) for path in sources(*SOURCES)]


def project(package: str = "citepress-core") -> dict[str, Any]:
    """What a package declares of itself."""
    table: dict[str, Any] = tomllib.loads((ROOT / "packages" / package / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]
    return table


def module_of(path: Path) -> str:
    """The dotted name of a source file."""
    names = path.relative_to(ROOT).with_suffix("").parts[3:]
    return ".".join(name for name in names if name != "__init__")


def imported(path: Path) -> set[str]:
    """The top-level modules that a Python file imports."""
    packages = set()
    for node in ast.walk(parsed(path)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        packages |= {name.partition(".")[0] for name in names}
    return packages
