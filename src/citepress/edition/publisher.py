"""Printing an edition: what did not change is taken over, what changed is rendered, readers see all of it at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from citepress.base.gc_pause import paused_gc
from citepress.edition.compiler import RenderUnit
from citepress.edition.edition import POINTER
from citepress.edition.encodings import encode
from citepress.edition.leaf import Leaf
from citepress.edition.pack import Pack, PackError, PackWriter, total

REWRITE_SHARE = 0.25
"""Share of units changed since the base pack from which a new base is written."""
THREADS = 2
WINDOW = 64
"""Units rendered ahead of the writer: bounds the memory of a build."""
BATCH = 8
"""Units that a thread compresses at a time."""


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What a run did."""

    pointer: Path
    digest: str
    leaves: int
    rendered: int
    """Units rendered in this run."""
    reused: int
    """Units taken over as they were."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """A pack of the former edition and which unit gave which of its paths."""

    pack: Pack
    units: Mapping[str, Sequence[str]]

    def paths(self, units: Iterable[str]) -> set[str]:
        """The paths that some of its units gave; no two units give the same."""
        return {path for unit in units for path in self.units[unit]}


def publish(
    works: Iterable[RenderUnit], folder: Path, facts: Mapping[str, Any], shells: Mapping[str, bytes], origin: Mapping[str, Any]
) -> PublishResult:
    """Write the edition of these units under ``folder`` and point to it.

    ``origin`` is kept in the pointer for whoever decides whether the edition is still current. Raises what a rendering
    raises (``Faults``); the former edition then stays as it was.
    """
    folder.mkdir(parents=True, exist_ok=True)
    former = _former(folder)
    with paused_gc():
        todo = list(works)
    base = former[-1] if former else None
    fresh = [work for work in todo if not (base and work.fingerprint.hex() in base.units)]
    if base is None or len(fresh) > REWRITE_SHARE * len(todo):
        return _write(todo, folder, former, None, facts, shells, origin)
    return _write(todo, folder, former, base, facts, shells, origin)


def _write(
    todo: Sequence[RenderUnit], folder: Path, former: Sequence[_Layer], base: _Layer | None,
    facts: Mapping[str, Any], shells: Mapping[str, bytes], origin: Mapping[str, Any],
) -> PublishResult:  # fmt: skip
    """Write one pack: everything, or beside ``base`` only what ``base`` has not."""
    part = folder / "next.pack"
    writer = PackWriter(part)
    units: dict[str, list[str]] = {}
    alive: set[str] = set()
    try:
        rendered = _fill(writer, todo, former, base, units, alive)
        removed = sorted(base.paths(base.units.keys() - alive) - writer.sums.keys()) if base else []
        digest = _digest(writer, base, removed)
        notes = {
            "digest": digest,
            "facts": facts,
            "shells": {name: shell.decode() for name, shell in shells.items()},
            "removed": removed,
        }
        writer.finish(notes)
    except BaseException:
        writer.discard()
        raise
    name = f"{'changes' if base else 'base'}-{digest[:16]}.pack"
    part.replace(folder / name)
    (folder / name).with_suffix(".units").write_bytes(orjson.dumps(units))
    layers = [name, base.pack.path.name] if base else [name]
    _point(folder, layers, {**origin, "digest": digest})
    leaves = len(writer.sums) + (len(base.pack) - len(removed) - sum(base.pack.meta(p) is not None for p in writer.sums) if base else 0)
    return PublishResult(folder / POINTER, digest, leaves, rendered, len(todo) - rendered)


def _fill(
    writer: PackWriter,
    todo: Sequence[RenderUnit],
    former: Sequence[_Layer],
    base: _Layer | None,
    units: dict[str, list[str]],
    alive: set[str],
) -> int:
    """Write every unit that ``base`` has not; give the number of those that had to be rendered."""
    missing: list[RenderUnit] = []
    for work in todo:
        name = work.fingerprint.hex()
        if base and name in base.units:
            alive.add(name)
        elif layer := next((layer for layer in former if name in layer.units), None):
            units[name] = list(layer.units[name])
            for path in units[name]:
                meta = layer.pack.meta(path)
                if meta is None:
                    raise PackError(f"{layer.pack.path.name} lost {path}")
                writer.take(meta, layer.pack.bodies(meta))
        else:
            missing.append(work)
    for work, leaves in _rendered(missing):
        units[work.fingerprint.hex()] = [leaf.path for leaf, _ in leaves]
        for leaf, encoded in leaves:
            writer.add(leaf, encoded)
    return len(missing)


def _rendered(missing: Sequence[RenderUnit]) -> Iterator[tuple[RenderUnit, list[tuple[Leaf, dict[str, bytes]]]]]:
    """Render a window of units, then compress it in threads, in order.

    One after the other: compressing releases the interpreter, and threads that wanted it for rendering at the same time
    would spend a tenth of a build on handing it to each other.
    """
    with ThreadPoolExecutor(THREADS) as pool:
        for start in range(0, len(missing), WINDOW):
            window = missing[start : start + WINDOW]
            rendered = [work.render() for work in window]
            coded = chain.from_iterable(pool.map(_encoded, (rendered[at : at + BATCH] for at in range(0, len(rendered), BATCH))))
            yield from zip(window, coded, strict=True)


def _encoded(units: Sequence[Sequence[Leaf]]) -> list[list[tuple[Leaf, dict[str, bytes]]]]:
    return [[(leaf, encode(leaf)) for leaf in leaves] for leaves in units]


def _digest(writer: PackWriter, base: _Layer | None, removed: Sequence[str]) -> str:
    sums = list(writer.sums.values())
    if base is None:
        return total(sums)
    replaced = (base.pack.meta(path) for path in (*removed, *writer.sums))
    return total([int(base.pack.notes["digest"], 16), *sums, *(-int(meta["sum"], 16) for meta in replaced if meta)])


def _former(folder: Path) -> tuple[_Layer, ...]:
    """The layers of the former edition, newest first; none when anything of it is missing or damaged."""
    try:
        names = orjson.loads((folder / POINTER).read_bytes())["layers"]
        return tuple(_Layer(Pack(folder / name), orjson.loads((folder / name).with_suffix(".units").read_bytes())) for name in names)
    except (OSError, ValueError, KeyError):
        return ()


def _point(folder: Path, layers: Sequence[str], origin: Mapping[str, Any]) -> None:
    """Name the new edition in one step, then sweep what neither it nor the one before needs."""
    pointer = folder / POINTER
    try:
        before = orjson.loads(pointer.read_bytes())["layers"]
    except (OSError, ValueError, KeyError):
        before = []
    part = pointer.with_suffix(".part")
    part.write_bytes(orjson.dumps({**origin, "layers": list(layers)}, option=orjson.OPT_APPEND_NEWLINE))
    part.replace(pointer)
    kept = {Path(name).stem for name in (*layers, *before)}
    for file in folder.iterdir():
        if file.suffix in (".pack", ".units") and file.stem not in kept:
            file.unlink(missing_ok=True)
