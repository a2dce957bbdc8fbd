"""Values in a file: each is opened where it is asked for, and forked processes copy none of them by touching it."""

import pickle
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias, TypeVar, overload

from citepress.base.packed_values import FrameFile

T = TypeVar("T")
FiledRows: TypeAlias = "tuple[list[str], array[int], array[int], int]"
"""Keys, the place and the size of the value of each, and the size of the file."""
MAX_OPEN_VALUES = 512
"""Values of one mapping that a process holds opened: lists and pages that follow each other read the same ones."""


class FiledMapping(Mapping[str, T]):
    """Values by key, in the order in which they were added."""

    def __init__(
        self,
        frames: FrameFile,
        items: Iterable[tuple[str, T]] = (),
        dump: Callable[[T], bytes] = pickle.dumps,
        load: Callable[[bytes], T] = pickle.loads,
    ) -> None:
        """Write the items; ``load`` makes a value again of the bytes that ``dump`` makes of it."""
        self._frames, self._dump = frames, dump
        self._numbers: dict[str, int] = {}
        self._places, self._sizes = array("Q"), array("L")
        opened = partial(_opened, frames, self._places, self._sizes, load)
        self.at: Callable[[int], T] = lru_cache(MAX_OPEN_VALUES)(opened)
        """The value of a number, counted in the order of the keys."""
        for key, value in items:
            self.add(key, value)

    def rows(self) -> "FiledRows":
        """Where its values lie, for another process that has the same file open."""
        return list(self._numbers), self._places, self._sizes, self._frames.size

    def take(self, rows: "FiledRows") -> None:
        """Take over what another process added to the same file, in which this one has written nothing since."""
        keys, places, sizes, self._frames.size = rows
        self._numbers.update((key, number) for number, key in enumerate(keys, len(self._places)))
        self._places.extend(places)
        self._sizes.extend(sizes)

    def add(self, key: str, value: T) -> None:
        """Write the value of a new key."""
        frame = self._frames.add(self._dump(value))
        self._numbers[key] = len(self._places)
        self._places.append(frame.at)
        self._sizes.append(frame.size)

    def number(self, key: str) -> int:
        """The number of a key."""
        return self._numbers[key]

    def of(self, keys: Iterable[str]) -> "FiledSequence[T]":
        """The values of some keys."""
        return FiledSequence(self, array("L", map(self.number, keys)))

    def __getitem__(self, key: str) -> T:
        return self.at(self._numbers[key])

    def __contains__(self, key: object) -> bool:
        return key in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


def _opened(
    frames: FrameFile, places: Sequence[int], sizes: Sequence[int], load: Callable[[bytes], T], number: int
) -> T:
    return load(frames.read(places[number], sizes[number]))


class FiledSequence(Sequence[T]):
    """Some values of a mapping."""

    def __init__(self, values: FiledMapping[T], numbers: "array[int]") -> None:
        self._values, self._numbers = values, numbers

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> "FiledSequence[T]": ...

    def __getitem__(self, place: int | slice) -> Any:
        numbers = self._numbers[place]
        return self._values.at(numbers) if isinstance(numbers, int) else FiledSequence(self._values, numbers)

    def place(self, key: str) -> int:
        """Where the value of a key is, or would be; the order is that of the mapping."""
        return bisect_left(self._numbers, self._values.number(key))

    def __iter__(self) -> Iterator[T]:
        return map(self._values.at, self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)
