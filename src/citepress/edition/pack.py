"""One packed file of leaves: written once, memory-mapped by every worker, found by hash without loading an index.

Layout, all integers little-endian::

    magic (8) · offset and length of dictionaries, slots, order and notes (eight u64) · SHA-256 of all four (32)
    bodies and meta records, one after the other
    dictionaries  16 bytes that name the set, then the set; nothing after the name where the pack below holds it
    slots         open-addressed table of (hash of path u64, offset of meta record u64); a power of two, half full
    order         offsets of the meta records by path (u64)
    notes         JSON of the edition: digest, configuration, page templates, removed paths

A meta record is its length (u32), the number of a dictionary (u16) and compressed JSON: path, leaf members, and where
its body lies. Each representation is stored once, compressed with the same dictionary (``packed``: offset, length,
length of the body). Bodies that are large, or that do not compress, are stored as they are sent, in every
content coding (``bodies``: coding, offset, length, ETag of the coding, value of ``Repr-Digest``).
"""

import hashlib
import mmap
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import orjson

from citepress.base.errors import CitepressError
from citepress.edition.dictionaries import Dictionaries
from citepress.edition.leaf import Leaf, Variant

MAGIC = b"CITEPK04"
HEADER = struct.Struct("<8s8Q32s")
SLOT = struct.Struct("<QQ")
EMPTY = 0
RECORD = struct.Struct("<IH")
"""Before a meta record: its length, and the number of the dictionary that it and its body are compressed with."""
PLACES = ("packed", "bodies", "dictionary")
"""Members of a meta record that say where the body lies."""
MAPPED_BYTES = 1024 * 1024
"""A body of this size or more is stored as it is sent, and sent from where it lies in the map."""
NAME_BYTES = 16

MEMBERS = tuple(name for name in Leaf.__slots__ if name not in ("body", "variants"))
"""What a meta record holds of its leaf beside the bodies and the variants."""
_members = attrgetter(*MEMBERS)


class PackError(CitepressError, ValueError):
    """The file is not a pack of this version, or was damaged; it is built anew."""


@dataclass(frozen=True, slots=True)
class StoredCoding:
    """One content coding of a leaf that is stored as it is sent."""

    body: bytes | memoryview
    tag: str
    """Names the bytes in the ETag of the coding; empty for ``identity``."""
    digest: str
    """Value of ``Repr-Digest``; empty where answers carry none."""


def path_hash(path: str) -> int:
    """The 64-bit hash under which a path is found; never 0, which marks an empty slot."""
    return (
        int.from_bytes(hashlib.blake2b(path.encode("utf-8", "surrogateescape"), digest_size=8).digest(), "little") or 1
    )


class Pack:
    """A packed file, mapped for reading; holds no index in private memory."""

    def __init__(self, path: Path, base: "Pack | None" = None) -> None:
        """``base`` is the pack that this one lies over: its dictionaries may be needed. Raises ``PackError``."""
        self.path = path
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise PackError(f"{path.name} cannot be mapped: {error}") from error
        if len(self._map) < HEADER.size:
            raise PackError(f"{path.name} is cut short")
        magic, shared, shared_size, slots, slots_size, order, order_size, notes, notes_size, check = HEADER.unpack_from(
            self._map
        )
        if magic != MAGIC or notes + notes_size != len(self._map):
            raise PackError(f"{path.name} is not a pack of this version")
        view = self._view = memoryview(self._map)
        # A pack that is torn by a crash or a bad disk is refused when it is opened, not when a reader meets the damage.
        if hashlib.sha256(view[shared:]).digest() != check:
            raise PackError(f"{path.name} is damaged")
        if (shared + shared_size, slots + slots_size, order + order_size) != (slots, order, notes) or slots_size % 16:
            raise PackError(
                f"{path.name} is damaged"
            )  # the digest does not cover the offsets, but they follow each other
        self.dictionaries = self._dictionaries(view[shared : shared + shared_size], base)
        self._slots = view[slots : slots + slots_size].cast("Q")
        self._mask = slots_size // SLOT.size - 1
        self._order = view[order : order + order_size].cast("Q")
        self.notes: dict[str, Any] = orjson.loads(view[notes : notes + notes_size])

    def __len__(self) -> int:
        return len(self._order)

    def meta(self, path: str) -> dict[str, Any] | None:
        """The meta record of a path, or ``None``."""
        hashed = path_hash(path)
        place = hashed & self._mask
        slots = self._slots
        # Linear probing: the table is half empty, so a miss ends after one or two slots, in the same cache line.
        while (entry := slots[2 * place]) != EMPTY:
            if entry == hashed:
                record = self._record(slots[2 * place + 1])
                # Two paths may share a hash; the record has the last word.
                if record["path"] == path:
                    return record
            place = (place + 1) & self._mask
        return None

    def body(self, meta: Mapping[str, Any]) -> bytes | memoryview:
        """The body of a meta record without a content coding: bytes, or a view of the map where it is large."""
        if "bodies" in meta:
            return self.stored(meta)["identity"].body
        return self.dictionaries.decompress(meta["dictionary"], self.packed(meta))

    def packed(self, meta: Mapping[str, Any]) -> memoryview:
        """The body as it is stored, compressed with the dictionary of its route."""
        start, length, _ = meta["packed"]
        return self._view[start : start + length]

    def stored(self, meta: Mapping[str, Any]) -> dict[str, StoredCoding]:
        """Codings that are stored as they are sent, ``identity`` first; empty where they are made on demand."""
        return {
            coding: StoredCoding((self._map if size < MAPPED_BYTES else self._view)[at : at + size], tag, digest)
            for coding, at, size, tag, digest in meta.get("bodies", ())
        }

    def record_at(self, place: int) -> dict[str, Any]:
        """The meta record at a place in path order."""
        return self._record(self._order[place])

    def record_size(self, place: int) -> int:
        """Bytes that the meta record at a place takes, compressed."""
        return int(RECORD.unpack_from(self._map, self._order[place])[0])

    def paths(self) -> Iterator[str]:
        """Every path in order."""
        return (str(self.record_at(place)["path"]) for place in range(len(self)))

    def _record(self, at: int) -> dict[str, Any]:
        length, number = RECORD.unpack_from(self._map, at)
        start = at + RECORD.size
        try:
            data = self.dictionaries.decompress(number, self._map[start : start + length])
            record: dict[str, Any] = orjson.loads(data)
        except ValueError as error:
            raise PackError(f"{self.path.name} is damaged: {error}") from error
        record["dictionary"] = number
        return record

    def _dictionaries(self, shared: memoryview, base: "Pack | None") -> Dictionaries:
        name = bytes(shared[:NAME_BYTES])
        # A change of some records shares the dictionaries below it, which take longer to read than the change itself.
        if base is not None and base.dictionaries.digest == name:
            return base.dictionaries
        own = Dictionaries.unpacked(shared[NAME_BYTES:])
        if own.digest != name:
            raise PackError(f"{self.path.name} cannot be read without the pack that it was written over")
        return own


def open_layers(paths: Sequence[Path]) -> tuple[Pack, ...]:
    """The packs of an edition, the newest first and the base last. Raises ``PackError``.

    A pack that this process has open already is not opened again: a base is checked once, not at every change.
    """
    if not paths:
        raise PackError("an edition has one pack at least")
    *changes, lowest = paths
    base = _opened(lowest, None)
    return (*(_opened(path, base) for path in changes), base)


_open: "WeakValueDictionary[tuple[object, ...], Pack]" = WeakValueDictionary()
"""Packs in use, by the file that they map and the pack that they lie over."""


def _opened(path: Path, base: Pack | None) -> Pack:
    try:
        state = path.stat()
    except OSError as error:
        raise PackError(f"{path.name} cannot be mapped: {error}") from error
    # A pack stays open as long as an edition uses it; one that was replaced under the same name is another.
    key = (path, state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, id(base))
    pack = _open.get(key)
    if pack is None:
        pack = _open[key] = Pack(path, base)
    return pack


def members_of(leaf: Leaf) -> dict[str, Any]:
    """The members of a leaf that its meta record holds."""
    meta = dict(zip(MEMBERS, _members(leaf), strict=True))
    meta["variants"] = [(variant.form, variant.accepted, variant.path) for variant in leaf.variants]
    return meta


def leaf_of(meta: Mapping[str, Any], body: bytes | memoryview) -> Leaf:
    """The leaf of a meta record."""
    members = {name: meta[name] for name in MEMBERS}
    members["accepted"], members["links"] = tuple(members["accepted"]), tuple(members["links"])
    variants = tuple(Variant(form, tuple(accepted), path) for form, accepted, path in meta["variants"])
    return Leaf(body=body, variants=variants, **members)


def total(sums: Iterable[int]) -> str:
    """The digest of a set of leaves: their sums added, so that it is found again by taking away and adding."""
    return f"{sum(sums) % (1 << 128):032x}"
