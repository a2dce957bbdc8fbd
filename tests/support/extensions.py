"""Extensions that are installed for one process, or hidden from it."""

import sys
from pathlib import Path

DECLARATION = "from citepress.extension import Command, Extension\n\nEXTENSION = Extension(name={name!r}{parts})\n"


HIDING = """
import importlib.metadata as metadata
every = metadata.entry_points
metadata.entry_points = lambda **by: (
    metadata.EntryPoints(entry for entry in every(**by) if entry.name not in {names!r})
    if by == {{"group": "citepress.extensions"}}
    else every(**by)
)
from citepress.cli import main
main()
"""


def program_without(*names: str) -> tuple[str, ...]:
    """How the command line of ``citepress`` begins where these extensions are not installed."""
    return (sys.executable, "-c", HIDING.format(names=names))


def install(folder: Path, name: str, parts: str = "", **modules: str) -> Path:
    """Write the extension ``name`` as the package ``<name>_extension`` of a distribution ``<name>-extension``.

    The folder is for ``PYTHONPATH``. ``parts`` are further arguments of ``Extension``, as Python text; ``modules`` are
    the texts of its modules.
    """
    package = folder / f"{name}_extension"
    package.mkdir(parents=True)
    texts = {"__init__": "", "extension": DECLARATION.format(name=name, parts=parts and f", {parts}"), **modules}
    for module, text in texts.items():
        (package / f"{module}.py").write_text(text, "utf-8")
    metadata = folder / f"{name}_extension-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-extension\nVersion: 1.0\n", "utf-8")
    entry = f"[citepress.extensions]\n{name} = {name}_extension.extension:EXTENSION\n"
    (metadata / "entry_points.txt").write_text(entry, "utf-8")
    return folder
