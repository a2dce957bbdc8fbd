"""A file that entries are only ever added to: an entry that a killed process left half written is cut off."""

import mmap
import os
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from zlib import crc32

from citepress.base.errors import CitepressError
from citepress.base.replaced_file import replace_file
from citepress.base.shortage import writing_below

_HEAD = struct.Struct("<II")
"""Length and CRC-32 of the entry that follows."""
MAX_ENTRY_BYTES = 16_777_216
"""Bytes of one entry."""


class DamagedLogError(CitepressError):
    """An entry that was on the disk cannot be read; the message names the file and the place."""


class AppendLog:
    """Entries of bytes in the order in which they were added. Whoever adds must be the only one who does."""

    def __init__(self, path: Path, *, measured: bool = False) -> None:
        """``path`` need not exist yet. ``measured``: a file beside it says how long it was when its entries were safe.

        So that a log that loses its end is told from one whose writer was killed.
        """
        self.path = path
        self._size_file = path.with_suffix(".size") if measured else None
        self._end = 0

    def more(self) -> Iterator[tuple[int, bytes]]:
        """Place and bytes of each entry behind those that were read or added before. Raises ``DamagedLogError``."""
        noted = self._noted()  # before the log is read: another process may add to both meanwhile
        yield from self._readable()
        if noted > self._end:
            raise self._shortened(self._end, noted)

    def _readable(self) -> Iterator[tuple[int, bytes]]:
        try:
            with self.path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size < self._end and self._size_file:
                    raise self._shortened(size, self._end)
                if size <= self._end:
                    return
                with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as data:
                    while entry := self._entry(data, size):
                        at, self._end = self._end, self._end + _HEAD.size + len(entry)
                        yield at, entry
        except FileNotFoundError:
            if self._end and self._size_file:
                raise self._shortened(0, self._end) from None

    def _noted(self) -> int:
        """How long the log was when its last entries were safe; 0 where that was not noted."""
        try:
            text = self._size_file.read_bytes() if self._size_file else b""
        except FileNotFoundError:
            return 0
        return int(text) if text.isdigit() else 0

    def _entry(self, data: mmap.mmap, size: int) -> bytes | None:
        """The entry at the end of those that were read; ``None`` where none is whole."""
        begin = self._end + _HEAD.size
        if begin > size:
            return None
        length, check = _HEAD.unpack_from(data, self._end)
        if begin + length > size:
            if self._is_followed(data, begin, size):
                raise self._damage()
            return None  # it was being written when a process ended
        entry = data[begin : begin + length]
        if length and crc32(entry) == check:
            return entry
        if begin + length == size or not any(data[self._end : size]):
            return None  # the last one: its blocks were not all written before the machine went down
        raise self._damage()

    def _is_followed(self, data: mmap.mmap, begin: int, size: int) -> bool:
        """Whether a whole entry lies behind this place: then the length before it is damaged, and not cut short."""
        for at in range(begin, min(begin + MAX_ENTRY_BYTES, size - _HEAD.size)):
            length, check = _HEAD.unpack_from(data, at)
            start = at + _HEAD.size
            if 0 < length <= size - start and crc32(data[start : start + length]) == check:
                return True
        return False

    def _damage(self) -> DamagedLogError:
        return DamagedLogError(f"{self.path} is damaged at byte {self._end:,}: {self._remedy()}")

    def _shortened(self, end: int, written: int) -> DamagedLogError:
        return DamagedLogError(f"{self.path} ends at byte {end:,} of {written:,} that were written: {self._remedy()}")

    def _remedy(self) -> str:
        beside = f", with {self._size_file.name}" if self._size_file else ""
        return f"restore it from a backup, or remove it{beside}"

    def read(self, at: int) -> bytes:
        """The entry at a place. Raises ``LookupError`` where there is none any more."""
        try:
            with self.path.open("rb") as file:
                file.seek(at)
                length, check = _HEAD.unpack(file.read(_HEAD.size))
                entry = file.read(min(length, MAX_ENTRY_BYTES))
        except (OSError, struct.error) as error:
            raise LookupError(f"{self.path} cannot be read: {error}") from error
        if crc32(entry) != check:
            raise LookupError(f"{self.path} holds no entry at byte {at:,}")
        return entry

    def add(self, entries: Iterable[bytes]) -> None:
        """Add entries behind those that were read, and wait until they are on the disk. Raises ``OSError``.

        Whatever lies behind those is cut off, so all entries must have been read before.
        """
        written = b"".join(_HEAD.pack(len(entry), crc32(entry)) + entry for entry in entries)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            os.ftruncate(file, self._end)
            view = memoryview(written)
            at = self._end
            with writing_below(self.path):
                while view:
                    count = os.pwrite(file, view, at)
                    at, view = at + count, view[count:]
                os.fsync(file)
        finally:
            os.close(file)
        if self._size_file:
            replace_file(self._size_file, b"%d" % at, durable=True)
