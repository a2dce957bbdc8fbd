"""Static exports of small archives."""

from collections.abc import Mapping
from pathlib import Path

from citepress.cli import run
from support.folder import folder


def exported(path: Path, files: Mapping[str, str | bytes], *options: str) -> Path:
    """The folder of an export of these files, made under ``path``."""
    content, output, state = folder(path / "site", files), path / "dist", path / "state"
    assert run(["build", str(content), "--output", str(output), "--state", str(state), *options]) == 0
    return output
