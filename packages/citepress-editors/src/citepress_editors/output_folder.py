"""Writes files into a folder that a user names."""

from collections.abc import Mapping
from pathlib import Path

from citepress.base.errors import CitepressError


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files by their paths in a folder, which is made where it is not there. Raises ``CitepressError``."""
    paths = [folder / name for name in files]
    try:
        for path, data in zip(paths, files.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CitepressError(f"{folder} cannot be written to: {reason}. Name another folder") from None
    return paths
