"""What this package adds to citepress."""

from citepress.extension import Command, Extension

EXAMPLES = {"schema": ("schema posts", "Prints what the front matter of a field note may hold.")}
EXTENSION = Extension(
    name="editors",
    needed_to_serve=False,
    commands=(
        Command(
            "schema",
            "citepress_editors.schema_command:schema",
            "Print the JSON Schema of what authors write, or of a published document.",
            EXAMPLES,
            group="Reference",
        ),
    ),
    scaffolds="citepress_editors.schema_lines:SCAFFOLDS",
)
