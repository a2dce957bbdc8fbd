"""Whether the Git history of a folder has become another, found out by a few small files: Git is asked only then."""

import os
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from citepress.content.git_dates import GitError, history_state, repository_above

SMALL = 4096
"""Bytes that are read of a file that holds one line."""
LINKS = 5
"""References that one reference may lead through."""
WHOLE = ("packed-refs", "shallow", "reftable/tables.list")
"""Files that hold many references, or say that a part of the history is missing."""
_Stamp: TypeAlias = tuple[int, int, int] | None
HistoryMark: TypeAlias = tuple[str, tuple[_Stamp, ...]]


class HistoryWatch:
    """Follows the history of one folder: of its repository, or of the one around it."""

    def __init__(self, root: Path) -> None:
        """From now on."""
        self._root = root.resolve()
        self._mark = history_mark(self._root)
        self._history: str | None = None
        """Of the last change, where it could be read; a watch that has met none asks Git nothing."""

    def has_changed(self) -> bool:
        """Whether the folder has another history than when this was asked last; the first time it may be the same.

        A history that cannot be read counts as another one: whoever reads it then says why.
        """
        if (mark := history_mark(self._root)) == self._mark:
            return False
        self._mark, before = mark, self._history
        try:
            self._history = history_state(self._root)
        except GitError:
            self._history = None
        return self._history is None or self._history != before


def history_mark(root: Path) -> HistoryMark:
    """What changes with every commit: a handful of files are looked at, none of them long."""
    repository = repository_above(root)
    if repository is None:
        return "", ()
    own = _led(repository, "gitdir:") if repository.is_file() else repository
    common = _led(own / "commondir") if _is_file(own / "commondir") else own
    head = _line(own / "HEAD")
    stamps, line = [_stamp(own / "HEAD")], head
    for _ in range(LINKS):
        name = line.removeprefix("ref:").strip()
        if name == line or ".." in PurePosixPath(name).parts or name.startswith("/"):
            break
        place = next((folder / name for folder in (own, common) if _is_file(folder / name)), common / name)
        stamps.append(_stamp(place))
        line = _line(place)
    return f"{repository}\n{head}\n{line}", (*stamps, *(_stamp(common / name) for name in WHOLE))


def _is_file(path: Path) -> bool:
    """Whether there is a file; ``Path.is_file`` raises errors where a path is too long or may not be followed."""
    return os.path.isfile(path)  # noqa: PTH113


def _led(file: Path, key: str = "") -> Path:
    """The folder that a file of a worktree or submodule leads to; there may be none."""
    return file.parent / _line(file).removeprefix(key).strip()


def _line(file: Path) -> str:
    """The text of a small file; empty where it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(SMALL).decode("utf-8", "surrogateescape").strip()
    except (OSError, ValueError):  # of a path that no file can have
        return ""


def _stamp(file: Path) -> _Stamp:
    try:
        state = file.stat()
    except (OSError, ValueError):
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size
