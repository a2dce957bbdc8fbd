"""A part of a file that is read when it is needed, in pieces, and never lies in memory as a whole."""

from collections.abc import Callable
from typing import TypeAlias


class FilePart:
    """Bytes of a file, by length and by slice; ``bytes`` reads them."""

    __slots__ = ("_at", "_read", "_size")

    def __init__(self, read: Callable[[int, int], bytes], at: int, size: int) -> None:
        """``read`` gives the bytes at an offset, so many of them, or raises an error."""
        self._read, self._at, self._size = read, at, size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> "FilePart":
        start, stop, _ = part.indices(self._size)
        return FilePart(self._read, self._at + start, max(0, stop - start))

    def __bytes__(self) -> bytes:
        return self._read(self._at, self._size)


StoredBody: TypeAlias = bytes | FilePart
"""A body in memory, or one that is too large for it."""
