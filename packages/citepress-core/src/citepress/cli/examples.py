"""One example of every command, which its ``--help`` ends with; a test parses each of them."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from citepress.extension import Command, joined


class Example(NamedTuple):
    """A command line and what it does."""

    words: str
    """The command line after ``citepress``."""
    about: str


CORE = {
    "init": Example("init notes --template notes", "Makes the folder notes, which passes check."),
    "new": Example("new posts five-revisions --title 'Five revisions'", "Makes content/posts/five-revisions.md."),
    "check": Example("check archive --all", "Shows every fault and every single warning; exit code 1 for errors."),
    "build": Example("build archive --output dist --base-url https://notes.example", "Writes files for any host."),
    "serve": Example("serve archive --watch --port 8001", "Publishes what you save, on http://127.0.0.1:8001/."),
    "routes": Example("routes --json", "Prints every route with its type and schema."),
    "doctor": Example("doctor archive --json", "Examines settings and state, for a monitor."),
    "explain": Example("explain CP021", "Prints what the fault means, without a network."),
    "man": Example("man", "Prints the page in troff; `citepress man | man -l -` shows it."),
    "version": Example("version --json", "Prints both versions for a script."),
    "completion": Example(
        "completion bash", "Prints a script for bash; docs/reference/commands.md says where it goes."
    ),
    "backup": Example("backup /backups/monday --content archive", "Copies what cannot be built again."),
    "restore": Example("restore /backups/monday --state new-state", "Writes a backup into an empty state folder."),
}
"""Command of the core to its example."""


@cache
def examples() -> Mapping[str, Example]:
    """Every command to its example. Raises ``ExtensionError``."""
    given = (item for command in joined("commands", Command) for item in command.examples.items())
    return CORE | {name: Example(*words) for name, words in given}


def example(command: str) -> str:
    """The lines that end the help of a command; empty where its extension is not installed.

    Raises ``ExtensionError``.
    """
    line = CORE.get(command) or examples().get(command)
    return ending(*line) if line else ""


def ending(words: str, about: str) -> str:
    """The same of a command whose example is at hand, such as one of a group that an extension brings."""
    return f"Example:\n  citepress {words}\n      {about}\n\nExit codes: 0 success, 1 faults or failure, 2 wrong usage."
