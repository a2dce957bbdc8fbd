"""Rows by key in shards, one of which a hash of the key chooses, so that a new row moves none of the others."""

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar
from zlib import crc32

R = TypeVar("R")
W = TypeVar("W")


def place_of(key: str, count: int) -> int:
    """The shard of a key among so many, a power of two."""
    return crc32(key.encode("utf-8", "replace")) & (count - 1)


class HashedShards(Generic[R, W]):
    """As many shards as their rows need, and each as it is written."""

    def __init__(
        self,
        rows: Iterable[tuple[str, R]],
        size: int,
        write: Callable[[int, Mapping[str, R]], W],
        place: Callable[[str, int], int] = place_of,
    ) -> None:
        """``size``: rows of a shard on average, at most; ``write`` gets the number of a shard and its rows."""
        self._size, self._write, self._place = size, write, place
        self._spread(dict(rows))

    def _spread(self, rows: Mapping[str, R]) -> None:
        shards: list[dict[str, R]] = [{} for _ in range(self._count(len(rows)))]
        for key, row in rows.items():
            shards[self._place(key, len(shards))][key] = row
        self.rows = shards
        self.written = [self._write(place, shard) for place, shard in enumerate(shards)]

    def _count(self, rows: int) -> int:
        return 1 << (max(1, -(-rows // self._size)) - 1).bit_length()

    def revise(self, rows: Mapping[str, R | None]) -> None:
        """Set these rows, or take away those that are ``None``, and write the shards that hold them anew."""
        count = len(self.rows)
        places = {key: self._place(key, count) for key in rows}
        for key, row in rows.items():
            self.rows[places[key]].pop(key, None)
            if row is not None:
                self.rows[places[key]][key] = row
        if count != self._count(sum(map(len, self.rows))):
            self._spread({key: row for shard in self.rows for key, row in shard.items()})
            return
        for place in {*places.values()}:
            self.written[place] = self._write(place, self.rows[place])
