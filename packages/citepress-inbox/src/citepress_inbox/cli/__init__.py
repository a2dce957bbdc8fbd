"""``citepress inbox``: a person reviews what agents submitted, while the server runs."""

from cyclopts import App

from citepress.cli.examples import ending
from citepress_inbox.extension import EXAMPLES

COMMANDS = (
    ("list", "review:list_", "List submissions, oldest first."),
    ("show", "content:show", "Show submissions, their history and their passages in the content."),
    ("review", "sitting:review", "Decide on everything that waits, one by one."),
    (
        "accept",
        "content:accept",
        "Accept submissions: write each change and its credit into the content.",
    ),
    (
        "undo",
        "content:undo",
        "Take back the last decision on submissions, and what it wrote; they are in review again.",
    ),
    ("decline", "review:decline", "Decline submissions."),
    ("duplicate", "review:duplicate", "Mark submissions as repeats of another one."),
    ("note", "review:note", "Add a note that only reviewers see."),
    (
        "digest",
        "review:digest",
        "Show everything that waits by record, and mark it in review.",
    ),
    ("export", "review:export", "Write every submission and every event as JSON lines."),
)
"""Name, ``module:attribute`` in this package, and summary. Only ``content`` reads the archive, so the other commands
start without it."""

inbox = App(name="inbox", help="Review what agents submitted; works while the server runs.", help_format="plaintext")
for _name, _path, _summary in COMMANDS:
    inbox.command(f"{__name__}.{_path}", name=_name, help=_summary, help_epilogue=ending(*EXAMPLES[f"inbox {_name}"]))
