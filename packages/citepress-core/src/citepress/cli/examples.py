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
    "verify": Example("verify https://notes.example/posts/otters.md", "Checks the bytes against the signed log."),
    "diff": Example("diff archive --since 2026-11-01", "Lists the pages that changed since that day."),
    "routes": Example("routes --json", "Prints every route with its type and schema."),
    "schema": Example("schema posts --front", "Prints what the front matter of a field note may hold."),
    "doctor": Example("doctor archive --json", "Examines settings and state, for a monitor."),
    "deploy-config": Example("deploy-config nginx archive", "Prints a server block for nginx."),
    "version": Example("version --json", "Prints both versions for a script."),
    "completion": Example(
        "completion bash", "Prints a script for bash; docs/reference/commands.md says where it goes."
    ),
    "telemetry import": Example("telemetry import /var/log/nginx/access.log", "Counts what nginx answered."),
    "telemetry export": Example("telemetry export --parquet events", "Writes one file for each hour."),
    "telemetry ranges refresh": Example("telemetry ranges refresh", "Fetches the address lists of operators."),
    "telemetry ranges status": Example("telemetry ranges status --json", "Shows how old each list is."),
    "telemetry agents check": Example("telemetry agents check", "Looks for faults in the table of clients."),
    "telemetry agents diff": Example("telemetry agents diff", "Shows what newer public lists have."),
    "telemetry agents test": Example("telemetry agents test 'GPTBot/1.2'", "Shows how a User-Agent is read, and why."),
    "telemetry salt status": Example("telemetry salt status", "Shows which days have a salt."),
    "telemetry salt rotate": Example("telemetry salt rotate", "Ends all sessions of today."),
    "telemetry report": Example("telemetry report crawler-journeys --window 24h --csv", "Prints a table for a sheet."),
    "telemetry publish": Example("telemetry publish --content archive", "Renders the reports now."),
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
