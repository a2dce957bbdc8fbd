"""An edition before it is whole: reads like a pack, and renders each leaf when somebody asks for it.

What it gives has the bytes, the ETags and the dates of the pack that is written meanwhile.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import orjson

from citepress.base import fast_json
from citepress.base.canonical import repr_digest, short_digest
from citepress.base.file_part import StoredBody
from citepress.base.replaced_file import replace_file
from citepress.contract.document import Declared, Pages
from citepress.contract.table import derive, fitting
from citepress.edition.compiler import RenderUnit, render_units
from citepress.edition.edition import Edition
from citepress.edition.leaf import PRIVATE, Leaf
from citepress.edition.pack import Pack, StoredCoding
from citepress.edition.pack_writer import PackWriter, PreparedLeaf, prepared_leaf
from citepress.edition.passthrough import passthrough_leaves
from citepress.edition.render_context import RenderContext
from citepress.edition.served import IDENTITY

EARLY_POINTER = "early.json"
"""Names the configuration of such an edition, and where its leaves are asked for, beside the pointer of whole ones."""
EARLY_PACK = "early.pack"
RENDERED = "rendered_units"
MAX_HELD_BYTES = 32 * 1024 * 1024
"""Bodies of leaves that were rendered lately: those of a page are asked for one after the other."""
Units = Mapping[str, RenderUnit]


class EarlyPack:
    """Leaves of one archive by path; like ``Pack``, without an order of its paths."""

    def __init__(
        self,
        context: RenderContext,
        declared: Iterable[Declared],
        shared: bytes,
        private: Sequence[Callable[[], Iterable[RenderUnit]]],
        notes: Mapping[str, Any],
    ) -> None:
        """``shared`` is the digest of what every unit reads, each of ``private`` gives units of private leaves.

        ``notes`` are those of a pack.
        """
        self.notes = notes
        self.written = 0
        """The second that leaves bear as their date; set before they are read."""
        self._context, self._declared, self._shared, self._private_units = context, tuple(declared), shared, private
        self._private: list[Units] = []
        self._units: dict[str, Units] = {}
        """The units of each declaration by the paths of their leaves, as soon as one of them was asked for."""
        self._held: dict[str, tuple[dict[str, Any], PreparedLeaf]] = {}
        self._held_bytes = 0

    def __len__(self) -> int:
        """Say that no path is listed: nothing is near a missing one."""
        return 0

    def __bool__(self) -> bool:
        """Say that it is there all the same."""
        return True

    def meta(self, path: str) -> dict[str, Any] | None:
        """The meta record of a path, or ``None``. Raises what rendering raises."""
        if path not in self._held:
            unit = self._unit(path)
            self._hold(unit.render() if unit else ())
        held = self._held.get(path)
        return held[0] if held else None

    def body(self, meta: Mapping[str, Any]) -> StoredBody:
        """The body of a meta record that was just given."""
        leaf = self._held[meta["path"]][1]
        return leaf.codings[IDENTITY] if leaf.codings else leaf.body

    def stored(self, meta: Mapping[str, Any]) -> dict[str, StoredCoding]:
        """Codings that a pack stores as they are sent; empty where they are made on demand."""
        leaf = self._held[meta["path"]][1]
        return {
            coding: StoredCoding(
                body,
                "" if coding == IDENTITY else short_digest(body),
                repr_digest(body).decode() if leaf.digested else "",
            )
            for coding, body in leaf.codings.items()
        }

    def paths(self) -> Iterator[str]:
        """No path: which there are is known when the edition is whole."""
        return iter(())

    def _hold(self, leaves: Iterable[Leaf]) -> None:
        if self._held_bytes > MAX_HELD_BYTES:
            self._held, self._held_bytes = {}, 0
        for leaf in leaves:
            prepared = prepared_leaf(leaf)
            self._held[leaf.path] = fast_json.loads(prepared.record), prepared
            self._held_bytes += prepared.size

    def _unit(self, path: str) -> RenderUnit | None:
        """The unit that gives a path."""
        if path.startswith(PRIVATE):
            return self._private_unit(path)
        route = self._context.table.match(path)
        declared = self._by_route.get(route.name) if route else None
        unit = self._units_of(declared).get(path) if declared else None
        return unit or self._further.get(path)

    def _private_unit(self, path: str) -> RenderUnit | None:
        for place, units in enumerate(self._private_units):
            if place == len(self._private):
                self._private.append({unit.path: unit for unit in units()})
            if unit := self._private[place].get(path):
                return unit
        return None

    def _units_of(self, item: Declared) -> Units:
        """The units of a declaration by path; those whose paths only rendering tells are rendered now."""
        if item.name not in self._units:
            units: dict[str, RenderUnit] = {}
            for unit in render_units(self._context, [item], self._shared):
                for path in _paths(self._context, item, unit):
                    units[path] = unit
            self._units[item.name] = units
        return self._units[item.name]

    @cached_property
    def _by_route(self) -> Mapping[str, Declared]:
        """The declaration of each route by its name."""
        twins = self._context.twins
        return {route.name: item for item in self._declared for route in derive([item], twins)}

    @cached_property
    def _further(self) -> Units:
        """What the content brings paths for."""
        return {unit.path: unit for unit in passthrough_leaves(self._context)}


def early_edition(pack: EarlyPack) -> Edition:
    """The edition over such a pack; nothing of a log, which is for whole ones."""
    return Edition((cast("Pack", pack),))


def write_early(pointed: Path, pack: EarlyPack, socket: str) -> None:
    """Let a pointer name such an edition; its configuration lies in a pack without leaves."""
    pointed.parent.mkdir(parents=True, exist_ok=True)
    PackWriter(pointed.with_name(EARLY_PACK)).finish(pack.notes)
    early = {"layers": [EARLY_PACK], "digest": pack.notes["digest"], "socket": socket, RENDERED: 0}
    replace_file(pointed, orjson.dumps(early))


def note_rendered(pointed: Path, units: int) -> None:
    """Say how far the whole edition is, where a pointer names one that can be read before."""
    with suppress(OSError, ValueError):
        replace_file(pointed, orjson.dumps({**fast_json.loads(pointed.read_bytes()), RENDERED: units}))


def rendered_units(pointed: Path) -> int | None:
    """How many units of the whole edition are rendered; ``None`` where none is being built for the first time."""
    try:
        return int(fast_json.loads(pointed.read_bytes())[RENDERED])
    except (OSError, ValueError, KeyError):
        return None


def early_socket(pointed: Path) -> str:
    """Where the leaves of the edition that a pointer names are asked for."""
    return str(fast_json.loads(pointed.read_bytes())["socket"])


def _paths(context: RenderContext, item: Declared, unit: RenderUnit) -> Iterable[str]:
    if not unit.path:
        return [leaf.path for leaf in unit.render()]
    if not isinstance(item, Pages):
        return [unit.path]
    return [form.path(unit.path) for form in fitting(item, context.forms)]
