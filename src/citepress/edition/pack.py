"""One packed file of leaves: written once, memory-mapped by every worker, found by hash without loading an index.

Layout, all integers little-endian::

    magic (8) · offsets of slots, order, notes and their lengths (six u64) · SHA-256 of slots, order and notes (32)
    bodies and meta records, one after the other
    slots   open-addressed table of (hash of path u64, offset of meta record u64); a power of two, at most half full
    order   offsets of the meta records by path (u64)
    notes   JSON of the edition: digest, facts, shells, fingerprints of its units

A meta record is its length (u32) and JSON: path, leaf members, and (coding, offset, length) of each body. Where answers
carry ``Repr-Digest``, its value follows the length, so that nobody has to read a large body to send its header.
"""

import hashlib
import mmap
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from citepress.base.canonical import repr_digest, short_digest
from citepress.base.errors import CitepressError
from citepress.edition.leaf import Leaf, Variant

MAGIC = b"CITEPK02"
HEADER = struct.Struct("<8s6Q32s")
SLOT = struct.Struct("<QQ")
EMPTY = 0
BUFFER = 1 << 20
"""Bytes that are gathered for one write."""
MAPPED_BYTES = 256 * 1024
"""A body of this size or more is not copied out of the map: it is read, and sent, from where it lies."""

MEMBERS = tuple(name for name in Leaf.__slots__ if name not in ("body", "variants"))
"""What a meta record tells of its leaf beside the bodies and the variants."""
_members = attrgetter(*MEMBERS)


class PackError(CitepressError, ValueError):
    """The file is no pack of ours, or was damaged; it is built anew."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A leaf as it lies in the pack: its members, its ETag, and its bodies by coding (identity first)."""

    leaf: Leaf
    etag: str
    bodies: Mapping[str, bytes]
    sum: int
    """A 128-bit digest of everything a client could see of the leaf."""


def path_hash(path: str) -> int:
    """The 64-bit hash under which a path is found; never 0, which marks an empty slot."""
    return int.from_bytes(hashlib.blake2b(path.encode("utf-8", "surrogateescape"), digest_size=8).digest(), "little") or 1


def _own(path: str, flags: int) -> int:
    """For the owner's eyes only: the facts of an edition hold settings, and addresses of chains often hold keys."""
    return os.open(path, flags, 0o600)


class PackWriter:
    """Writes leaves one by one to a file that appears under its name only when it is whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(path.name + ".part")
        self._file: BinaryIO = open(self._part, "wb", buffering=BUFFER, opener=_own)  # noqa: SIM115  (a mode of its own; closed by finish)
        self._file.write(b"\0" * HEADER.size)
        self._at = HEADER.size
        self._found: dict[str, int] = {}
        self.sums: dict[str, int] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._found

    def add(self, leaf: Leaf, encoded: Mapping[str, bytes]) -> None:
        """Append a leaf and its codings."""
        meta = _meta(leaf)
        meta["etag"] = short_digest(leaf.type.encode() + b"\0" + leaf.body)
        written = orjson.dumps(meta)
        found = hashlib.blake2b(written, digest_size=16).hexdigest()
        bodies = {"identity": leaf.body, **encoded}
        digests = {coding: repr_digest(body).decode() for coding, body in bodies.items()} if leaf.digested else {}
        self._append(leaf.path, found, written[:-1] + b',"sum":"%b"' % found.encode(), bodies, digests)

    def take(self, packed_meta: dict[str, Any], bodies: Mapping[str, bytes | memoryview]) -> None:
        """Append a leaf of another pack, byte for byte."""
        members = {name: value for name, value in packed_meta.items() if name != "bodies"}
        self._append(packed_meta["path"], packed_meta["sum"], orjson.dumps(members)[:-1], bodies, digests_of(packed_meta))

    def finish(self, notes: Mapping[str, Any]) -> None:
        """Write the tables and give the file its name, in one step for every reader."""
        self._file.write(b"\0" * (-self._at % 8))
        self._at += -self._at % 8
        slots, order = self._tables()
        tail = orjson.dumps(notes)
        check = hashlib.sha256(slots + order + tail).digest()
        starts = (self._at, len(slots), self._at + len(slots), len(order), self._at + len(slots) + len(order), len(tail))
        for part in (slots, order, tail):
            self._file.write(part)
        self._file.seek(0)
        self._file.write(HEADER.pack(MAGIC, *starts, check))
        self._file.close()
        self._part.replace(self._path)

    def discard(self) -> None:
        """Give up: nothing remains of the file."""
        self._file.close()
        self._part.unlink(missing_ok=True)

    def _append(self, path: str, found: str, members: bytes, bodies: Mapping[str, bytes | memoryview], digests: Mapping[str, str]) -> None:
        """Write the bodies, then the meta record: its ``members`` (JSON without the closing brace) and the places of the bodies."""
        if path in self._found:
            raise PackError(f"two leaves have the path {path}")
        places = []
        at = self._at
        for coding, body in bodies.items():
            places.append((coding, at, len(body), digests[coding]) if digests else (coding, at, len(body)))
            at += len(body)
        size = len(members) + len(tail := b',"bodies":%b}' % orjson.dumps(places))
        self._file.writelines((*bodies.values(), struct.pack("<I", size), members, tail))
        self._found[path] = at
        self.sums[path] = int(found, 16)
        self._at = at + 4 + size

    def _tables(self) -> tuple[bytes, bytes]:
        size = 8
        while size < 2 * len(self._found):
            size *= 2
        slots = bytearray(size * SLOT.size)
        for path in sorted(self._found):
            hashed = path_hash(path)
            place = hashed & (size - 1)
            while slots[place * 16 : place * 16 + 8] != b"\0" * 8:
                place = (place + 1) & (size - 1)
            SLOT.pack_into(slots, place * 16, hashed, self._found[path])
        order = struct.pack(f"<{len(self._found)}Q", *(self._found[path] for path in sorted(self._found)))
        return bytes(slots), order


class Pack:
    """A packed file, mapped for reading; holds no index in private memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise PackError(f"{path.name} cannot be mapped: {error}") from error
        if len(self._map) < HEADER.size:
            raise PackError(f"{path.name} is cut short")
        magic, slots, slots_size, order, order_size, notes, notes_size, check = HEADER.unpack_from(self._map)
        if magic != MAGIC or notes + notes_size != len(self._map):
            raise PackError(f"{path.name} is no pack of this version")
        if hashlib.sha256(memoryview(self._map)[slots:]).digest() != check:
            raise PackError(f"{path.name} is damaged")
        view = self._view = memoryview(self._map)
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
        while (found := slots[2 * place]) != EMPTY:
            if found == hashed:
                record = self._record(slots[2 * place + 1])
                if record["path"] == path:
                    return record
            place = (place + 1) & self._mask
        return None

    def bodies(self, meta: Mapping[str, Any]) -> dict[str, bytes | memoryview]:
        """The bodies of a meta record by coding: small ones as bytes, others as views of the map."""
        return {coding: (self._map if size < MAPPED_BYTES else self._view)[at : at + size] for coding, at, size, *_ in meta["bodies"]}

    def path_at(self, place: int) -> str:
        """The path at a place in path order."""
        return str(self.record_at(place)["path"])

    def record_at(self, place: int) -> dict[str, Any]:
        """The meta record at a place in path order."""
        return self._record(self._order[place])

    def paths(self) -> Iterator[str]:
        """Every path in order."""
        return (self.path_at(place) for place in range(len(self)))

    def _record(self, at: int) -> dict[str, Any]:
        size = int.from_bytes(self._map[at : at + 4], "little")
        record: dict[str, Any] = orjson.loads(self._map[at + 4 : at + 4 + size])
        return record


def _meta(leaf: Leaf) -> dict[str, Any]:
    meta = dict(zip(MEMBERS, _members(leaf), strict=True))
    meta["variants"] = [(v.form, v.accepted, v.path) for v in leaf.variants]
    return meta


def digests_of(meta: Mapping[str, Any]) -> dict[str, str]:
    """The values of ``Repr-Digest`` of a meta record by coding; empty where its answers carry none."""
    return {coding: told[0] for coding, _, _, *told in meta["bodies"] if told}


def leaf_of(meta: Mapping[str, Any], body: bytes | memoryview) -> Leaf:
    """The leaf of a meta record."""
    members = {name: meta[name] for name in MEMBERS}
    members["accepted"], members["links"] = tuple(members["accepted"]), tuple(members["links"])
    variants = tuple(Variant(form, tuple(accepted), path) for form, accepted, path in meta["variants"])
    return Leaf(body=body, variants=variants, **members)


def total(sums: Iterable[int]) -> str:
    """The digest of a set of leaves: their sums added, so that it is found again by taking away and adding."""
    return f"{sum(sums) % (1 << 128):032x}"
