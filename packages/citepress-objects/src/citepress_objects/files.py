"""A folder as an object store, on one machine or on a disk that several mount: ``file:///path``."""

import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, BinaryIO

from citepress.base.canonical import digest
from citepress_objects.port import ListedObject, ObjectMissingError, ObjectStoreError, SmallObject

FILE_PIECE_BYTES = 1 << 20
LOCK = ".lock"
"""File whose lock a publisher holds while it compares an object with its tag and replaces it."""


class FileObjects:
    """Implements ``ObjectStore``; every object appears under its name only when it is whole."""

    def __init__(self, root: Path, target: str) -> None:
        """``root`` is created by the first write; ``target`` is how the operator wrote it."""
        self.target = target
        self._root = root

    def get(self, name: str, most: int, tag: str | None = None) -> SmallObject | None:
        """An object; see the port."""
        with self._failing(name), _regular(self._root / name) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise ObjectStoreError(f"{name} of {self.target} is larger than {most:,} bytes")
        now = digest(data)
        return None if now == tag else SmallObject(data, now)

    def download(self, name: str, size: int) -> Iterator[bytes]:
        """The bytes of an object; see the port."""
        with self._failing(name), _regular(self._root / name) as file:
            while piece := file.read(min(FILE_PIECE_BYTES, size + 1)):
                yield piece

    def size(self, name: str) -> int | None:
        """The size of an object; see the port."""
        try:
            with self._failing(name):
                return (self._root / name).stat().st_size
        except ObjectMissingError:
            return None

    def upload(self, name: str, file: Path) -> None:
        """Store a file; see the port."""

        def fill(part: IO[bytes]) -> None:
            with file.open("rb") as source:
                shutil.copyfileobj(source, part, FILE_PIECE_BYTES)

        with self._failing(name):
            self._put(name, fill)

    def create(self, name: str, data: bytes) -> bool:
        """Store an object unless there is one; see the port."""
        with self._failing(name), self._locked():
            if (self._root / name).exists():
                return False
            self._put(name, lambda part: part.write(data))
        return True

    def replace(self, name: str, data: bytes, tag: str | None) -> bool:
        """Store an object over a known state; see the port."""
        path = self._root / name
        with self._failing(name), self._locked():
            now = None
            if path.exists():
                with _regular(path) as file:
                    now = digest(file.read())
            if now != tag:
                return False
            self._put(name, lambda part: part.write(data))
        return True

    def listing(self, folder: str) -> Iterator[ListedObject]:
        """The objects of a folder; see the port."""
        with self._failing(folder):
            for path in sorted((self._root / folder).rglob("*")):
                if path.is_file() and not path.name.startswith("."):
                    state = path.stat()
                    modified = datetime.fromtimestamp(state.st_mtime, UTC)
                    yield ListedObject(path.relative_to(self._root).as_posix(), state.st_size, modified)

    def delete(self, name: str) -> None:
        """Remove an object; see the port."""
        with self._failing(name):
            (self._root / name).unlink(missing_ok=True)

    def _put(self, name: str, fill: Callable[[IO[bytes]], object]) -> None:
        """Write an object beside its place, and give it its name when it is on the disk."""
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as part:
            try:
                fill(part)
                part.flush()
                os.fsync(part.fileno())
                Path(part.name).chmod(0o644)  # whoever serves the edition may be another user
                Path(part.name).replace(path)
            except BaseException:
                Path(part.name).unlink(missing_ok=True)
                raise

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """No other publisher writes under a condition meanwhile; the system frees the lock of one that is killed."""
        self._root.mkdir(parents=True, exist_ok=True)
        lock = os.open(self._root / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    @contextmanager
    def _failing(self, name: str) -> Iterator[None]:
        """What the system refuses, as the port names it."""
        try:
            yield
        except FileNotFoundError:
            raise ObjectMissingError(f"{self.target} has no {name}") from None
        except OSError as error:
            raise ObjectStoreError(f"{name} of {self.target}: {error.strerror or error}") from error


def _regular(path: Path) -> BinaryIO:
    """A file opened for reading; a pipe in its place would wait for a writer without end. Raises ``OSError``."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.fdopen(descriptor, "rb")
