"""One packed file of leaves: written once, read by every worker where it lies, found by hash without loading an index.

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

import errno
import hashlib
import logging
import os
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary, finalize

import orjson

from citepress.base import fast_json
from citepress.base.canonical import digest, short_digest
from citepress.base.errors import CitepressError
from citepress.base.file_part import FilePart, StoredBody
from citepress.edition.dictionaries import Dictionaries
from citepress.edition.leaf import Leaf, Variant

MAGIC = b"CITEPK05"
HEADER = struct.Struct("<8s8Q32s")
SLOT = struct.Struct("<QQ")
EMPTY = 0
WORD_BYTES = 8
RECORD = struct.Struct("<IH")
"""Before a meta record: its length, and the number of the dictionary that it and its body are compressed with."""
PLACES = ("packed", "bodies", "dictionary")
"""Members of a meta record that say where the body lies."""
LARGE_BYTES = 1024 * 1024
"""A body of this size or more is stored as it is sent, and sent piece by piece from where it lies in the file."""
NAME_BYTES = 16
READ_BYTES = 512
"""Read at once of a meta record; most are shorter."""
PROBED = 4
"""Slots that are read at once."""
READ_PIECE_BYTES = 1 << 20
"""Bytes that are read at once where much is read."""
DAMAGED_SUFFIX = ".damaged"
"""Ends the name of the file beside a pack that says that a reader met damage in it."""
SHORTAGES = frozenset({errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""Errors of a system that has no memory or no descriptor left, which say nothing of the file."""

MEMBERS = tuple(member.name for member in fields(Leaf) if member.name not in ("body", "variants", "memento"))
"""What a meta record holds of its leaf beside the bodies and the variants."""
_members, _stored_members = attrgetter(*MEMBERS), itemgetter(*MEMBERS)
log = logging.getLogger(__name__)


class PackError(CitepressError, ValueError):
    """The file is not a pack of this version, or was damaged; it is built anew."""


class DamagedPackError(PackError):
    """A reader met damage in a pack that was whole when it was opened."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path.name} is damaged: {reason}")
        self.path = path


@dataclass(frozen=True, slots=True)
class StoredCoding:
    """One content coding of a leaf that is stored as it is sent."""

    body: StoredBody
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
    """A packed file, open for reading; holds no index in private memory.

    It is read with ``pread`` and not mapped: a file that is cut short under a server then is an error, where a map
    would end the process with SIGBUS.
    """

    def __init__(self, path: Path, base: "Pack | None" = None) -> None:
        """``base`` is the pack that this one lies over: its dictionaries may be needed. Raises ``PackError``."""
        self.path = path
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise _unreadable(path, "opened", error) from error
        finalize(self, os.close, self._file)
        self._noted = False
        """Whether damage was met and reported."""
        state = os.fstat(self._file)
        self._inode, size = state.st_ino, state.st_size
        self.written = int(state.st_mtime)
        """Unix seconds: since when its leaves are what they are. No digest covers it."""
        if size < HEADER.size:
            raise PackError(f"{path.name} is cut short")
        fields = HEADER.unpack(self._exactly(0, HEADER.size))
        magic, shared, shared_size, slots, slots_size, order, order_size, notes, notes_size, check = fields
        if magic != MAGIC or notes + notes_size != size:
            raise PackError(f"{path.name} is not a pack of this version")
        # The digest does not cover the offsets, but they follow each other.
        if (shared + shared_size, slots + slots_size, order + order_size) != (slots, order, notes) or slots_size % 16:
            raise PackError(f"{path.name} is damaged")
        # A pack that is torn by a crash or a bad disk is refused when it is opened, not when a reader meets the damage.
        if self._digest(shared, size) != check:
            raise PackError(f"{path.name} is damaged")
        self.dictionaries = self._dictionaries(self._exactly(shared, shared_size), base)
        self._slots, self._places = slots, slots_size // SLOT.size
        self._order, self._count = order, order_size // WORD_BYTES
        self.notes: dict[str, Any] = fast_json.loads(self._exactly(notes, notes_size))

    def __len__(self) -> int:
        return int(self._count)

    def meta(self, path: str) -> dict[str, Any] | None:
        """The meta record of a path, or ``None``. Raises ``DamagedPackError``."""
        hashed = path_hash(path)
        mask = self._places - 1
        place = hashed & mask
        # Linear probing: the table is half empty, so a miss ends after one or two slots, which are read together.
        for _ in range(self._places):
            count = min(PROBED, self._places - place)
            slots = self._read(self._slots + place * SLOT.size, count * SLOT.size)
            for entry, at in SLOT.iter_unpack(slots):
                if entry == EMPTY:
                    return None
                if entry == hashed:
                    record = self._record(at)
                    # Two paths may share a hash; the record has the last word.
                    if record["path"] == path:
                        return record
            place = (place + count) & mask
        raise self._damaged("its table has no end")

    def body(self, meta: Mapping[str, Any]) -> StoredBody:
        """The body of a meta record without a content coding. Raises ``DamagedPackError``."""
        if "bodies" in meta:
            return self.stored(meta)["identity"].body
        try:
            return self.dictionaries.decompress(meta["dictionary"], self.packed(meta))
        except ValueError as error:
            raise self._damaged(str(error)) from error

    def packed(self, meta: Mapping[str, Any]) -> bytes:
        """The body as it is stored, compressed with the dictionary of its route. Raises ``DamagedPackError``."""
        start, length, _ = meta["packed"]
        return self._read(start, length)

    def stored(self, meta: Mapping[str, Any]) -> dict[str, StoredCoding]:
        """Codings that are stored as they are sent, ``identity`` first; empty where they are made on demand.

        Raises ``DamagedPackError`` for a body that is read; a large one is read, unchecked, when it is sent.
        """
        return {
            coding: StoredCoding(self._sent(meta, coding, at, size, tag), tag, digest)
            for coding, at, size, tag, digest in meta.get("bodies", ())
        }

    def record_at(self, place: int) -> dict[str, Any]:
        """The meta record at a place in path order. Raises ``DamagedPackError``."""
        return self._record(self._offset(place))

    def record_size(self, place: int) -> int:
        """Bytes that the meta record at a place takes, compressed."""
        return int(RECORD.unpack(self._read(self._offset(place), RECORD.size))[0])

    def paths(self) -> Iterator[str]:
        """Every path in order. Raises ``DamagedPackError``."""
        return (str(self.record_at(place)["path"]) for place in range(len(self)))

    def _sent(self, meta: Mapping[str, Any], coding: str, at: int, size: int, tag: str) -> StoredBody:
        if size >= LARGE_BYTES:
            return FilePart(self._read, at, size)
        body = self._read(at, size)
        whole = short_digest(body) == tag if tag else sent_digest(meta["type"], digest(body)) == meta["etag"]
        if not whole:
            raise self._damaged(f"{coding} of {meta['path']}")
        return body

    def _offset(self, place: int) -> int:
        return int.from_bytes(self._read(self._order + place * WORD_BYTES, WORD_BYTES), "little")

    def _record(self, at: int) -> dict[str, Any]:
        data = self._some(at, READ_BYTES)
        try:
            length, number = RECORD.unpack_from(data)
            end = RECORD.size + length
            frame = data[RECORD.size : end] if end <= len(data) else self._read(at + RECORD.size, length)
            record: dict[str, Any] = orjson.loads(self.dictionaries.decompress(number, frame))
        except DamagedPackError:
            raise
        except struct.error as error:
            raise self._damaged(str(error)) from error
        except ValueError as error:
            cause = fast_json.cause_of(error)
            raise (cause if isinstance(cause, MemoryError) else self._damaged(str(error))) from error
        record["dictionary"] = number
        return record

    def _digest(self, start: int, end: int) -> bytes:
        digest = hashlib.sha256()
        for at in range(start, end, READ_PIECE_BYTES):
            digest.update(self._exactly(at, min(READ_PIECE_BYTES, end - at)))
        return digest.digest()

    def _exactly(self, at: int, size: int) -> bytes:
        """So many bytes of a file that is being opened. Raises ``PackError``."""
        try:
            data = os.pread(self._file, size, at)
        except OSError as error:
            raise _unreadable(self.path, "read", error) from error
        if len(data) != size:
            raise PackError(f"{self.path.name} is cut short")
        return data

    def _read(self, at: int, size: int) -> bytes:
        """So many bytes. Raises ``DamagedPackError``."""
        data = self._some(at, size)
        if len(data) != size:
            raise self._damaged("it was cut short")
        return data

    def _some(self, at: int, size: int) -> bytes:
        """So many bytes, or fewer at the end of the file. Raises ``DamagedPackError``."""
        try:
            return os.pread(self._file, size, at)
        except (OSError, OverflowError) as error:
            if isinstance(error, OSError) and error.errno in SHORTAGES:
                raise MemoryError(str(error)) from error
            raise self._damaged(str(error)) from error

    def _damaged(self, reason: str) -> DamagedPackError:
        """The error to raise; the first one leaves a mark beside the file, so that the edition is made anew."""
        error = DamagedPackError(self.path, reason)
        if not self._noted:
            self._noted = True
            if _mark(self.path, self._inode):
                log.error("%s; it is made anew as soon as possible", error)
        return error

    def _dictionaries(self, shared: bytes, base: "Pack | None") -> Dictionaries:
        name = shared[:NAME_BYTES]
        # A change of some records shares the dictionaries below it, which take longer to read than the change itself.
        if base is not None and base.dictionaries.digest == name:
            return base.dictionaries
        own = Dictionaries.unpacked(memoryview(shared)[NAME_BYTES:])
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
"""Packs in use, by the file that they read and the pack that they lie over."""


def _opened(path: Path, base: Pack | None) -> Pack:
    try:
        state = path.stat()
    except OSError as error:
        raise _unreadable(path, "opened", error) from error
    # A pack stays open as long as an edition uses it; one that was replaced under the same name is another.
    key = (path, state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, id(base))
    pack = _open.get(key)
    if pack is None:
        pack = _open[key] = Pack(path, base)
    return pack


def _unreadable(path: Path, done: str, error: OSError) -> OSError | PackError:
    """What to raise of a file that cannot be opened or read: a shortage says nothing of the file."""
    return error if error.errno in SHORTAGES else PackError(f"{path.name} cannot be {done}: {error.strerror}")


def is_damaged(path: Path) -> bool:
    """Whether a reader met damage in the pack that has this name now."""
    try:
        return _marker(path).read_text() == str(path.stat().st_ino)
    except (OSError, ValueError):
        return False


def forget_damage(path: Path) -> None:
    """Take back what a reader said of the pack that had this name."""
    _marker(path).unlink(missing_ok=True)


def _mark(path: Path, inode: int) -> bool:
    """Leave a mark beside a damaged pack, by its inode, which a new file of the same name has not; whether it is new.

    Where it cannot be written the pack is read only here, and counts as new.
    """
    with suppress(FileExistsError):
        if _marker(path).exists() and _marker(path).read_text() == str(inode):
            return False
        _marker(path).write_text(str(inode))
    return True


def _marker(path: Path) -> Path:
    return path.with_name(path.name + DAMAGED_SUFFIX)


def sent_digest(media_type: str, body_digest: str) -> str:
    """The ETag of what is sent with a media type, from the SHA-256 of its body, which the log of editions needs too."""
    return short_digest(f"{media_type}\0{body_digest}".encode())


def members_of(leaf: Leaf) -> dict[str, Any]:
    """The members of a leaf that its meta record holds."""
    meta = dict(zip(MEMBERS, _members(leaf), strict=True))
    meta["variants"] = [(variant.form, variant.accepted, variant.path) for variant in leaf.variants]
    return meta


def leaf_of(meta: Mapping[str, Any], body: StoredBody) -> Leaf:
    """The leaf of a meta record."""
    path, route, kind, type_, cache, accepted, links, *rest = _stored_members(meta)
    variants = tuple([Variant(form, tuple(types), place) for form, types, place in meta["variants"]])
    return Leaf(path, route, kind, type_, body, cache, tuple(accepted), tuple(links), variants, *rest)


def total(sums: Iterable[int]) -> str:
    """The digest of a set of leaves: their sums added, so that it is found again by taking away and adding."""
    return f"{sum(sums) % (1 << 128):032x}"
