"""What this package adds to citepress: the command ``citepress import``."""

from citepress.extension import Command, Extension

EXAMPLE = ("import auto ../blog archive --report report.md", "Moves a blog of any known tool into archive.")
EXTENSION = Extension(
    name="import",
    commands=(
        Command(
            "import",
            "citepress_import.cli:import_site",
            "Import the site of another tool as a content folder that passes check.",
            {"import": EXAMPLE},
            group="Write",
        ),
    ),
)
