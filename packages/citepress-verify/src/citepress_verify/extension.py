"""What this package adds to citepress."""

from citepress.extension import Command, Extension

EXAMPLES = {
    "diff": ("diff archive --since 2026-11-01", "Lists the pages that changed since that day."),
    "verify": ("verify https://notes.example/posts/otters.md", "Checks the bytes against the signed log."),
}
EXTENSION = Extension(
    name="verify",
    needed_to_serve=False,
    commands=(
        Command(
            "verify",
            "citepress_verify.command:verify",
            "Check an address or a file against the publisher's signed log of editions.",
            {"verify": EXAMPLES["verify"]},
            group="Reference",
        ),
        Command(
            "diff",
            "citepress_verify.diff:diff",
            "List the public addresses that publishing now would change, or that changed since an edition.",
            {"diff": EXAMPLES["diff"]},
            group="Write",
        ),
    ),
    folders=("diff",),
)
