"""Rate limits counted in a file without a name that the workers of one machine map into memory."""

import mmap
import secrets
from collections.abc import Callable
from contextlib import suppress
from fcntl import LOCK_EX, LOCK_UN, lockf
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Self

from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.contract.limits import Limit, LimitState
from citepress.stores.local.nameless_file import NamelessFile

HEADER = 4096
"""Bytes before the table; the first of them are the key that hashes clients."""
KEY_BYTES = 32
BUCKETS = 65_536
WAYS = 16
"""Clients that one bucket holds; a seventeenth takes the place of the one whose window ends first."""
SLOTS = BUCKETS * WAYS
WORD_BYTES = 8
SIZE = HEADER + 2 * SLOTS * WORD_BYTES
SPENT_BITS = 24
SPENT = (1 << SPENT_BITS) - 1
MEMORIZED = 16_384
"""Hashes of clients that a process keeps ready."""

_threads = Lock()
"""Record locks hold between processes only, so the threads of one process take turns."""


class SharedCountersError(CitepressError):
    """There is no room for the table; the message says where."""


class CounterTable(NamelessFile):
    """The file of a table of limits."""

    @classmethod
    def create(cls, state: Path) -> Self:
        """An empty table on the disk of a state folder. Raises ``SharedCountersError``."""
        table = bytearray(SIZE)
        table[:KEY_BYTES] = secrets.token_bytes(KEY_BYTES)
        try:
            return cls.holding(state, table)
        except OSError as error:
            raise SharedCountersError(f"{state} has no room for the counters of limits: {error.strerror}") from None


class _Place:
    """Where a client's window is: its hash, its bucket, and the slot that it was last seen in."""

    __slots__ = ("bucket", "hashed", "slot")

    def __init__(self, hashed: int) -> None:
        self.hashed = hashed
        self.bucket = hashed % BUCKETS
        self.slot = self.bucket * WAYS


class SharedCounters:
    """Fixed windows that begin with a client's first request, exact over all processes that map the same table.

    A hash table of two columns: the hash of a client, and a word with the end of its window and what it has spent.
    A process holds a record lock on the bucket while it reads and changes it; the kernel frees the lock if the
    process is killed. Each column is changed by a single store of eight bytes, and a client's hash is cleared before
    its word is replaced, so that a process killed between two stores leaves nothing half written.
    """

    def __init__(self, table: CounterTable, seconds: Callable[[], float] = clock.seconds) -> None:
        """Map a table."""
        self._seconds = seconds
        self._table = table
        self._file = table.file
        self._map = mmap.mmap(self._file, SIZE)
        key = self._map[:KEY_BYTES]
        words = memoryview(self._map)[HEADER:].cast("Q")
        self._hashes, self._windows = words[:SLOTS], words[SLOTS:]

        @lru_cache(maxsize=MEMORIZED)
        def place(limit: str, client: str) -> _Place:
            digest = blake2b(f"{limit} {client}".encode(), digest_size=WORD_BYTES, key=key).digest()
            return _Place(int.from_bytes(digest, "little") or 1)

        self._place = place

    def spend(self, limit: Limit, client: str, cost: int = 1) -> LimitState:
        """Take ``cost`` units from the client's window, all or nothing."""
        place, quota, windows = self._place(limit.name, client), limit.quota, self._windows
        with _threads:
            lockf(self._file, LOCK_EX, 1, place.bucket)
            try:
                now = int(self._seconds() * 1000)
                slot = place.slot
                if self._hashes[slot] != place.hashed:
                    slot = self._find(place)
                word = windows[slot] if slot >= 0 else 0
                end, spent = word >> SPENT_BITS, word & SPENT
                if end <= now:
                    end, spent = now + 1000 * limit.window, 0
                allowed = spent + cost <= quota
                if allowed:
                    spent += cost
                    self._write(place, slot, end << SPENT_BITS | spent)
            finally:
                lockf(self._file, LOCK_UN, 1, place.bucket)
        return LimitState(allowed, quota - spent if spent < quota else 0, (end - now + 999) // 1000)

    def _find(self, place: "_Place") -> int:
        """The slot that holds a client; -1 where its bucket does not."""
        first = place.bucket * WAYS
        hashes = self._hashes[first : first + WAYS].tolist()
        if place.hashed not in hashes:
            return -1
        place.slot = first + hashes.index(place.hashed)
        return place.slot

    def _write(self, place: "_Place", slot: int, word: int) -> None:
        """Write a window: over the client's former one, or over the one in its bucket that ends first."""
        if slot >= 0:
            self._windows[slot] = word
            return
        first = place.bucket * WAYS
        words = self._windows[first : first + WAYS].tolist()
        slot = place.slot = first + words.index(min(words))
        self._hashes[slot] = 0
        self._windows[slot] = word
        self._hashes[slot] = place.hashed

    def close(self) -> None:
        """Unmap the table and let go of it."""
        self._hashes.release()
        self._windows.release()
        with suppress(BufferError):  # the slice that both were cut from goes with the object
            self._map.close()
        self._table.close()
