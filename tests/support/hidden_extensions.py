"""Python processes in which extensions of this tree are not installed."""

import os
from collections.abc import Mapping
from pathlib import Path

HIDING = """\
import importlib.metadata, sys

hidden = {names!r}
installed = importlib.metadata.entry_points


def entry_points(**chosen):
    entries = installed(**chosen)
    if chosen.get("group") != "citepress.extensions":
        return entries
    return importlib.metadata.EntryPoints(entry for entry in entries if entry.name not in hidden)


importlib.metadata.entry_points = entry_points
sys.modules.update((f"citepress_{{name}}", None) for name in hidden)
"""


def environment_without(folder: Path, *names: str) -> Mapping[str, str]:
    """The environment of a process without these extensions; ``folder`` takes the file that hides them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(HIDING.format(names=names))
    paths = [os.fspath(folder), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
