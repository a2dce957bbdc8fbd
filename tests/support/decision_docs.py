"""The index of ``docs/decisions/``: every decision once, with its day, below the page that holds it."""

import re
from collections.abc import Mapping

from support.marked_places import filled
from support.tree import ROOT

FOLDER = ROOT / "docs" / "decisions"
ENTRY = re.compile(r"^## (\d{4}-\d\d-\d\d) · (.+)$", re.MULTILINE)


def decisions() -> Mapping[str, list[tuple[str, str]]]:
    """Day and title of each decision, by the name of its page."""
    pages = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.md")) if path.name != "README.md"}
    return {name: ENTRY.findall(text) for name, text in pages.items()}


def index() -> str:
    """The list of all decisions, page by page."""
    lines = []
    for name, entries in decisions().items():
        about = (FOLDER / name).read_text("utf-8").partition("\n")[0].removeprefix("# Decisions on ")
        lines += [f"\n### [{name.removesuffix('.md')}]({name})\n", f"{about[0].upper()}{about[1:]}.\n"]
        lines += [filled(f"- {day} · {title}").replace("\n", "\n  ") for day, title in entries]
    return "\n".join(lines).strip("\n") + "\n"
