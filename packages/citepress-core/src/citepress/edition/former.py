"""The former edition as the next build reads it: its packs, and which unit gave which path."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from citepress.base import fast_json
from citepress.edition.edition import POINTER
from citepress.edition.pack import Pack, PackError, is_damaged, open_layers

SUFFIX = ".units"
"""Ends the name of the file beside a pack that names its units."""
UnitRow: TypeAlias = Sequence[str]
"""A rendered unit: its fingerprint in hexadecimal, and the paths that it gave."""
Units: TypeAlias = dict[str, Sequence[UnitRow]]
"""Units by the group that they belong to; a group without units was removed."""


class UnitsWriter:
    """Writes the units of a whole edition as they come, so that none is held; those of a group follow each other."""

    def __init__(self, path: Path) -> None:
        """Begin the file. Raises ``OSError``, as its methods do."""
        self.path, self._group = path, ""
        self._file = path.open("wb")

    def add(self, group: str, row: UnitRow) -> None:
        """Append a unit of a group."""
        opening = b"," if group == self._group else b"%b%b:[" % (b"]," if self._group else b"{", orjson.dumps(group))
        self._group = group
        self._file.write(opening + orjson.dumps(row))

    def finish(self) -> None:
        """Write what is left."""
        self._file.write(b"]}" if self._group else b"{}")
        self._file.close()

    def discard(self) -> None:
        """Give up: nothing remains of the file."""
        with suppress(OSError):  # a full disk: closing tries once more to write what is left
            self._file.close()
        self.path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Layer:
    """A pack, and the groups whose units were published with it."""

    pack: Pack
    groups: frozenset[str]
    removed: frozenset[str]
    """Paths of the packs below it that are gone."""

    @classmethod
    def of(cls, pack: Pack, groups: Iterable[str]) -> "Layer":
        """The layer of a pack."""
        return cls(pack, frozenset(groups), frozenset(pack.notes["removed"]))


@dataclass(slots=True)
class FormerEdition:
    """The packs of an edition, the newest first, and every unit of it."""

    layers: tuple[Layer, ...]
    units: Units
    count: int
    """How many they are."""
    digest: str
    leaves: int
    named: tuple[str, ...] = field(init=False)
    """Names of the packs in the pointer."""

    def __post_init__(self) -> None:
        """Name the packs once."""
        self.named = tuple(layer.pack.path.name for layer in self.layers)

    def locate(self, path: str, layers: Sequence[Layer] | None = None) -> tuple[Pack, dict[str, Any]] | None:
        """The pack that answers at a path, and the meta record there; in these layers alone where some are given."""
        for layer in self.layers if layers is None else layers:
            if (meta := layer.pack.meta(path)) is not None:
                return layer.pack, meta
            if path in layer.removed:
                return None
        return None

    def body(self, path: str) -> bytes | None:
        """The body at a path; ``None`` where there is none. Raises ``PackError``."""
        place = self.locate(path)
        return bytes(place[0].body(place[1])) if place else None

    def paths(self, groups: Iterable[str]) -> Iterator[str]:
        """The paths that the units of these groups gave."""
        return (path for group in groups for row in self.units.get(group, ()) for path in row[1:])

    def stands(self, folder: Path) -> bool:
        """Whether the pointer still names this edition, and all its packs are there and whole."""
        pointed = read_pointer(folder)
        return (
            pointed.get("digest") == self.digest
            and tuple(pointed.get("layers", ())) == self.named
            and all((folder / name).is_file() and not is_damaged(folder / name) for name in self.named)
        )


def read_pointer(folder: Path) -> Mapping[str, Any]:
    """What the pointer of a folder says; empty where there is none, or a damaged one."""
    try:
        pointed = fast_json.loads((folder / POINTER).read_bytes())
    except (OSError, ValueError):
        return {}
    return pointed if isinstance(pointed, dict) else {}


def open_former(folder: Path) -> FormerEdition | None:
    """The edition that the pointer of a folder names; ``None`` when anything of it is missing or damaged."""
    try:
        files = [folder / name for name in read_pointer(folder)["layers"]]
        if any(map(is_damaged, files)):
            return None
        packs = open_layers(files)
        tables: list[Units] = [fast_json.loads(pack.path.with_suffix(SUFFIX).read_bytes()) for pack in packs]
        units: Units = {}
        for table in reversed(tables):
            units.update(table)
        layers = tuple(Layer.of(pack, table) for pack, table in zip(packs, tables, strict=True))
        newest = packs[0].notes
        existing = {group: rows for group, rows in units.items() if rows}
        count = sum(map(len, existing.values()))
        return FormerEdition(layers, existing, count, newest["digest"], newest["leaves"])
    except (PackError, OSError, ValueError, KeyError, AttributeError):
        return None
