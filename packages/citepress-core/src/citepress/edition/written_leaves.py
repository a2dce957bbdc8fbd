"""What a pack that is being written has to know of every leaf until its end, in a hundred bytes beside the path."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from citepress.edition.pack import PackError

T = TypeVar("T")
PLACE_PARTS, SUM, DIGEST = slice(0, 8), slice(8, 24), slice(24, 56)
"""The parts of a row: where the meta record is in the file, the sum of the leaf, and the SHA-256 of its body."""
UNPLACED = bytes(PLACE_PARTS.stop)


class WrittenLeaves:
    """The leaves of a pack by their paths."""

    def __init__(self) -> None:
        self._rows: dict[str, bytes] = {}
        self.sums: Mapping[str, int] = _Column(self._rows, lambda row: int.from_bytes(row[SUM], "big"))
        """The sum of each leaf, which the digest of an edition adds up."""
        self.digests: Mapping[str, str] = _Column(self._rows, lambda row: row[DIGEST].hex(), SUM.stop)
        """SHA-256 of the leaves that the log of editions covers."""

    def add(self, path: str, leaf_sum: str, digest: str = "") -> None:
        """Note a leaf, whose path no other may have; its sum and digest are in hexadecimal. Raises ``PackError``."""
        if path in self._rows:
            raise PackError(f"two leaves have the path {path}")
        self._rows[path] = UNPLACED + bytes.fromhex(leaf_sum) + bytes.fromhex(digest)

    def place(self, path: str, place: int) -> None:
        """Note where the meta record of a leaf was written."""
        self._rows[path] = place.to_bytes(PLACE_PARTS.stop, "big") + self._rows[path][PLACE_PARTS.stop :]

    def placed(self) -> list[tuple[str, int]]:
        """Every path with the place of its meta record, in the order of paths."""
        return [(path, int.from_bytes(row[PLACE_PARTS], "big")) for path, row in sorted(self._rows.items())]


class _Column(Mapping[str, T]):
    """One part of every row that has it."""

    def __init__(self, rows: Mapping[str, bytes], read: Callable[[bytes], T], above: int = 0) -> None:
        """``above``: how many bytes a row has at most that lacks the part."""
        self._rows, self._read, self._above = rows, read, above

    def __getitem__(self, path: str) -> T:
        """The part of a leaf. Raises ``KeyError``."""
        row = self._rows[path]
        if len(row) <= self._above:
            raise KeyError(path)
        return self._read(row)

    def __iter__(self) -> Iterator[str]:
        """The paths."""
        return (path for path, row in self._rows.items() if len(row) > self._above)

    def __len__(self) -> int:
        """How many leaves have it."""
        return sum(map(self._above.__lt__, map(len, self._rows.values())))
