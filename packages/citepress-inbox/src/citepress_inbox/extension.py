"""What the inbox adds to citepress."""

from citepress.extension import Command, Extension

EXAMPLES = {
    "inbox list": ("inbox list --status queued --status in_review", "Lists what waits."),
    "inbox show": ("inbox show k3v9 --content archive", "Shows the submission whose id begins so."),
    "inbox review": ("inbox review --content archive --commit", "Goes through all, with a commit for each."),
    "inbox accept": ("inbox accept k3v9 --as-proposed --note 'A slip of the pen.'", "Takes the proposed text."),
    "inbox undo": ("inbox undo k3v9", "Takes the last decision back."),
    "inbox decline": ("inbox decline k3v9 m7q2 --reason already_covered", "Declines two submissions."),
    "inbox duplicate": ("inbox duplicate m7q2 x8d4 k3v9", "Marks two as repeats of the last."),
    "inbox note": ("inbox note k3v9 'Ask the author.'", "Is read by reviewers only."),
    "inbox digest": ("inbox digest --format markdown", "Writes the weekly review for mail."),
    "inbox export": ("inbox export --state state", "Writes JSON lines, for another tool."),
}
EXTENSION = Extension(
    name="inbox",
    commands=(
        Command(
            "inbox",
            "citepress_inbox.cli:inbox",
            "Review what agents submitted; works while the server runs.",
            EXAMPLES,
            group="Review",
        ),
    ),
    operations="citepress_inbox.operations:ALL",
    guide="citepress_inbox.guide:GUIDE",
    tables="citepress_inbox.settings:TABLES",
    variables="citepress_inbox.settings:VARIABLES",
    stores="citepress_inbox.stores:STORES",
    services="citepress_inbox.service:SERVICES",
    published="citepress_inbox.service:PUBLISHED",
)
