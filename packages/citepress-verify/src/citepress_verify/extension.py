"""What this package adds to citepress."""

from citepress.extension import Command, Extension

EXAMPLES = {"verify": ("verify https://notes.example/posts/otters.md", "Checks the bytes against the signed log.")}
EXTENSION = Extension(
    name="verify",
    needed_to_serve=False,
    commands=(
        Command(
            "verify",
            "citepress_verify.command:verify",
            "Check that an address or a file is what the publisher's signed log of editions says.",
            EXAMPLES,
            group="Reference",
        ),
    ),
)
