"""One process at a time in a folder: a lock that the operating system releases when its holder ends."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from citepress.base import clock
from citepress.base.errors import CitepressError

LOCK_FILE = "process.lock"
WATCHING = "watching"
"""The purpose of a service that follows its content."""
LOOK_S = 0.1
"""Seconds between two attempts to take a lock."""


class FolderLockError(CitepressError):
    """The lock cannot be taken; the message names the process that holds it, or says why it cannot be written."""


@contextmanager
def exclusive(folder: Path, wait_s: float, waiting: Callable[[str], object], purpose: str = "") -> Iterator[None]:
    """Hold the lock of a folder, which is created if it is missing; ``purpose`` is for ``lock_purpose``.

    ``waiting`` is called once, with the holder, if the lock is not free at once. Raises ``FolderLockError`` when it
    is still held after ``wait_s`` seconds.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise FolderLockError(f"{folder} cannot be written: {error.strerror}") from None
    # A forked worker must not hold the lock after its parent has ended: it only reads what the parent wrote.
    held = _ParentOnly(file)
    try:
        _take(file, folder, wait_s, waiting)
        # The process id is only for the message to whoever waits; the lock itself is what counts.
        os.ftruncate(file, 0)
        os.pwrite(file, "".join(f"{line}\n" for line in (os.getpid(), purpose) if line).encode(), 0)
        yield
    finally:
        held.close()


def lock_purpose(folder: Path) -> str | None:
    """What the lock of a folder is held for, as its holder says; ``None`` where no process holds it."""
    try:
        with (folder / LOCK_FILE).open("rb") as opened:
            try:
                fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return opened.read(200).decode("ascii", "replace").partition("\n")[2].strip()
    except OSError:
        return None
    return None


class _ParentOnly:
    """A file descriptor that is closed in every process forked from this one."""

    def __init__(self, file: int) -> None:
        self._file: int | None = file
        os.register_at_fork(after_in_child=self.close)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _take(file: int, folder: Path, wait_s: float, waiting: Callable[[str], object]) -> None:
    until, announced = clock.seconds() + wait_s, False
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if clock.seconds() >= until:
                sentence = f"{folder} is in use by {_holder(file)}: stop it, or choose another folder with --state"
                raise FolderLockError(sentence) from None
        else:
            return
        if not announced:
            waiting(_holder(file))
            announced = True
        time.sleep(LOOK_S)


def _holder(file: int) -> str:
    """The process whose number is in the file."""
    number = os.pread(file, 20, 0).decode("ascii", "replace").partition("\n")[0].strip()
    return f"process {number}" if number.isdecimal() else "another process"
