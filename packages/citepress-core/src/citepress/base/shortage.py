"""What a machine has run out of, in a sentence: room, memory, processes or open files."""

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from citepress.base.errors import CitepressError

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The errors of a disk, a quota or a limit on the size of files that is used up."""
NO_MEMORY = "not enough memory: free some, or raise the limit of this process"
NO_PROCESS = "no further process or thread can be started: free memory, or raise the limit of this user (ulimit -u)"
NO_FILE = "too many files are open: raise the limit of this process (ulimit -n)"
_BY_NUMBER = {
    errno.ENOMEM: NO_MEMORY,
    errno.EAGAIN: NO_PROCESS,  # of a fork
    errno.EMFILE: NO_FILE,
    errno.ENFILE: NO_FILE,
}
_BY_WORDS = {
    "failed to map segment": NO_MEMORY,
    "cannot allocate memory": NO_MEMORY,
    "error return without exception set": NO_MEMORY,
    "can't start new thread": NO_PROCESS,
    "failed to spawn": NO_PROCESS,
    "(os error 12)": NO_MEMORY,
    "(os error 24)": NO_FILE,
    "(os error 28)": "No space left on device: make room",
}
"""What the interpreter, which had no memory for the error itself, the loader of libraries and the libraries say."""


@contextmanager
def writing_below(folder: Path) -> Iterator[None]:
    """Name the folder in errors of a full disk: those of writing to an open file name no place."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL and error.filename is None:
            error.filename = str(folder)
        raise


def _about_full_disk(error: OSError) -> str:
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


def about_shortage(error: BaseException | None) -> str:
    """What is used up and what to do, where that led to an error; empty for one of any other cause."""
    while error is not None:
        if said := _about(error):
            return said
        error = error.__cause__
    return ""


def _about(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return NO_MEMORY
    if isinstance(error, OSError):
        return _about_full_disk(error) if error.errno in FULL else _BY_NUMBER.get(error.errno or 0, "")
    if isinstance(error, CitepressError):
        return ""  # it explains itself
    words = str(error).lower()
    return next((said for fragment, said in _BY_WORDS.items() if fragment in words), "")
