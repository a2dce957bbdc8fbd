"""A command starts at once: only what it runs is imported."""

import subprocess
import sys
from importlib import import_module
from inspect import getdoc
from pathlib import Path

import pytest
from cyclopts import App

from citepress.cli import commands
from citepress.extension import Command
from citepress.stores.sql.migrate import open_store
from citepress_inbox import cli as inbox
from support.tree import CORE, PACKAGE, sources

HEAVY = {"alembic", "jinja2", "lxml", "pydantic", "sqlalchemy", "tantivy", "valkey"}
"""Libraries that only some commands need."""


def _imported(*arguments: str) -> set[str]:
    """Every module that is loaded when the command has run."""
    program = (
        "import sys; from citepress.cli import run; code = run(sys.argv[1:]); print('\\n'.join(['', '#',"
        " *sys.modules])); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], check=True, capture_output=True, text=True)
    return set(done.stdout.partition("\n#\n")[2].split())


def _own(modules: set[str]) -> set[str]:
    """The modules of the core; every extension may have one more, which declares it, its settings and stores."""
    extensions = {name for name in modules if name.startswith("citepress_")}
    assert {
        name for name in extensions if name.partition(".")[2] not in {"", "extension", "hooks", "settings", "stores"}
    } == set()
    return {name for name in modules if name.partition(".")[0] == "citepress"}


@pytest.mark.parametrize("arguments", [("version",), ("--help",), ("--version",)])
def test_what_needs_no_archive_imports_a_handful_of_modules(arguments: tuple[str, ...]) -> None:
    modules = _imported(*arguments)
    own_modules = _own(modules)

    assert "citepress.cli.console" in own_modules
    assert len(own_modules) <= 13, sorted(own_modules)
    assert modules & HEAVY == set()


def test_a_command_on_the_inbox_imports_neither_the_archive_nor_what_publishes_it(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    modules = _imported("inbox", "list", "--state", str(tmp_path))
    packages = {name.split(".")[1] for name in modules if name.startswith("citepress.")}

    assert packages == {"base", "cli", "contract", "extension", "hooks", "settings", "stores"}
    assert len({name for name in modules if name.partition(".")[0] in {"citepress", "citepress_inbox"}}) <= 66
    assert modules & (HEAVY - {"alembic", "pydantic", "sqlalchemy"}) == set()


def test_the_server_imports_no_library_of_a_store_that_is_not_used_and_builds_models_when_they_are() -> None:
    program = (
        "import sys, citepress.cli.service; from citepress.contract.model import Model;"
        " complete = [m.__name__ for m in Model.__subclasses__() if m.__pydantic_complete__];"
        " print(len(Model.__subclasses__()), len(complete), *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    models, complete, *modules = done.stdout.split()

    assert int(models) > 100
    assert int(complete) < int(models) / 5
    assert {"alembic", "duckdb", "numpy", "obstore", "psycopg", "valkey"} & set(modules) == set()


def test_every_command_is_reachable_and_its_summary_is_its_docstring() -> None:
    inner = (Command(name, f"citepress_inbox.cli.{path}", summary) for name, path, summary in inbox.COMMANDS)
    listed = (*commands(), *inner)
    summaries = []
    for command in listed:
        module, _, attribute = command.runs.partition(":")
        target = getattr(import_module(module), attribute)
        text = target.help if isinstance(target, App) else getdoc(target)
        summaries.append(text.splitlines()[0])

    assert summaries == [command.summary for command in listed]


def test_every_error_that_names_its_exit_code_is_caught_by_its_base() -> None:
    """No command keeps a list of the errors of other rooms."""
    text = (PACKAGE / "cli" / "__init__.py").read_text("utf-8")

    assert sources(f"{CORE}/cli")
    lower = (".cli", ".base", ".extension")
    imports = (line for line in text.splitlines() if line.startswith("from citepress."))
    assert [line for line in imports if not any(name in line for name in lower)] == []
