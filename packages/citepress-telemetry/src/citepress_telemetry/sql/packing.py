"""Counters as bytes: little-endian u32, trailing zeros removed or compressed."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from itertools import chain

from citepress_telemetry.model import DEPTHS, REPRESENTATIONS, STATUS_CLASSES, VERIFY, FamilySums

COUNTERS = struct.Struct(f"<{len(STATUS_CLASSES) + len(VERIFY) + len(REPRESENTATIONS) + DEPTHS + 1}I")
PACKING_COMPRESSION_LEVEL = 1
_STATUS = len(STATUS_CLASSES)
_VERIFY = _STATUS + len(VERIFY)
_REP = _VERIFY + len(REPRESENTATIONS)
_END = _REP + DEPTHS
_WORD = 4


def packed_counters(sums: FamilySums) -> bytes:
    """The four lists of counters of a family, and its requests without an address."""
    return COUNTERS.pack(*sums.status, *sums.verify, *sums.rep, *sums.depth_hist, sums.adrift).rstrip(b"\0")


def unpack_counters(data: bytes, into: FamilySums) -> None:
    """Set what ``packed_counters`` packed."""
    counters = COUNTERS.unpack(data.ljust(COUNTERS.size, b"\0"))
    into.status, into.verify = list(counters[:_STATUS]), list(counters[_STATUS:_VERIFY])
    into.rep, into.depth_hist, into.adrift = list(counters[_VERIFY:_REP]), list(counters[_REP:_END]), counters[_END]


def packed_counts(counts: Mapping[int, int]) -> bytes:
    """Counters by u32 keys, sorted; empty for no counters."""
    return packed_words(list(chain.from_iterable(sorted(counts.items()))))


def unpacked_counts(data: bytes) -> dict[int, int]:
    """What ``packed_counts`` packed."""
    words = unpacked_words(data)
    return dict(zip(words[::2], words[1::2], strict=True))


def packed_words(words: Sequence[int]) -> bytes:
    """32-bit numbers, compressed."""
    return zlib.compress(struct.pack(f"<{len(words)}I", *words), PACKING_COMPRESSION_LEVEL) if words else b""


def unpacked_words(data: bytes) -> tuple[int, ...]:
    """What ``packed_words`` packed."""
    raw = zlib.decompress(data) if data else b""
    return struct.unpack(f"<{len(raw) // _WORD}I", raw)
