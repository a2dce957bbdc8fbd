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
    "publish": Example("publish archive s3://bucket/archive --watch", "Uploads an edition whenever content changes."),
    "verify": Example("verify https://notes.example/posts/otters.md", "Checks the bytes against the signed log."),
    "ping": Example("ping archive --dry-run", "Lists the addresses that the hub and IndexNow would be told of."),
    "diff": Example("diff archive --since 2026-11-01", "Lists the pages that changed since that day."),
    "editions list": Example("editions list s3://bucket/archive", "Shows number, time, size and digest of each."),
    "editions rollback": Example("editions rollback s3://bucket/archive --to 12", "Publishes edition 12 again."),
    "editions prune": Example("editions prune s3://bucket/archive --keep 5", "Keeps the current one and five."),
    "routes": Example("routes --json", "Prints every route with its type and schema."),
    "schema": Example("schema posts --front", "Prints what the front matter of a field note may hold."),
    "doctor": Example("doctor archive --json", "Examines settings and state, for a monitor."),
    "deploy-config": Example("deploy-config nginx archive", "Prints a server block for nginx."),
    "version": Example("version --json", "Prints both versions for a script."),
    "completion": Example(
        "completion bash", "Prints a script for bash; docs/reference/commands.md says where it goes."
    ),
    "inbox list": Example("inbox list --status queued --status in_review", "Lists what waits."),
    "inbox show": Example("inbox show k3v9 --content archive", "Shows the submission whose id begins so."),
    "inbox review": Example("inbox review --content archive --commit", "Goes through all, with a commit for each."),
    "inbox accept": Example("inbox accept k3v9 --as-proposed --note 'A slip of the pen.'", "Takes the proposed text."),
    "inbox undo": Example("inbox undo k3v9", "Takes the last decision back."),
    "inbox reject": Example("inbox reject k3v9 m7q2 --reason already_covered", "Declines two submissions."),
    "inbox duplicate": Example("inbox duplicate m7q2 x8d4 k3v9", "Marks two as repeats of the last."),
    "inbox note": Example("inbox note k3v9 'Ask the author.'", "Is read by reviewers only."),
    "inbox digest": Example("inbox digest --format markdown", "Writes the weekly review for mail."),
    "inbox export": Example("inbox export --state state", "Writes JSON lines, for another tool."),
    "backup": Example("backup /backups/monday --content archive", "Copies what cannot be built again."),
    "restore": Example("restore /backups/monday --state new-state", "Writes a backup into an empty state folder."),
    "payments init": Example("payments init --content archive", "Opens three simulated rails, which cost nothing."),
    "payments status": Example("payments status --json", "Checks every open rail, for a monitor."),
    "payments test": Example("payments test http://127.0.0.1:8000 --rail base-usdc", "Buys once over one rail."),
    "payments ledger": Example("payments ledger --json", "Lists payments, newest first."),
    "payments refunds": Example("payments refunds", "Lists transfers that bought nothing."),
    "payments pause": Example("payments pause base-usdc --reason 'Maintenance.'", "Makes no new quotes on this rail."),
}
"""Command of the core to its example."""


@cache
def examples() -> Mapping[str, Example]:
    """Every command to its example. Raises ``ExtensionError``."""
    given = (item for command in joined("commands", Command) for item in command.examples.items())
    return CORE | {name: Example(*words) for name, words in given}


def example(command: str) -> str:
    """The lines that end the help of a command. Raises ``ExtensionError``."""
    return ending(*(CORE.get(command) or examples()[command]))


def ending(words: str, about: str) -> str:
    """The same of a command whose example is at hand, such as one of a group that an extension brings."""
    return f"Example:\n  citepress {words}\n      {about}\n\nExit codes: 0 success, 1 faults or failure, 2 wrong usage."
