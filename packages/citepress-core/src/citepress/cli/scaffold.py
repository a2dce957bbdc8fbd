"""Writes new files of a content folder, with what extensions have for them."""

from collections.abc import Mapping
from pathlib import Path

from citepress.base.errors import CitepressError
from citepress.hooks import results


def write_scaffold(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their paths. Raises ``CitepressError``, an extension's before the first one."""
    for _, more in results("scaffolds", Mapping, folder, files):
        files = {**files, **more}
    write_files(folder, files)


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files by their paths in a folder, which is made where it is not there. Raises ``CitepressError``.

    A link in a stranger's archive must not lead to a file elsewhere.
    """
    paths = [folder / name for name in files]
    try:
        if outside := [path for path in paths if not path.resolve().is_relative_to(folder.resolve())]:
            raise CitepressError(f"{outside[0]} leads out of {folder} by a symlink: remove the symlink")
        for path, data in zip(paths, files.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except (OSError, RuntimeError) as error:  # links that lead in a circle are a RuntimeError up to Python 3.12
        reason = getattr(error, "strerror", None) or str(error)
        raise CitepressError(f"{folder} cannot be written to: {reason}. Name another folder") from None
    return paths
