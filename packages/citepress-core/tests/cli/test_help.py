"""What every command says of itself: help with an example that can be run, completion, JSON, progress."""

import json
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclopts import App

from citepress.cli import application, run
from citepress.cli.examples import examples
from support.commands import citepress
from support.folder import folder, post

SERVICES = {"serve", "mcp", "inbox review"}
"""Commands that talk with somebody while they run."""
DOCUMENTS = {"schema", "deploy-config", "completion", "inbox export"}
"""Commands that print a document of a format of its own."""


def _leaves(group: App, path: str = "") -> Iterator[tuple[str, App]]:
    for name in group:
        if name.startswith("-"):
            continue
        command, full = group[name], f"{path}{name}"
        if any(not inner.startswith("-") for inner in command):
            yield from _leaves(command, f"{full} ")
        else:
            yield full, command


EXAMPLES = examples()
COMMANDS = dict(_leaves(application()))


def test_every_command_has_an_example_and_every_example_is_of_a_command() -> None:
    assert EXAMPLES.keys() == COMMANDS.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_a_command_line_that_the_command_takes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words, about = EXAMPLES[name]
    assert words.split()[: len(name.split())] == name.split()
    command, bound, _ = application().parse_args(shlex.split(words), exit_on_error=False, print_error=False)
    assert callable(command)
    assert bound is not None
    assert run([*name.split(), "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"Example: citepress {words} {about} Exit codes:" in text.replace("' '", " ")


def test_every_command_that_prints_can_print_json() -> None:
    without = {
        name
        for name, command in COMMANDS.items()
        if not any("--json" in argument.names for argument in command.assemble_argument_collection())
    }
    assert without == SERVICES | DOCUMENTS


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(shell: str) -> None:
    script = citepress("completion", shell).stdout
    for word in ("deploy-config", "accept", "as-proposed"):
        assert word in script


def test_what_was_done_is_told_as_json_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "a"
    assert run(["init", str(root), "--template", "notes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["folder"] == str(root)
    assert run(["new", "posts", "x", "--content", str(root), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "posts/x"
    assert run(["build", str(root), "--output", str(tmp_path / "dist"), "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (tmp_path / "dist" / "posts" / "first-note" / "index.html").is_file()
    assert done["files"] > 100


def test_progress_is_shown_on_a_terminal_and_nowhere_else(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", {"content/posts/x.md": post()})
    assert citepress("check", str(root)).stderr == ""
    terminal, screen = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "citepress", "check", str(root)], stderr=screen, stdout=subprocess.DEVNULL, check=True
    )
    os.close(screen)
    shown = os.read(terminal, 65_536)
    os.close(terminal)
    assert b"Checking" in shown
