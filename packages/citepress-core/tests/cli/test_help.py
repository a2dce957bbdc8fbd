"""What every command says of itself: help with an example that can be run, completion, JSON, progress."""

import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from citepress.base.declared_names import COMMAND_GROUPS
from citepress.cli import application, run
from citepress.cli.examples import examples
from citepress.cli.man import arguments_of, leaves, usage
from citepress.contract.fault import fault_codes
from support.commands import citepress
from support.folder import folder, post

SERVICES = {"serve", "mcp", "inbox review"}
"""Commands that talk with somebody while they run."""
DOCUMENTS = {"man", "deploy-config", "completion", "inbox export"}
"""Commands that print a document of a format of its own."""


EXAMPLES = examples()
COMMANDS = dict(leaves(application()))


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


def test_the_list_of_commands_is_in_groups_and_no_help_shows_what_is_switched_off(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    panels = [line.strip("╭╮─ ") for line in text.splitlines() if line.startswith("╭─")]
    assert panels == [*COMMAND_GROUPS, "Options of every command"]
    for name in COMMANDS:
        assert run([*name.split(), "--help"]) == 0
        shown = capsys.readouterr().out
        for clutter in ("[default: False]", "[default: ()]", "[default: ]", "--empty-", "--no-json"):
            assert clutter not in shown, name


def test_every_command_that_reads_a_folder_takes_it_as_its_last_argument_or_as_an_option() -> None:
    """Where ids come without a number, only the option names the folder."""
    for name, command in COMMANDS.items():
        arguments = arguments_of(application(), command)
        content = next((each for each in arguments if "--content" in each.names), None)
        if content and "..." not in usage(name, arguments):
            assert content.index == max((each.index for each in arguments if each.index is not None), default=-1), name


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("inbox accept --nope", ["Unknown option: --nope. Did you mean --note?", "Try: citepress inbox accept --help"]),
        ("check --nope", ["Unknown option: --nope.", "Try: citepress check --help"]),
        (
            "inbox list here there",
            [
                "nothing takes 'there': the folder is --content, if it is meant",
                "Try: citepress inbox list --help",
            ],
        ),
    ],
)
def test_a_wrong_command_line_leads_to_the_help_of_its_command(
    words: str, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words.split()) == 2
    assert capsys.readouterr().err.splitlines() == [f"citepress: {lines[0]}", *lines[1:]]


def test_version_and_its_option_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == run(["version"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second
    assert "contract" in first


def test_a_fault_is_explained_as_in_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    for code in fault_codes():
        assert run(["explain", code.id.lower()]) == 0
        assert capsys.readouterr().out.startswith(f"{code.id} {code.name} ({code.level.value})\n\n{code.about}\n\n")
    assert run(["explain", "CP999"]) == 2


def test_the_manual_page_holds_every_command_and_man_reads_it(tmp_path: Path, capfdbinary: Any) -> None:
    assert run(["man"]) == 0
    page = tmp_path / "citepress.1"
    page.write_bytes(capfdbinary.readouterr().out)
    for name in COMMANDS:
        assert f'.SS "citepress {name}'.replace("-", "\\-") in page.read_text()
    if groff := shutil.which("groff"):
        done = subprocess.run([groff, "-man", "-ww", "-Tutf8", str(page)], capture_output=True, check=True)
        assert done.stderr == b""
        assert b"EXIT STATUS" in re.sub(rb".\x08", b"", done.stdout)
    if lexgrog := shutil.which("lexgrog"):
        assert b"citepress - Publish" in subprocess.run([lexgrog, str(page)], capture_output=True, check=True).stdout


def offered(*words: str) -> list[str]:
    """What the script of a shell is given for the last of these words."""
    return [line.split("\t")[0] for line in citepress("__complete", *words).stdout.splitlines()]


def test_a_shell_completes_kinds_schemas_codes_and_records(tmp_path: Path) -> None:
    root = folder(tmp_path / "a", {"content/posts/otters.md": post(), "content/topics/rivers.md": post()})
    assert {"posts", "dataset", "owner", "page"} <= set(offered("new", ""))
    assert {"topics", "site", "PublicSourceLedger"} <= set(offered("schema", ""))
    assert {"CP020", "CP021"} <= set(offered("explain", "CP02"))
    words = ("inbox", "accept", "--content", str(root), "--record", "")
    assert {"posts/otters", "topics/rivers"} <= set(offered(*words))
