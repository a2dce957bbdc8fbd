"""A file without a name: memory that the processes of one service share, and that nobody else can reach."""

import os
import tempfile
from collections.abc import Callable
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any, Self


class NamelessFile:
    """An open file that goes to other processes of one service as they start.

    It has no name, so nobody can shorten, replace or delete it under the processes that map it, and it is gone with the
    last of them.
    """

    def __init__(self, file: int) -> None:
        """``file`` is an open descriptor."""
        self.file = file

    @classmethod
    def holding(cls, folder: Path, content: bytes | bytearray) -> Self:
        """A file on the disk of a folder. Raises ``OSError``.

        Every byte is written: a hole in the file would end a process with SIGBUS where the disk is full.
        """
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            rest = memoryview(content)
            while rest:
                rest = rest[file.write(rest) :]
            return cls(os.dup(file.fileno()))

    def __reduce__(self) -> tuple[Callable[[type["NamelessFile"], Any], "NamelessFile"], tuple[Any, ...]]:
        """For a process that is started without a fork."""
        return _received, (type(self), DupFd(self.file))

    def close(self) -> None:
        """Let go of the file."""
        os.close(self.file)


def _received(kind: type[NamelessFile], descriptor: Any) -> NamelessFile:  # noqa: ANN401  (multiprocessing names no type)
    return kind(descriptor.detach())
