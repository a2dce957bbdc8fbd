"""Values as compressed bytes: many of one sort, each of which shares the words of its structure with all others."""

import os
from collections.abc import Callable, Hashable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import NamedTuple

from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict, ZstdCompressor, ZstdDecompressor

PACKED_VALUES_COMPRESSION_LEVEL = 1


class FrameFile:
    """A file without a name that holds frames: forked processes share it, and would copy what lies in memory."""

    def __init__(self, folder: Path) -> None:
        """Begin it in a folder. Raises ``OSError``, as ``add`` does."""
        folder.mkdir(parents=True, exist_ok=True)
        self._file = TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115  (closed with its last frame)
        self.size = 0
        """Bytes that are written."""

    def __del__(self) -> None:
        """Close it with the last frame that names it."""
        self._file.close()

    def add(self, frame: bytes) -> "FiledFrame":
        """Write a frame."""
        filed = FiledFrame(self, self.size, len(frame))
        while frame:
            written = os.pwrite(self._file.fileno(), frame, self.size)
            self.size, frame = self.size + written, frame[written:]
        return filed

    def read(self, at: int, size: int) -> bytes:
        """What lies there."""
        return os.pread(self._file.fileno(), size, at)


class FiledFrame(NamedTuple):
    """Where a frame lies."""

    file: FrameFile
    at: int
    size: int

    def read(self) -> bytes:
        """The frame."""
        return self.file.read(self.at, self.size)


Frame = bytes | FiledFrame


class Codec:
    """Compresses values of one sort against the first of them, which has the names of all members."""

    def __init__(self, sample: bytes) -> None:
        """``sample`` is a value of the sort as bytes."""
        self.sample = sample
        dictionary = ZstdCompressionDict(sample, dict_type=DICT_TYPE_RAWCONTENT)
        self._lock = Lock()  # neither of the two may be used by two threads at once
        self._compressor = ZstdCompressor(PACKED_VALUES_COMPRESSION_LEVEL, dict_data=dictionary)
        self._decompressor = ZstdDecompressor(dict_data=dictionary)

    def __reduce__(self) -> tuple[Callable[[bytes], "Codec"], tuple[bytes]]:
        """Its sample makes the same codec in another process, once for all that it packed there."""
        return _codec, (self.sample,)

    def packed(self, data: bytes) -> bytes:
        """Data as one frame."""
        with self._lock:
            frame = self._compressor.compress(data)
        return bytes(memoryview(frame))  # a copy: the compressor's own result keeps the room of the longest frame

    def unpacked(self, frame: Frame) -> bytes:
        """The data of a frame."""
        data = frame if isinstance(frame, bytes) else frame.read()
        with self._lock:
            return self._decompressor.decompress(data)


class Packed:
    """A value as a frame."""

    __slots__ = ("codec", "frame")

    def __init__(self, sort: Hashable, data: bytes) -> None:
        self.codec = codec_of(sort, data)
        self.frame: Frame = self.codec.packed(data)

    def move(self, frames: FrameFile | None) -> None:
        """Keep the frame in a file from now on, where there is one."""
        if frames and isinstance(self.frame, bytes):
            self.frame = frames.add(self.frame)

    def data(self) -> bytes:
        """The value as bytes."""
        return self.codec.unpacked(self.frame)


@lru_cache
def _codec(sample: bytes) -> Codec:
    return Codec(sample)


_codecs: dict[Hashable, Codec] = {}


def codec_of(sort: Hashable, sample: bytes) -> Codec:
    """The codec of a sort of values; the first one that is packed is its sample."""
    return _codecs.get(sort) or _codecs.setdefault(sort, _codec(sample))
