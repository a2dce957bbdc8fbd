"""The index of ``docs/decisions/``: a row for each page."""

import re
from collections.abc import Mapping

from support.tree import ROOT

FOLDER = ROOT / "docs" / "decisions"
ENTRY = re.compile(r"^## (\d{4}-\d\d-\d\d) · (.+)$", re.MULTILINE)


def decisions() -> Mapping[str, list[tuple[str, str]]]:
    """Day and title of each decision, by the name of its page."""
    pages = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.md")) if path.name != "README.md"}
    return {name: ENTRY.findall(text) for name, text in pages.items()}


def index() -> str:
    """A row for each page with what it is about."""
    rows = []
    for name in decisions():
        about = (FOLDER / name).read_text("utf-8").partition("\n")[0].removeprefix("# Decisions on ")
        rows.append(f"| [{name.removesuffix('.md')}]({name}) | {about} |\n")
    return "| page | decisions on |\n| --- | --- |\n" + "".join(rows)
