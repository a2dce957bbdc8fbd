"""An edition before it is complete: it reads like a pack and renders each leaf on request.

Its leaves have the bytes, ETags and dates of the pack that the build is writing.
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
from citepress.edition.edition import Edition, pointer
from citepress.edition.leaf import PRIVATE, Leaf
from citepress.edition.pack import Pack, StoredCoding
from citepress.edition.pack_writer import PackWriter, PreparedLeaf, prepared_leaf
from citepress.edition.passthrough import passthrough_leaves
from citepress.edition.render_context import RenderContext
from citepress.edition.served import IDENTITY

EARLY_POINTER = "early.json"
"""Pointer to an early edition, in the folder of the usual pointer: its configuration and the socket of its makers."""
EARLY_PACK = "early.pack"
RENDERED = "rendered_units"
MAX_HELD_BYTES = 32 * 1024 * 1024
"""Bytes of rendered leaves that are kept: readers often request the forms of a page one after the other."""
Units = Mapping[str, RenderUnit]


class EarlyPack:
    """The leaves of one archive by path; like ``Pack``, but without a list of its paths."""

    def __init__(
        self,
        context: RenderContext,
        declared: Iterable[Declared],
        shared: bytes,
        private: Sequence[Callable[[], Iterable[RenderUnit]]],
        notes: Mapping[str, Any],
    ) -> None:
        """``shared`` is the digest of the inputs of all units; each of ``private`` returns units of private leaves.

        ``notes`` are the notes of the pack.
        """
        self.notes = notes
        self.written = 0
        """The date of all leaves in seconds; set before the first one is read."""
        self._context, self._declared, self._shared, self._private_units = context, tuple(declared), shared, private
        self._private: list[Units] = []
        self._units: dict[str, Units] = {}
        """The units of each requested declaration, by the paths of their leaves."""
        self._held: dict[str, tuple[dict[str, Any], PreparedLeaf]] = {}
        self._held_bytes = 0

    def __len__(self) -> int:
        """Always 0: no path is listed, so a missing page offers no similar ones."""
        return 0

    def __bool__(self) -> bool:
        """Always true, although the length is 0."""
        return True

    def meta(self, path: str) -> dict[str, Any] | None:
        """The meta record of a path, or ``None``. Renders the leaf, and raises what rendering raises."""
        if path not in self._held:
            unit = self._unit(path)
            self._hold(unit.render() if unit else ())
        return self._held[path][0] if path in self._held else None

    def body(self, meta: Mapping[str, Any]) -> StoredBody:
        """The body of the meta record that ``meta`` returned last."""
        leaf = self._held[meta["path"]][1]
        return leaf.codings[IDENTITY] if leaf.codings else leaf.body

    def stored(self, meta: Mapping[str, Any]) -> dict[str, StoredCoding]:
        """The codings that a pack stores ready to send; empty if they are made on request."""
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
        """No path: the complete list is known only when the edition is."""
        return iter(())

    def _hold(self, leaves: Iterable[Leaf]) -> None:
        if self._held_bytes > MAX_HELD_BYTES:
            self._held, self._held_bytes = {}, 0
        for leaf in leaves:
            prepared = prepared_leaf(leaf)
            self._held[leaf.path] = fast_json.loads(prepared.record), prepared
            self._held_bytes += prepared.size

    def _unit(self, path: str) -> RenderUnit | None:
        """The unit that renders a path."""
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
        """The units of a declaration by path. Units that do not know their paths are rendered to find them."""
        if item.name not in self._units:
            units = render_units(self._context, [item], self._shared)
            self._units[item.name] = {path: unit for unit in units for path in _paths(self._context, item, unit)}
        return self._units[item.name]

    @cached_property
    def _by_route(self) -> Mapping[str, Declared]:
        """The declaration of each route by its name."""
        twins = self._context.twins
        return {route.name: item for item in self._declared for route in derive([item], twins)}

    @cached_property
    def _further(self) -> Units:
        """The units of files and redirects whose paths the content decides."""
        return {unit.path: unit for unit in passthrough_leaves(self._context)}


def early_edition(pack: EarlyPack) -> Edition:
    """The edition over an early pack; it has no log, because only complete editions are logged."""
    return Edition((cast("Pack", pack),))


def write_early(pointed: Path, pack: EarlyPack, socket: str) -> None:
    """Write the pointer of an early edition, and its configuration as a pack without leaves."""
    pointed.parent.mkdir(parents=True, exist_ok=True)
    PackWriter(pointed.with_name(EARLY_PACK)).finish(pack.notes)
    early = {"layers": [EARLY_PACK], "digest": pack.notes["digest"], "socket": socket, RENDERED: 0}
    replace_file(pointed, orjson.dumps(early))


def note_rendered(pointed: Path, units: int) -> None:
    """Record the progress of the build in the pointer of an early edition, if there is one."""
    with suppress(OSError, ValueError):
        replace_file(pointed, orjson.dumps({**fast_json.loads(pointed.read_bytes()), RENDERED: units}))


def early_pointer(state: Path) -> Path:
    """The file that names the early edition under a state folder."""
    return pointer(state).with_name(EARLY_POINTER)


def rendered_units(state: Path) -> int | None:
    """The number of units that the first build has rendered; ``None`` if no first build runs."""
    if pointer(state).exists():
        return None
    try:
        return int(fast_json.loads(early_pointer(state).read_bytes())[RENDERED])
    except (OSError, ValueError, KeyError):
        return None


def early_socket(pointed: Path) -> str:
    """The path of the socket at which the makers of an early edition answer."""
    return str(fast_json.loads(pointed.read_bytes())["socket"])


def _paths(context: RenderContext, item: Declared, unit: RenderUnit) -> Iterable[str]:
    if not unit.path:
        return [leaf.path for leaf in unit.render()]
    if not isinstance(item, Pages):
        return [unit.path]
    return [form.path(unit.path) for form in fitting(item, context.forms)]
