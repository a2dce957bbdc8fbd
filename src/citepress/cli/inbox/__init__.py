"""``citepress inbox``: a person reviews what agents submitted, while the server runs."""

from cyclopts import App

COMMANDS = (
    ("list", "review:list_", "List submissions, oldest first."),
    ("show", "content:show", "Show submissions, their history and where their passages are in the content."),
    ("review", "sitting:review", "Decide on everything that waits, one submission after the other."),
    (
        "accept",
        "content:accept",
        "Accept a submission: write the change and the credit into the content, and show the diff.",
    ),
    ("reject", "review:reject", "Decline submissions."),
    ("duplicate", "review:duplicate", "Mark a submission as a repeat of another one."),
    ("note", "review:note", "Add a note that only reviewers see."),
    (
        "digest",
        "review:digest",
        "Show everything that waits, grouped by record and oldest first, and mark it in review.",
    ),
    ("export", "review:export", "Write every submission and every event as JSON lines."),
)
"""Name, ``module:attribute`` in this package, and summary. Only ``content`` reads the archive, so the other commands
start without it."""

inbox = App(name="inbox", help="Review what agents submitted; works while the server runs.", help_format="plaintext")
for _name, _path, _summary in COMMANDS:
    inbox.command(f"{__name__}.{_path}", name=_name, help=_summary)
