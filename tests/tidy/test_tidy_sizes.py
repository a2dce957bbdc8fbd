"""Files and functions stay small: over the limit only what was so before, and never more than it was (a ratchet)."""

import ast
import re
from statistics import quantiles

from support.package_docs import about_right, lines
from support.tree import PACKAGES, ROOT, SOURCES, TESTS, name_of, parsed, sources

FILE_LINES, FILE_NEVER = 400, 420
FUNCTION_LINES, FUNCTION_NEVER = 50, 60
OVER: dict[str, int] = {}
"""What was over a limit when last looked at: ``path`` or ``path::function`` and its lines. Rows only leave or
shrink."""
MAX_LINES = 121_110
"""Lines of Python in all packages together; a feature replaces as much as it adds."""
MAX_CORE_LINES = 57_000
"""Lines of Python in the core, which somebody can hold in mind."""
FOLDERS = (*SOURCES, *TESTS, "bench")


def _functions() -> dict[str, int]:
    return {
        f"{name_of(path)}::{node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in sources(*FOLDERS)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _files() -> dict[str, int]:
    return {name_of(path): len(path.read_text("utf-8").splitlines()) for path in sources(*FOLDERS)}


def test_no_file_and_no_function_is_over_its_limit_unless_it_was_so_before() -> None:
    over = {name: lines for name, lines in _files().items() if lines > FILE_LINES}
    over |= {name: lines for name, lines in _functions().items() if lines > FUNCTION_LINES}
    assert {name: lines for name, lines in over.items() if lines > OVER.get(name, 0)} == {}
    assert {name: lines for name, lines in OVER.items() if over.get(name) != lines} == {}, (
        "write the smaller number, or take the row away"
    )


def test_nothing_is_over_the_last_limit() -> None:
    assert {name: lines for name, lines in _files().items() if lines > FILE_NEVER} == {}
    assert {name: lines for name, lines in _functions().items() if lines > FUNCTION_NEVER} == {}


def test_nine_functions_in_ten_have_thirty_lines_or_fewer() -> None:
    lengths = [lines for name, lines in _functions().items() if name.startswith(SOURCES)]
    assert quantiles(lengths, n=10)[-1] <= 30


def test_the_core_and_all_packages_together_have_no_more_lines_than_they_may() -> None:
    counts = {package: lines(package) for package in PACKAGES}

    print(*(f"{name}: {count:,}" for name, count in {**counts, "all": sum(counts.values())}.items()), sep="\n")  # noqa: T201
    assert counts["citepress-core"] <= MAX_CORE_LINES, counts
    assert sum(counts.values()) <= MAX_LINES, counts


def test_the_page_of_every_package_states_about_the_lines_that_it_has() -> None:
    stated = {
        package: re.findall(
            r"^\| lines \| ([\d,]+) \|$", (ROOT / "packages" / package / "README.md").read_text(), re.MULTILINE
        )
        for package in PACKAGES
    }
    assert {package: rows for package, rows in stated.items() if len(rows) != 1} == {}
    assert {
        package: row for package, (row,) in stated.items() if not about_right(int(row.replace(",", "")), lines(package))
    } == {}
