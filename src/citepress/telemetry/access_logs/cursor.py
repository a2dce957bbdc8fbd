"""One log file as far as it was counted: found again by what it holds, whatever it is called now, gzipped or not."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal, cast

from citepress.base.errors import CitepressError
from citepress.telemetry.ports import Imported

HEAD = 4096
"""Bytes by which a file is found again."""
SAMPLE = 65_536
"""Bytes that are looked at to tell the format."""
LONGEST = 65_536
"""A longer line is malformed."""
CHUNK = 1 << 20
NEVER = -(2**31)
"""Before every hour."""
GZIP = b"\x1f\x8b"
DAMAGES = (EOFError, zlib.error, gzip.BadGzipFile)
Standing = Literal["new", "goes on", "shorter", "different"]


class LogError(CitepressError):
    """A log cannot be read; the sentence names it."""


class ImportBusyError(CitepressError):
    """Another import writes to the same state folder."""


class AccessLog:
    """A file of lines; offsets are of the bytes as they are when decompressed."""

    def __init__(self, path: Path) -> None:
        """Read how it begins. Raises ``LogError``."""
        self.path = path
        self._raw: BinaryIO | None = None
        self.damaged = False
        """Whether a compressed file ended before its end."""
        try:
            with path.open("rb") as file:
                self.compressed = file.read(2) == GZIP
                file.seek(0, io.SEEK_END)
                self.size = file.tell()
                """Bytes on the disk."""
            with self._open() as stream:
                self.sample = self._read(stream, SAMPLE)
        except OSError as error:
            raise LogError(f"{path} cannot be read: {error.strerror or error}") from None
        self.key = hashlib.sha256(self.sample[:HEAD]).digest(), min(len(self.sample), HEAD)
        """The digest that finds the file again, and of how many bytes it is."""
        self.start = 0
        """Where reading begins."""
        self.position = 0
        """Where the next line begins that was not taken."""
        self.counted_until = 0
        """Lines before this offset are counted if their hour is not after ``last_hour``."""
        self.last_hour = NEVER
        self.changed = False
        """Whether lines were taken since the cursor was told."""
        self.waiting: dict[int, int] = {}
        """Offset of the first line of each hour that is not counted yet."""
        self._hash = hashlib.sha256()

    def resume(self, standing: Sequence[Imported]) -> Standing:
        """Go on where the file was left, if one of these cursors is its own. Raises ``LogError``."""
        mine = [one for one in standing if one.head_size <= len(self.sample) and self._head(one.head_size) == one.head]
        found: Standing = "new"
        for one in sorted(mine, key=lambda each: -each.head_size):
            found = self._proven(one)
            if found == "goes on":
                self.key = one.head, one.head_size
                self.start = self.position = one.first_uncounted
                self.counted_until, self.last_hour = one.position, one.last_hour
                break
        return found

    def lines(self) -> Iterator[bytes]:
        """Lines with their ends, from ``start`` on; what has none is a piece of a line that is too long, or the last. Raises ``LogError``."""
        try:
            with self._open() as stream:
                stream.seek(self.start)
                while line := stream.readline(LONGEST):
                    yield line
        except DAMAGES:
            self.damaged = True
        except OSError as error:
            raise LogError(f"{self.path} cannot be read: {error.strerror or error}") from None

    def progress(self) -> int:
        """Bytes read from the disk."""
        return self.size if self._raw is None or self._raw.closed else self._raw.tell()

    def take(self, line: bytes) -> int:
        """Count a line as read; give its offset."""
        start = self.position
        self._hash.update(line)
        self.position = start + len(line)
        self.changed = True
        return start

    def cursor(self, hour: int) -> Imported:
        """How far it is counted, once everything up to ``hour`` is."""
        self.changed = False
        self.last_hour = max(self.last_hour, hour)
        self.waiting = {each: offset for each, offset in self.waiting.items() if each > self.last_hour}
        first = min(self.waiting.values(), default=self.position)
        return Imported(*self.key, self._hash.copy().digest(), self.position, first, self.last_hour)

    def _proven(self, one: Imported) -> Standing:
        """Whether the file holds what was counted under this cursor, byte for byte; keeps the digest of what will not be read again."""
        digest = hashlib.sha256()
        try:
            with self._open() as stream:
                if not _hashed(stream, digest, one.first_uncounted):
                    return "shorter"
                before = digest.copy()
                if not _hashed(stream, digest, one.position - one.first_uncounted):
                    return "shorter"
        except DAMAGES:
            return "shorter"
        except OSError as error:
            raise LogError(f"{self.path} cannot be read: {error.strerror or error}") from None
        if digest.digest() != one.digest:
            return "different"
        self._hash = before
        return "goes on"

    def _head(self, size: int) -> bytes:
        return hashlib.sha256(self.sample[:size]).digest()

    def _read(self, stream: BinaryIO, size: int) -> bytes:
        """Up to so many bytes; what can be had of a damaged file."""
        found = b""
        try:
            while len(found) < size and (more := stream.read(min(8192, size - len(found)))):
                found += more
        except DAMAGES:
            self.damaged = True
        return found

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        with self.path.open("rb") as raw:
            self._raw = raw
            if self.compressed:
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield cast("BinaryIO", unpacked)
            else:
                yield raw


def _hashed(stream: BinaryIO, digest: "hashlib._Hash", size: int) -> bool:
    """Hash so many bytes more; False where there are fewer."""
    while size > 0:
        chunk = stream.read(min(CHUNK, size))
        if not chunk:
            return False
        digest.update(chunk)
        size -= len(chunk)
    return True


def rounds(logs: Sequence[AccessLog]) -> list[list[AccessLog]]:
    """Files that begin alike are copies of each other or the same grown: each goes into a round of its own, the shortest first."""
    found: list[list[AccessLog]] = []
    for log in sorted(logs, key=lambda each: each.key[1]):
        place = next((one for one in found if not any(_alike(log, other) for other in one)), None)
        if place is None:
            found.append([log])
        else:
            place.append(log)
    return found


def _alike(one: AccessLog, other: AccessLog) -> bool:
    size = min(one.key[1], other.key[1])
    return one.sample[:size] == other.sample[:size]
