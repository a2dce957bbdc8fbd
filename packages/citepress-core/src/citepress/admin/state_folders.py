"""The state folder, and its folders that hold what cannot be built again, besides its databases."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from citepress.base.restore_mark import refuse_unfinished

OTHERS_MODE = 0o077
"""The permissions of everybody but the owner of a file."""
EXPORT = "export"
"""The edition of ``citepress build``."""
PUBLISHED_FOLDER = "publish"
"""The edition of ``citepress publish``, and what hubs and search engines were told of."""


def prepare(state: Path) -> None:
    """Create the state folder where it is missing, and keep it out of Git: it holds keys and what visitors sent.

    Raises ``UnfinishedRestoreError``.
    """
    refuse_unfinished(state)
    ignore = state / ".gitignore"
    with suppress(OSError):  # whoever has to write there says why nobody can
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not ignore.exists():
            ignore.write_text("*\n", "utf-8")


def keep_private(state: Path, root: Path) -> None:
    """Take the state folder away from everybody but its owner, and let this process create files for itself alone.

    It holds drafts, keys and what visitors sent. A folder that others use too, or that is the content folder itself,
    stays as it is.
    """
    os.umask(OTHERS_MODE)
    with suppress(OSError):
        if state.stat().st_mode & stat.S_ISVTX or state.samefile(root):
            return
        _tighten(state)
        for folder, folders, files in os.walk(state):
            for name in (*folders, *files):
                _tighten(Path(folder, name))


def _tighten(path: Path) -> None:
    with suppress(OSError):  # somebody else's, or gone meanwhile
        mode = path.lstat().st_mode
        if mode & OTHERS_MODE and not stat.S_ISLNK(mode):
            path.chmod(stat.S_IMODE(mode) & ~OTHERS_MODE)
