"""The site generator that a plain folder is written for, and the folders that hold what is its own."""

from pathlib import Path

from citepress.content.files import ContentFile, read_bytes
from citepress.contract.fault import Faults
from citepress_notes.former_tools import tools_of

SETTINGS_BYTES = 262_144
BUILT = {
    "hexo": frozenset({"public", "scaffolds", "themes"}),
    "hugo": frozenset({"archetypes", "layouts", "public", "resources", "themes"}),
    "zola": frozenset({"public", "sass", "templates", "themes"}),
    "jekyll": frozenset({"_includes", "_layouts", "_sass", "_site"}),
    "mkdocs": frozenset({"overrides", "site"}),
}
"""Folders at the top that hold a generator's templates and what it made."""


def generator(root: Path) -> str:
    """The site generator that a folder is written for, by its settings; nothing where there is none."""
    tools = tools_of(lambda name: (root / name).exists(), lambda name: _settings(root, name))
    return next((tool for tool in tools if tool in BUILT), "")


def _settings(root: Path, name: str) -> str:
    """The text of a file of settings; nothing where it cannot be read."""
    try:
        return read_bytes(root, ContentFile(name, 0, 0), SETTINGS_BYTES).decode("utf-8", "replace")
    except Faults:
        return ""
