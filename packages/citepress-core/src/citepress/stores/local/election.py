"""Elects one aggregator, or one import, per host by a lock on a file in the state folder."""

import fcntl
import os
from pathlib import Path

AGGREGATOR_LOCK_FILE = "aggregator.lock"


class FileElection:
    """Elects one process of this host; the operating system releases the lock when its process ends."""

    def __init__(self, state: Path, name: str = AGGREGATOR_LOCK_FILE) -> None:
        """``state`` is the state folder, ``name`` that of the lock's file."""
        self._path = state / name
        self._file: int | None = None

    def won(self) -> bool:
        """Whether this process has the lock."""
        if self._file is not None:
            return True
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return False
        self._file = file
        return True

    def resign(self) -> None:
        """Release the lock."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
