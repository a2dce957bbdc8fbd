"""Beside this file lies ``support``, which every test may import; a run tells which requirements are not yet proven."""

from collections import Counter

import pytest
from hypothesis import settings

from spec.requirements import ALL, STANDING

settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update`` writes the goldens again instead of comparing them."""
    parser.addoption("--update", action="store_true", help="write the goldens of tests/golden again")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line on the parts of the specification that do not stand yet."""
    waiting = Counter(entry.due for entry in ALL if entry.due not in STANDING)
    if waiting:
        parts = ", ".join(f"{part} {count}" for part, count in sorted(waiting.items()))
        terminalreporter.write_line(f"requirements not yet proven (tests/spec/requirements.py): {parts}")
