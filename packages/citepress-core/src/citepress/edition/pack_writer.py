"""Writing a pack: leaves one by one, each body once, under its name only when the file is whole."""

import hashlib
import os
import struct
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from citepress.base.canonical import digest, repr_digest, short_digest
from citepress.edition.dictionaries import MIN_DICTIONARY_SAMPLES, SAMPLES, Dictionaries, train_dictionary
from citepress.edition.encodings import encode_all, is_text
from citepress.edition.leaf import PRIVATE, Leaf, is_logged
from citepress.edition.pack import (
    HEADER,
    LARGE_BYTES,
    MAGIC,
    PLACES,
    RECORD,
    SLOT,
    Pack,
    members_of,
    path_hash,
    sent_digest,
)
from citepress.edition.written_leaves import WrittenLeaves

BUFFER = 1 << 20
"""Bytes that are gathered for one write."""
PENDING_BYTES = 32 * 1024 * 1024
"""How much is held back, in all, of routes whose dictionary is not trained yet."""


class _Pending(NamedTuple):
    """A leaf that waits for the dictionary of its route."""

    path: str
    record: bytes
    """As of a prepared leaf."""
    body: bytes
    """What is to be compressed."""


class PreparedLeaf(NamedTuple):
    """A leaf as it is written, but for its place in the file."""

    path: str
    route: str
    record: bytes
    """Its meta record, as JSON without the places of its bodies."""
    sum: str
    """What of it the digest of an edition adds up, in hexadecimal."""
    digest: str
    """SHA-256 of its body; empty where the log of editions does not cover it."""
    size: int
    """Bytes of its body."""
    body: bytes = b""
    """Its body, where the dictionary of its route was not known yet."""
    frame: bytes = b""
    """Its body compressed with the dictionary of its route."""
    codings: Mapping[str, bytes] = {}
    """Its body in every coding, where it is stored as it is sent."""
    digested: bool = False
    """Whether answers carry ``Repr-Digest``."""


class PackWriter:
    """Writes leaves one by one to a file that appears under its name only when it is whole."""

    def __init__(self, path: Path, dictionaries: Dictionaries | None = None) -> None:
        """``dictionaries`` are those of the pack that this one lies over; without them it trains its own."""
        self._path = path
        self._part = path.with_name(path.name + ".part")
        # Drafts and scheduled records may be in it, so nobody else on the machine reads it.
        self._file: BinaryIO = open(self._part, "wb", buffering=BUFFER, opener=_private)  # noqa: SIM115  (closed by finish)
        self._file.write(b"\0" * HEADER.size)
        self._end = HEADER.size
        self.written = WrittenLeaves()
        self._dictionaries = dictionaries or Dictionaries()
        self._borrowed = dictionaries is not None
        self._pending: dict[str, list[_Pending]] = {}
        """Leaves of routes that may still get a dictionary."""
        self._pending_bytes = 0
        self._plain: set[str] = set()
        """Routes that get none."""

    def prepared(self, leaf: Leaf) -> PreparedLeaf:
        """A leaf with what takes time, for ``write``; a copy of this writer in another process may do it."""
        prepared = prepared_leaf(leaf)
        number = None if prepared.codings else self._settled(leaf.route)
        if number is None:
            return prepared
        return PreparedLeaf(*prepared[:6], frame=self._dictionaries.compress(number, prepared.body))  # without its body

    def add(self, leaf: Leaf) -> None:
        """Append a leaf."""
        self.write(self.prepared(leaf))

    def write(self, leaf: PreparedLeaf) -> None:
        """Append a leaf that ``prepared`` gave."""
        self.written.add(leaf.path, leaf.sum, leaf.digest)
        number = self._dictionaries.number(leaf.route)
        if leaf.codings:
            self._write_as_sent(leaf.path, leaf.record, number, leaf.codings, digested=leaf.digested)
        elif leaf.frame:
            self._write(leaf.path, leaf.record, number, leaf.frame, leaf.size)
        else:
            self._compress(leaf.path, leaf.record, leaf.route, leaf.body)

    def copy(self, pack: Pack, meta: Mapping[str, Any]) -> None:
        """Append a leaf of another pack as it is."""
        path, route = meta["path"], meta["route"]
        record = orjson.dumps({name: value for name, value in meta.items() if name not in PLACES})
        self.written.add(path, meta["sum"])
        if "bodies" in meta:
            codings = {coding: bytes(stored.body) for coding, stored in pack.stored(meta).items()}
            self._write_as_sent(path, record, self._dictionaries.number(route), codings, digested=meta["digested"])
        # The same dictionaries: the compressed bytes are copied as they are.
        elif self._borrowed and self._dictionaries.digest == pack.dictionaries.digest:
            self._write(path, record, meta["dictionary"], pack.packed(meta), meta["packed"][2])
        else:
            self._compress(path, record, route, bytes(pack.body(meta)))

    def finish(self, notes: Mapping[str, Any]) -> None:
        """Write the tables and give the file its name, in one step for every reader."""
        for route in list(self._pending):
            self._train(route)
        self._file.write(b"\0" * (-self._end % 8))
        self._end += -self._end % 8
        shared = self._dictionaries.digest + (b"" if self._borrowed else self._dictionaries.packed())
        shared += b"\0" * (-len(shared) % 8)
        slots, order = self._tables()
        parts = (shared, slots, order, orjson.dumps(notes))
        places: list[int] = []
        start = self._end
        for part in parts:
            places += (start, len(part))
            start += len(part)
        self._file.writelines(parts)
        self._file.seek(0)
        self._file.write(HEADER.pack(MAGIC, *places, hashlib.sha256(b"".join(parts)).digest()))
        self._file.close()
        self._part.replace(self._path)

    def discard(self) -> None:
        """Give up: nothing remains of the file."""
        with suppress(OSError):  # a full disk: closing tries once more to write what is left
            self._file.close()
        self._part.unlink(missing_ok=True)

    def _settled(self, route: str) -> int | None:
        """The number of the dictionary of a route; ``None`` where it is not known yet whether it has one."""
        number = self._dictionaries.number(route)
        return number if number or self._borrowed or route in self._plain else None

    def _compress(self, path: str, record: bytes, route: str, body: bytes) -> None:
        """Write a leaf with the dictionary of its route, or hold it back until that is trained."""
        number = self._settled(route)
        if number is not None:
            self._write(path, record, number, self._dictionaries.compress(number, body), len(body))
            return
        waiting = self._pending.setdefault(route, [])
        waiting.append(_Pending(path, record, body))
        self._pending_bytes += len(body)
        if len(waiting) >= SAMPLES:
            self._train(route)
        # An archive of many routes would otherwise hold all of its pages in memory. Routes of large leaves go first:
        # they mostly have too few for a dictionary, while one of pages may be about to get its own.
        elif self._pending_bytes > PENDING_BYTES:
            sizes = {name: sum(len(leaf.body) for leaf in held) / len(held) for name, held in self._pending.items()}
            self._train(max(sizes, key=sizes.__getitem__))

    def _train(self, route: str) -> None:
        """Give a route its dictionary if it has leaves enough, and write those that wait for it."""
        waiting = self._pending.pop(route)
        samples = [sample for leaf in waiting for sample in (leaf.body, leaf.record)]
        # A dictionary of few samples costs more bytes than it saves.
        if len(waiting) >= MIN_DICTIONARY_SAMPLES and (data := train_dictionary(samples)):
            self._dictionaries.add(route, data)
        else:
            self._plain.add(route)
        number = self._dictionaries.number(route)
        for leaf in waiting:
            self._pending_bytes -= len(leaf.body)
            frame = self._dictionaries.compress(number, leaf.body)
            self._write(leaf.path, leaf.record, number, frame, len(leaf.body))

    def _write(self, path: str, record: bytes, number: int, frame: bytes, size: int) -> None:
        whole = b'%b,"packed":[%d,%d,%d]}' % (record[:-1], self._end, len(frame), size)  # as orjson writes it
        self._record(path, whole, number, (frame,))

    def _write_as_sent(
        self, path: str, record: bytes, number: int, codings: Mapping[str, bytes], *, digested: bool
    ) -> None:
        places = []
        start = self._end
        for coding, body in codings.items():
            tag = "" if coding == "identity" else short_digest(body)
            places.append((coding, start, len(body), tag, repr_digest(body).decode() if digested else ""))
            start += len(body)
        whole = b'%b,"bodies":%b}' % (record[:-1], orjson.dumps(places))  # as orjson writes it
        self._record(path, whole, number, tuple(codings.values()))

    def _record(self, path: str, record: bytes, number: int, bodies: tuple[bytes, ...]) -> None:
        """Write bodies and then their meta record, whose offset is where the path is found."""
        packed = self._dictionaries.compress(number, record)
        at = self._end + sum(map(len, bodies))
        self._file.writelines((*bodies, RECORD.pack(len(packed), number), packed))
        self.written.place(path, at)
        self._end = at + RECORD.size + len(packed)

    def _tables(self) -> tuple[bytes, bytes]:
        size = 8
        # Half full at most, so that a search meets an empty slot soon.
        placed = self.written.placed()
        while size < 2 * len(placed):
            size *= 2
        slots = bytearray(size * SLOT.size)
        # In the order of paths, so that the same content gives the same bytes.
        for path, at in placed:
            hashed = path_hash(path)
            place = hashed & (size - 1)
            while slots[place * 16 : place * 16 + 8] != b"\0" * 8:
                place = (place + 1) & (size - 1)
            SLOT.pack_into(slots, place * 16, hashed, at)
        order = struct.pack(f"<{len(placed)}Q", *[at for _, at in placed])
        return bytes(slots), order


def prepared_leaf(leaf: Leaf) -> PreparedLeaf:
    """A leaf as a pack stores it: with its body, or in each coding if it is stored ready to send."""
    body = bytes(leaf.body)
    meta = members_of(leaf)
    body_digest = digest(body)
    meta["etag"] = sent_digest(leaf.type, body_digest)
    record = orjson.dumps(meta)
    leaf_sum = hashlib.blake2b(record, digest_size=16).hexdigest()
    record = b'%b,"sum":"%b"}' % (record[:-1], leaf_sum.encode())  # as orjson writes it
    about = leaf.path, leaf.route, record, leaf_sum, body_digest if is_logged(leaf) else "", len(body)
    if not leaf.path.startswith(PRIVATE) and (len(body) >= LARGE_BYTES or not is_text(leaf.type)):
        return PreparedLeaf(*about, codings={"identity": body, **encode_all(leaf)}, digested=leaf.digested)
    return PreparedLeaf(*about, body)


def _private(path: str, flags: int) -> int:
    """Create a file for its owner alone: the configuration holds settings, and addresses of chains often hold keys."""
    return os.open(path, flags, 0o600)
