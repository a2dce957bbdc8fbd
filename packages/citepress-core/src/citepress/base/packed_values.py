"""Values as compressed bytes: many of one sort, each of which shares the words of its structure with all others."""

from collections.abc import Hashable
from threading import Lock

from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict, ZstdCompressor, ZstdDecompressor

PACKED_VALUES_COMPRESSION_LEVEL = 1


class Codec:
    """Compresses values of one sort against the first of them, which has the names of all members."""

    def __init__(self, sample: bytes) -> None:
        """``sample`` is a value of the sort as bytes."""
        dictionary = ZstdCompressionDict(sample, dict_type=DICT_TYPE_RAWCONTENT)
        self._lock = Lock()  # neither of the two may be used by two threads at once
        self._compressor = ZstdCompressor(PACKED_VALUES_COMPRESSION_LEVEL, dict_data=dictionary)
        self._decompressor = ZstdDecompressor(dict_data=dictionary)

    def packed(self, data: bytes) -> bytes:
        """Data as one frame."""
        with self._lock:
            frame = self._compressor.compress(data)
        return bytes(memoryview(frame))  # a copy: the compressor's own result keeps the room of the longest frame

    def unpacked(self, frame: bytes) -> bytes:
        """The data of a frame."""
        with self._lock:
            return self._decompressor.decompress(frame)


_codecs: dict[Hashable, Codec] = {}


def codec_of(sort: Hashable, sample: bytes) -> Codec:
    """The codec of a sort of values; the first one that is packed is its sample."""
    return _codecs.get(sort) or _codecs.setdefault(sort, Codec(sample))
