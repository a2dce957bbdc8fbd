"""Extensions that are installed for one process: a folder with a package and its metadata, for ``PYTHONPATH``."""

import os
import subprocess
import sys
from pathlib import Path

from support.commands import without_settings
from support.tree import ROOT

DECLARATION = (
    "from citepress.extension import Command, Extension, FrontPart\n\nEXTENSION = Extension(name={name!r}{parts})\n"
)


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


def run_with(library: Path, *words: str, code: str = "") -> subprocess.CompletedProcess[str]:
    """A command, or a line of Python, with the extensions of a folder installed."""
    environment = without_settings(os.environ) | {"PYTHONPATH": f"{library}{os.pathsep}{ROOT / 'tests'}"}
    program = ["-c", code] if code else ["-m", "citepress", *words]
    return subprocess.run(
        [sys.executable, *program], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
