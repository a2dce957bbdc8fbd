"""Folders that others see whole: with their former files or with the new ones, wherever a process is killed."""

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from citepress.base.cores import is_running
from citepress.base.shortage import writing_below

PART, FORMER = "part", "former"
"""Endings of the folders beside it that a process fills, and that it moves out of the way."""
MAX_ATTEMPTS = 100
"""How often another process may be faster."""


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """An empty folder that takes the place of another one once it is filled; where that fails the other one stays.

    Several processes may do so at once: the last one counts. Raises ``OSError``.
    """
    folder = folder.resolve()
    _clear_up(folder)
    part = _beside(folder, PART)
    try:
        with writing_below(folder):
            part.mkdir(parents=True)
            yield part
        _exchange(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def restore_folder(folder: Path) -> None:
    """Put back what a killed process had moved out of the way before it could put anything in its place."""
    _clear_up(folder.resolve())


def _exchange(part: Path, folder: Path) -> None:
    """Put a folder in the place of another. Between two renamings there is neither, which is microseconds."""
    former = _beside(folder, FORMER)
    for _ in range(MAX_ATTEMPTS):
        try:
            with suppress(FileNotFoundError):
                folder.rename(former)
            part.rename(folder)
        except BaseException as error:
            if not (isinstance(error, OSError) and error.errno in {errno.ENOTEMPTY, errno.EEXIST}):
                _put_back(former, folder)
                raise
        else:
            shutil.rmtree(former, ignore_errors=True)
            return
        # Another process was faster: what it put there counts, and what was there before does not any more.
        shutil.rmtree(former, ignore_errors=True)
    raise OSError(errno.EBUSY, "other processes keep writing it", str(folder))


def _put_back(former: Path, folder: Path) -> None:
    """Undo the first renaming. Where that fails the former files stay where they are: raises ``OSError``."""
    try:
        former.rename(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        reason = f"{error.strerror}; its former files are in {former}"
        raise OSError(error.errno, reason, str(folder)) from error


def _beside(folder: Path, ending: str) -> Path:
    return folder.with_name(f".{folder.name}.{os.getpid()}.{ending}")


def _clear_up(folder: Path) -> None:
    """Remove what processes left that have ended; a folder that nothing took the place of is put back."""
    if not folder.parent.is_dir():
        return
    left = re.compile(rf"\.{re.escape(folder.name)}\.(\d+)\.({PART}|{FORMER})")
    for path in sorted(folder.parent.iterdir()):
        name = left.fullmatch(path.name)
        if not name or (int(name[1]) != os.getpid() and is_running(int(name[1]))):
            continue
        if name[2] == FORMER and not folder.exists():
            path.rename(folder)
        else:
            shutil.rmtree(path, ignore_errors=True)
