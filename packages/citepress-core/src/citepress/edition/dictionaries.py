"""Compression of stored leaves: Zstandard, with a dictionary for each route that has many of them.

Pages of one route share most of their bytes (head, navigation, member names). A page of 13 KB takes 3.7 KB without a
dictionary and 1.3 KB with one, in a tenth of the time that brotli takes.
"""

import hashlib
import struct
import threading
from collections.abc import Sequence
from functools import cached_property

import zstandard

DICTIONARIES_COMPRESSION_LEVEL = 3
DICTIONARY_BYTES = 110 * 1024
SAMPLES = 200
"""Leaves of a route that its dictionary is trained on. More of them take time and save no byte."""
SEGMENT_BYTES, MATCHED_BYTES, HASH_BITS = 2048, 8, 18
"""How the library chooses what stands in a dictionary. Left to itself it tries five sizes of segments and compresses
all samples with each: that takes nine times as long, for a dictionary that saves no more."""
MIN_DICTIONARY_SAMPLES = 100
"""Below this number a dictionary would take more room than it saves."""
NO_DICTIONARY = 0
"""The number that stands for no dictionary."""
SHORT_OF_MEMORY = "not enough memory"
"""In what the library says of a frame for which it got no memory: the frame may be whole."""
_LENGTHS = struct.Struct("<II")


class Dictionaries:
    """Dictionaries by number, and the number of each route; threads may share them.

    Each thread compresses and decompresses in contexts of its own, because one context cannot serve two at a time.
    """

    def __init__(self) -> None:
        self._trained: list[zstandard.ZstdCompressionDict | None] = [None]
        """By number; ``NO_DICTIONARY`` has none."""
        self._numbers: dict[str, int] = {}
        """By route, in the order of the numbers."""
        self._contexts = _Contexts()

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, route: str) -> int:
        """The number of the dictionary of a route; ``NO_DICTIONARY`` where it has none."""
        return self._numbers.get(route, NO_DICTIONARY)

    def add(self, route: str, data: bytes) -> None:
        """Add the dictionary of a route."""
        self._numbers[route] = len(self._trained)
        self._trained.append(zstandard.ZstdCompressionDict(data))

    def compress(self, number: int, data: bytes) -> bytes:
        """The data as one Zstandard frame with its length and checksum."""
        context = self._contexts.compressors.get(number)
        if context is None:
            trained = self._trained[number]
            if trained is not None:
                trained.precompute_compress(level=DICTIONARIES_COMPRESSION_LEVEL)
            context = zstandard.ZstdCompressor(
                level=DICTIONARIES_COMPRESSION_LEVEL, dict_data=trained, write_checksum=True
            )
            self._contexts.compressors[number] = context
        return bytes(context.compress(data))

    def decompress(self, number: int, data: bytes | memoryview) -> bytes:
        """What ``compress`` was given. Raises ``ValueError`` where the frame is damaged."""
        context = self._contexts.decompressors.get(number)
        try:
            if context is None:
                context = zstandard.ZstdDecompressor(dict_data=self._trained[number])
                self._contexts.decompressors[number] = context
            return bytes(context.decompress(data))
        except (IndexError, zstandard.ZstdError) as error:
            if SHORT_OF_MEMORY in str(error):
                raise MemoryError(str(error)) from None
            raise ValueError(f"a stored leaf is damaged: {error}") from error

    def packed(self) -> bytes:
        """The dictionaries in one piece, in the order of their numbers."""
        parts = []
        for route, dictionary in zip(self._numbers, filter(None, self._trained), strict=True):
            name, data = route.encode(), dictionary.as_bytes()
            parts += [_LENGTHS.pack(len(name), len(data)), name, data]
        return b"".join(parts)

    @cached_property
    def digest(self) -> bytes:
        """Sixteen bytes that name a finished set: a pack that was written with it can be read with no other."""
        return hashlib.blake2b(self.packed(), digest_size=16).digest()

    @classmethod
    def unpacked(cls, data: memoryview) -> "Dictionaries":
        """The set that ``packed`` wrote."""
        dictionaries = cls()
        start = 0
        while start + _LENGTHS.size <= len(data):  # what is shorter pads the set to whole words
            name_length, length = _LENGTHS.unpack_from(data, start)
            start += _LENGTHS.size
            route = bytes(data[start : start + name_length]).decode()
            start += name_length
            dictionaries.add(route, bytes(data[start : start + length]))
            start += length
        return dictionaries


class _Contexts(threading.local):
    def __init__(self) -> None:
        self.compressors: dict[int, zstandard.ZstdCompressor] = {}
        self.decompressors: dict[int, zstandard.ZstdDecompressor] = {}


def train_dictionary(samples: Sequence[bytes]) -> bytes:
    """A dictionary from samples, the same for the same samples; empty where they have nothing in common."""
    try:
        trained = zstandard.train_dictionary(
            DICTIONARY_BYTES, list(samples), k=SEGMENT_BYTES, d=MATCHED_BYTES, f=HASH_BITS
        )
        return bytes(trained.as_bytes())
    except zstandard.ZstdError:
        return b""
