"""An archive written to disk and read back, so that it lies close together in memory.

What it was assembled from is many more objects, and its records lie scattered among them: once they are let go of,
nearly every page of memory still holds something. Read back, the archive takes the room that it needs, and a process
that renders copies few pages where it would have copied nearly all of them.
"""

import pickle
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from datetime import datetime, timezone
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import IO, Any, get_args, get_type_hints

from citepress.archive.contents import PackedContents
from citepress.archive.model import Archive, Change, Entry, Origin, SourceEntry
from citepress.base.gc_pause import paused_gc
from citepress.base.memory import give_back
from citepress.contract.fault import Fault, FaultCode
from citepress.contract.kind import Kind

TOGETHER = 1_000
"""Values of one pickle, which shares the strings that they have in common and is held in memory as a whole."""
PLAIN_TYPES = frozenset(
    {
        *(type(None), bool, int, float, bytes, tuple, list, dict, datetime, timezone, type),
        *(partial, MethodType, FunctionType, BuiltinFunctionType),
    }
)
"""Types that hold nothing of an archive's own, or what is written of it."""
SHARED = (Kind, FaultCode)
"""Types of declarations, of which all that is spooled refers to the same few objects."""


def written_types(*roots: type) -> frozenset[type]:
    """The types of roots and of all that their members hold: data classes and tuples with names, but no ``SHARED``."""
    waiting, reached = [*roots], set[type]()
    while waiting:
        sort = waiting.pop()
        if sort in reached or sort in SHARED:
            continue
        if is_dataclass(sort) or hasattr(sort, "_fields") or sort in roots:
            reached.add(sort)
            waiting += [part for hint in get_type_hints(sort).values() for part in _parts(hint)]
    return frozenset(reached)


def _parts(hint: object) -> Iterator[type]:
    """The types that an annotation is made of."""
    if isinstance(hint, type) and not get_args(hint):
        yield hint
    for part in get_args(hint):
        yield from _parts(part)


BY_VALUE = PLAIN_TYPES | written_types(Entry, PackedContents, Change, SourceEntry, Origin, Fault)
"""Types that are written; an object of any other stays where it is."""


class ArchiveSpool:
    """An archive whose records, sources, origins and changes lie on disk, and the warnings about it."""

    def __init__(self, archive: Archive, faults: Sequence[Fault], folder: Path) -> None:
        """Write them to a file of a folder that nobody else sees. Raises ``OSError``."""
        self._rest = replace(archive, entries={}, collections={}, topics={}, ledger={}, origins={}, changes=())
        self._values = _SpooledValues(folder, [*archive.entries, *archive.ledger, *archive.origins])
        changes: dict[str, list[tuple[int, Change]]] = defaultdict(list)
        for place, change in enumerate(archive.changes):
            changes[change.record].append((place, change))
        # The changes of a record repeat its words.
        self._entries = self._values.add((entry, changes.pop(id_, ())) for id_, entry in archive.entries.items())
        self._others = self._values.add(pair for placed in changes.values() for pair in placed)
        self._ledger = self._values.add(archive.ledger.values())
        self._origins = self._values.add(archive.origins.values())
        self._faults = self._values.add(faults)
        self._members = [self._places_of(archive.collections), self._places_of(archive.topics)]

    def _places_of(self, lists: Mapping[str, tuple[Entry, ...]]) -> dict[str, "array[int]"]:
        """The records of each list by their places in the archive."""
        return {name: array("L", (self._values.numbers[e.head.id] for e in lists[name])) for name in lists}

    def read(self) -> tuple[Archive, tuple[Fault, ...]]:
        """The archive and its warnings, read back; once, when nothing else holds them any more."""
        give_back()
        with paused_gc():
            self._values.turn()
            changes: list[tuple[int, Change]] = []
            entries: list[Entry] = []
            for entry, placed in self._values.read(self._entries):
                entries.append(entry)
                changes += placed
            changes += self._values.read(self._others)
            changes.sort(key=lambda pair: pair[0])
            ledger = {source.url: source for source in self._values.read(self._ledger)}
            origins = {origin.id: origin for origin in self._values.read(self._origins)}
            faults = tuple(self._values.read(self._faults))
            self._values.close()
            collections, topics = (
                {name: tuple(entries[place] for place in places) for name, places in lists.items()}
                for lists in self._members
            )
        archive = replace(
            self._rest,
            entries={entry.head.id: entry for entry in entries},
            collections=collections,
            topics=topics,
            ledger=ledger,
            origins=origins,
            changes=tuple(change for _, change in changes),
        )
        return archive, faults


class _SpooledValues:
    """Values in a file, many to a pickle, and the strings that they refer to."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        """``names`` are strings that many values hold: each is read once."""
        self._file: IO[bytes] = TemporaryFile(dir=folder)  # noqa: SIM115  (closed when it was read)
        self.numbers: dict[str, int] = {}
        for name in names:
            self.numbers.setdefault(name, len(self.numbers))
        self.held: list[Any] = []
        """Objects that stay where they are."""
        self.places: dict[int, int] = {}
        """Their places by their addresses."""
        self._names = self._add_names()

    def _add_names(self) -> int:
        count = 0
        names = iter(self.numbers)
        while some := list(islice(names, TOGETHER)):
            pickle.dump(some, self._file, pickle.HIGHEST_PROTOCOL)
            count += 1
        return count

    def add(self, values: Iterable[Any]) -> int:
        """Write values; the number of pickles."""
        count, waiting = 0, iter(values)
        while some := list(islice(waiting, TOGETHER)):
            _Pickler(self._file, self).dump(some)
            count += 1
        return count

    def turn(self) -> None:
        """Go back to the beginning, to read what was written in its order."""
        self.numbers, self.places = {}, {}
        self._file.seek(0)
        self.names: list[str] = []
        for _ in range(self._names):
            self.names += pickle.load(self._file)  # noqa: S301  (of our own process)

    def read(self, count: int) -> Iterator[Any]:
        """The values of so many pickles."""
        for _ in range(count):
            yield from _Unpickler(self._file, self).load()

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


class _Pickler(pickle.Pickler):
    """Writes numbers in place of common strings, and negative ones in place of objects that stay where they are."""

    def __init__(self, file: IO[bytes], spooled: _SpooledValues) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._spooled = spooled

    def persistent_id(self, value: Any) -> int | None:  # noqa: ANN401  (any object)
        """The number of an object that is not written."""
        sort = type(value)
        if sort is str:
            return self._spooled.numbers.get(value)
        if sort in BY_VALUE:
            return None
        held, places = self._spooled.held, self._spooled.places
        if id(value) not in places:
            places[id(value)] = len(held)
            held.append(value)
        return -1 - places[id(value)]


class _Unpickler(pickle.Unpickler):
    """Reads what ``_Pickler`` wrote."""

    def __init__(self, file: IO[bytes], spooled: _SpooledValues) -> None:
        super().__init__(file)
        self._spooled = spooled

    def persistent_load(self, number: int) -> Any:  # noqa: ANN401  (any object)
        """The object of a number."""
        return self._spooled.names[number] if number >= 0 else self._spooled.held[-1 - number]
