"""``tests/support`` may be imported by every test; a run tells which requirements are not yet proven."""

import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

from spec.requirements import ALL, STANDING

settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")


UMASK = os.umask(0o022)
os.umask(UMASK)
SLOW_FOLDERS = {"spec", "ports", "properties", "demo"}

if sys.dont_write_bytecode:
    # A run has many interpreters: without a cache each would compile the package again, and the tests themselves. The
    # cache lies beside the files, as usual, because a folder of its own would leave out that of the installed packages.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update`` writes the goldens again instead of comparing them."""
    parser.addoption("--update", action="store_true", help="write the goldens of tests/golden again")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that a parallel run does not end with one of them.

    Those that start servers and databases come next, and the many small ones last.
    """
    items.sort(key=lambda item: (item.get_closest_marker("long") is None, _folder(item) not in SLOW_FOLDERS))


def pytest_runtest_setup() -> None:
    """Let each test begin with the permissions of the first: a service in this process keeps new files to itself."""
    os.umask(UMASK)


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(Path(__file__).parent).parts[1]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line on the parts of the specification that do not stand yet."""
    waiting = Counter(entry.due for entry in ALL if entry.due not in STANDING)
    if waiting:
        parts = ", ".join(f"{part} {count}" for part, count in sorted(waiting.items()))
        terminalreporter.write_line(f"requirements not yet proven (tests/spec/requirements.py): {parts}")


def pytest_sessionfinish() -> None:
    """Stop what tests of this process shared."""
    for name in ("support.database_servers", "support.preloaded"):
        if name in sys.modules:
            sys.modules[name].STARTED.close()
