"""Errors of writing where no room is left: on which file system, or under which limit."""

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The errors of a disk, a quota or a limit on the size of files that is used up."""


@contextmanager
def writing_below(folder: Path) -> Iterator[None]:
    """Name the folder in errors of a full disk: those of writing to an open file name no place."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL and error.filename is None:
            error.filename = str(folder)
        raise


def about_full_disk(error: OSError) -> str:
    """A sentence on an error of ``FULL``: what is used up, where, and what to do."""
    where = f" at {error.filename}" if error.filename else ""
    if error.errno == errno.EFBIG:
        return f"{error.strerror}{where}: {_about_size()}"
    system = f" on the file system of {_mount_point(Path(os.fsdecode(error.filename)))}" if error.filename else ""
    return f"{error.strerror}{where}: make room{system}"


def _about_size() -> str:
    """Why a file cannot grow."""
    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if limit == resource.RLIM_INFINITY:
        return "the file system holds no larger file; choose another one"
    return f"this process may write no file of more than {limit:,} bytes; raise that limit (ulimit -f)"


def _mount_point(path: Path) -> Path:
    """Where the file system is mounted that holds a path, or would hold it."""
    place = path.absolute()
    while not place.exists():
        place = place.parent
    place = place.resolve()
    while not place.is_mount() and place != place.parent:
        place = place.parent
    return place
