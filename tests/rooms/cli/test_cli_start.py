"""A command starts at once: only what it runs is imported."""

import subprocess
import sys
from importlib import import_module
from inspect import getdoc

import pytest
from cyclopts import App

from citepress.cli import COMMANDS
from support.tree import PACKAGE, sources

HEAVY = {"alembic", "jinja2", "lxml", "pydantic", "sqlalchemy", "tantivy", "valkey"}
"""Libraries that only some commands need."""


def _imported(*arguments: str) -> set[str]:
    """Every module that is loaded when the command has run."""
    program = (
        "import sys; from citepress.cli import run; code = run(sys.argv[1:]); print('\\n'.join(['', '#', *sys.modules])); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], check=True, capture_output=True, text=True)
    return set(done.stdout.partition("\n#\n")[2].split())


@pytest.mark.parametrize("arguments", [("version",), ("--help",), ("--version",)])
def test_what_needs_no_archive_imports_a_handful_of_modules(arguments: tuple[str, ...]) -> None:
    modules = _imported(*arguments)
    ours = {name for name in modules if name.startswith("citepress")}

    assert "citepress.cli.console" in ours
    assert len(ours) <= 12, sorted(ours)
    assert modules & HEAVY == set()


def test_every_command_module_is_reachable_and_its_summary_is_its_docstring() -> None:
    summaries = {}
    for name, path, _ in COMMANDS:
        module, _, attribute = path.partition(":")
        target = getattr(import_module(f"citepress.cli.{module}"), attribute)
        text = target.help if isinstance(target, App) else getdoc(target)
        summaries[name] = text.splitlines()[0]

    assert summaries == {name: summary for name, _, summary in COMMANDS}


def test_every_error_that_names_its_exit_code_is_caught_by_its_base() -> None:
    """No command keeps a list of the errors of other rooms."""
    text = (PACKAGE / "cli" / "__init__.py").read_text("utf-8")

    assert sources("src/citepress/cli")
    assert [line for line in text.splitlines() if line.startswith("from citepress.") and ".cli" not in line and ".base" not in line] == []
