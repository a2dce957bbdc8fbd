"""Writes new files of a content folder, with what extensions have for them."""

from collections.abc import Mapping
from pathlib import Path

from citepress.hooks import results


def write_scaffold(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their paths. Raises ``ExtensionError`` before the first one."""
    for _, more in results("scaffolds", Mapping, folder, files):
        files = {**files, **more}
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
