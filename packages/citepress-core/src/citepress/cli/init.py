"""``citepress init``: a content folder that passes ``check``, and the commands that come next."""

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from citepress.base import clock
from citepress.base.timestamps import day
from citepress.cli.console import answer, complain
from citepress.cli.scaffold import write_scaffold
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
        archive (records of the main kinds), notes (field notes only) or minimal (one note, no settings).
    json
        Print JSON.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        complain(f"{folder} is not empty; choose a new folder")
        return 1
    title = folder.resolve().name.replace("-", " ").replace("_", " ").strip().capitalize() or "New archive"
    marks = {TODAY: day(clock.now()), TITLE_MARK: title.replace('"', "'")}
    files: dict[str, bytes] = {}
    for package in ("citepress.cli", *(source.extension.starters for source in installed_with(("starters",)))):
        if (starter := resources.files(package) / "starters" / template).is_dir():
            files |= _copied(starter, "", marks)
    folder.mkdir(parents=True, exist_ok=True)
    write_scaffold(folder, files)
    more = f"citepress new posts my-first-note --content {folder}"
    if template == "minimal":
        more = "add more .md files next to the first"
    steps = [f"citepress check {folder}", f"citepress serve {folder} --watch", more]
    text = "\n  ".join([f"{folder} is ready. Next:", *steps])
    answer(text, {"folder": str(folder), "template": template, "next": steps}, as_json=json)
    return 0


def _copied(source: Traversable, above: str, marks: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """The files of a starter by path; a leading ``dot-`` of a name stands for the dot that packaging would lose."""
    for item in source.iterdir():
        path = above + (item.name.replace("dot-", ".", 1) if item.name.startswith("dot-") else item.name)
        if item.is_dir():
            if item.name != "__pycache__":
                yield from _copied(item, f"{path}/", marks)
            continue
        text = item.read_text("utf-8")
        for mark, value in marks.items():
            text = text.replace(mark, value)
        yield path, text.encode()
