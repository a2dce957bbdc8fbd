"""The position reached in a log file, which is recognized by its contents, whatever its name, gzipped or not."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal, cast

from citepress.base.errors import CitepressError
from citepress_telemetry.model import Imported

FINGERPRINT_BYTES = 4096
"""Bytes by which a file is recognized."""
SAMPLE = 65_536
"""Bytes from which the format is detected."""
MAX_LINE_BYTES = 65_536
"""Bytes of a line; a longer one is malformed."""
CHUNK = 1 << 20
NEVER = -(2**31)
"""Before every hour."""
GZIP = b"\x1f\x8b"
DAMAGES = (EOFError, zlib.error, gzip.BadGzipFile)
Standing = Literal["new", "goes on", "shorter", "different"]


class LogError(CitepressError):
    """A log cannot be read; the message names it."""


class ImportBusyError(CitepressError):
    """Another import writes to the same state folder."""


class AccessLog:
    """A file of lines; offsets count decompressed bytes."""

    def __init__(self, path: Path) -> None:
        """Read the beginning of the file. Raises ``LogError``."""
        self.path = path
        self._raw: BinaryIO | None = None
        self.damaged = False
        """Whether a compressed file is truncated."""
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
        self.key = hashlib.sha256(self.sample[:FINGERPRINT_BYTES]).digest(), min(len(self.sample), FINGERPRINT_BYTES)
        """The digest that identifies the file, and the number of bytes it covers."""
        self.start = 0
        """Where reading begins."""
        self.position = 0
        """Where the next unread line begins."""
        self.counted_until = 0
        """Lines before this offset were counted if their hour is not after ``last_hour``."""
        self.last_hour = NEVER
        self.changed = False
        """Whether lines were read since the cursor was last taken."""
        self.waiting: dict[int, int] = {}
        """Offset of the first line of each hour that is not counted yet."""
        self._hash = hashlib.sha256()

    def resume(self, standing: Sequence[Imported]) -> Standing:
        """Continue where the file was left, if one of these cursors belongs to it. Raises ``LogError``."""
        mine = [
            cursor
            for cursor in standing
            if cursor.head_size <= len(self.sample) and self._head(cursor.head_size) == cursor.head
        ]
        state: Standing = "new"
        for cursor in sorted(mine, key=lambda each: -each.head_size):
            state = self._proven(cursor)
            if state == "goes on":
                self.key = cursor.head, cursor.head_size
                self.start = self.position = cursor.first_uncounted
                self.counted_until, self.last_hour = cursor.position, cursor.last_hour
                break
        return state

    def lines(self) -> Iterator[bytes]:
        """Lines with their line ends, from ``start`` on; one without is part of a line that is too long, or the last.

        Raises ``LogError``.
        """
        try:
            with self._open() as stream:
                stream.seek(self.start)
                while line := stream.readline(MAX_LINE_BYTES):
                    yield line
        except DAMAGES:
            self.damaged = True
        except OSError as error:
            raise LogError(f"{self.path} cannot be read: {error.strerror or error}") from None

    def progress(self) -> int:
        """Bytes read from the disk."""
        return self.size if self._raw is None or self._raw.closed else self._raw.tell()

    def take(self, line: bytes) -> int:
        """Mark a line as read; return its offset."""
        start = self.position
        self._hash.update(line)
        self.position = start + len(line)
        self.changed = True
        return start

    def cursor(self, hour: int) -> Imported:
        """The position reached once everything up to ``hour`` is counted."""
        self.changed = False
        self.last_hour = max(self.last_hour, hour)
        self.waiting = {each: offset for each, offset in self.waiting.items() if each > self.last_hour}
        first = min(self.waiting.values(), default=self.position)
        return Imported(*self.key, self._hash.copy().digest(), self.position, first, self.last_hour)

    def _proven(self, cursor: Imported) -> Standing:
        """Whether the file holds what was counted under this cursor, byte for byte.

        Keeps the digest of the part that will not be read again.
        """
        digest = hashlib.sha256()
        try:
            with self._open() as stream:
                if not _hashed(stream, digest, cursor.first_uncounted):
                    return "shorter"
                before = digest.copy()
                if not _hashed(stream, digest, cursor.position - cursor.first_uncounted):
                    return "shorter"
        except DAMAGES:
            return "shorter"
        except OSError as error:
            raise LogError(f"{self.path} cannot be read: {error.strerror or error}") from None
        if digest.digest() != cursor.digest:
            return "different"
        self._hash = before
        return "goes on"

    def _head(self, size: int) -> bytes:
        return hashlib.sha256(self.sample[:size]).digest()

    def _read(self, stream: BinaryIO, size: int) -> bytes:
        """Up to so many bytes, or what can be read of a damaged file."""
        data = b""
        try:
            while len(data) < size and (more := stream.read(min(8192, size - len(data)))):
                data += more
        except DAMAGES:
            self.damaged = True
        return data

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
    """Hash so many more bytes; False if there are fewer."""
    while size > 0:
        chunk = stream.read(min(CHUNK, size))
        if not chunk:
            return False
        digest.update(chunk)
        size -= len(chunk)
    return True


def rounds(logs: Sequence[AccessLog]) -> list[list[AccessLog]]:
    """Divide logs into rounds without two that begin alike, the shortest first.

    Files that begin alike are copies of each other, or the same log after it has grown.
    """
    divided: list[list[AccessLog]] = []
    for log in sorted(logs, key=lambda each: each.key[1]):
        place = next((group for group in divided if not any(_alike(log, other) for other in group)), None)
        if place is None:
            divided.append([log])
        else:
            place.append(log)
    return divided


def _alike(log: AccessLog, other: AccessLog) -> bool:
    size = min(log.key[1], other.key[1])
    return log.sample[:size] == other.sample[:size]
