"""One public language: nouns instead of participles for names, no class name twice, few hand-laid lines."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from support.tree import ROOT, SOURCES, TESTS, name_of, parsed, sources

BANNED = frozenset({"told", "found", "one", "known", "kept", "made", "seen"})
"""Words that say nothing of what a name holds; the noun of the thing takes their place."""
BANNED_IN_TESTS = BANNED | {
    "answered",
    "asked",
    "given",
    "ours",
    "shop",
    "theirs",
    "there",
    "world",
}
"""In tests and benches also what was once used for requests, answers, servers and contexts."""
ALLOWED: dict[str, int] = {"citepress_payments": 2}
"""Published members (``known`` of a bundle, ``kept`` of the capabilities). Numbers only shrink."""
HAND_LAID = 40
"""Rows of real tables that the formatter would make unreadable, in the whole tree."""


def _names(tree: ast.AST) -> Iterator[str]:
    """Every name that a module gives: functions, parameters, attributes, fields and variables."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name


def _package(path: Path) -> str:
    package, inner, *_ = path.relative_to(ROOT).parts[3:]
    return inner.removesuffix(".py") if package == "citepress" else package


def test_names_are_the_nouns_of_things() -> None:
    counts: Counter[str] = Counter()
    for path in sources(*SOURCES):
        counts[_package(path)] += sum(name.strip("_") in BANNED for name in _names(parsed(path)))

    over = {package: count for package, count in counts.items() if count > ALLOWED.get(package, 0)}
    assert over == {}


def test_names_in_tests_and_benches_are_the_nouns_of_things_too() -> None:
    banned = {
        name_of(path): names
        for path in sources(*TESTS, "bench")
        if (names := sorted(name for name in _names(parsed(path)) if name.strip("_") in BANNED_IN_TESTS))
    }
    assert banned == {}


def test_no_class_name_is_defined_in_two_modules() -> None:
    modules = defaultdict(set)
    for path in sources(*SOURCES):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                modules[node.name].add(name_of(path))

    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}


def test_few_lines_are_laid_out_by_hand() -> None:
    marks = re.compile(r"# fmt: " + r"(?:skip|off)")
    counts = {name_of(path): len(marks.findall(path.read_text("utf-8"))) for path in sources(*SOURCES, *TESTS, "bench")}

    assert sum(counts.values()) <= HAND_LAID, {name: count for name, count in counts.items() if count}
