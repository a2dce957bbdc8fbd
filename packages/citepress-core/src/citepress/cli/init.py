"""``citepress init``: a content folder that passes ``check``, and the commands that come next."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from citepress.base import clock
from citepress.base.timestamps import day
from citepress.cli.console import answer, complain
from citepress.extension import installed_with

Template = Literal["archive", "notes", "minimal"]
Json = bool
TODAY, TITLE_MARK = "{{today}}", "{{title}}"
"""Marks in the starter files."""


def init(folder: Path = Path(), /, *, template: Template = "archive", json: Json = False) -> int:
    """Create a content folder.

    Parameters
    ----------
    folder
        The folder to create; it must be new or empty.
    template
        archive (every folder, one linked record of the main kinds), notes (field notes only) or minimal (one note,
        no settings).
    json
        Print JSON.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        complain(f"{folder} is not empty; choose a new folder")
        return 1
    title = folder.resolve().name.replace("-", " ").replace("_", " ").strip().capitalize() or "New archive"
    marks = {TODAY: day(clock.now()), TITLE_MARK: title.replace('"', "'")}
    for package in ("citepress.cli", *(source.extension.starters for source in installed_with(("starters",)))):
        if (starter := files(package) / "starters" / template).is_dir():
            _copy(starter, folder, marks)
    more = f"citepress new posts my-first-note --content {folder}"
    if template == "minimal":
        more = "add more .md files next to the first"
    steps = [f"citepress check {folder}", f"citepress serve {folder} --watch", more]
    text = "\n  ".join([f"{folder} is ready. Next:", *steps])
    answer(text, {"folder": str(folder), "template": template, "next": steps}, as_json=json)
    return 0


def _copy(source: Traversable, target: Path, marks: dict[str, str]) -> None:
    """Copy a starter; a leading ``dot-`` of a name stands for the dot that packaging would lose."""
    target.mkdir(parents=True, exist_ok=True)
    for item in source.iterdir():
        name = item.name.replace("dot-", ".", 1) if item.name.startswith("dot-") else item.name
        if item.is_dir():
            if item.name != "__pycache__":
                _copy(item, target / name, marks)
            continue
        text = item.read_text("utf-8")
        for mark, value in marks.items():
            text = text.replace(mark, value)
        (target / name).write_text(text, "utf-8")
