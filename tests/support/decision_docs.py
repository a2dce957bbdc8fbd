"""The index of ``docs/decisions/``: a link to each page."""

import re
from collections.abc import Mapping

from support.marked_places import filled
from support.tree import ROOT

MD = ".md"
FOLDER = ROOT / "docs" / "decisions"
ENTRY = re.compile(r"^## (\d{4}-\d\d-\d\d) · (.+)$", re.MULTILINE)


def decisions() -> Mapping[str, list[tuple[str, str]]]:
    """Day and title of each decision, by the name of its page."""
    pages = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.md")) if path.name != "README.md"}
    return {name: ENTRY.findall(text) for name, text in pages.items()}


def index() -> str:
    """A link to each page."""
    return filled(f"{', '.join(f'[{name.removesuffix(MD)}]({name})' for name in decisions())}.") + "\n"
